import numpy
import pytest

import chainer_fast
from chainer_fast import functions as F
from chainer_fast import gradient_check
from chainer_fast.mn.functions import pseudo_connect

pytestmark = pytest.mark.filterwarnings('ignore:.* is experimental:FutureWarning')


@pytest.mark.parametrize('dtype', [numpy.float16, numpy.float32, numpy.float64])
@pytest.mark.parametrize('shapes', [[()], [(2, 3)], [(2, 3), (4,)]])
@pytest.mark.parametrize('delegate', [(), (0,), (2,)])
def test_variables_pass_through(device, dtype, shapes, delegate):
    random = numpy.random.RandomState(0)
    arrays = [device.send(random.uniform(-1, 1, shape).astype(dtype))
              for shape in [delegate, *shapes]]
    ys = pseudo_connect(*map(chainer_fast.Variable, arrays))
    assert isinstance(ys, tuple)
    assert all(y.array is x for x, y in zip(arrays[1:], ys, strict=True))
    gys = [device.send(random.uniform(-1, 1, shape).astype(dtype)) for shape in shapes]
    gradient_check.check_backward(
        pseudo_connect, tuple(arrays), tuple(gys), dtype=numpy.float64)


def test_backward_visits_what_is_behind_the_delegate():
    x = chainer_fast.Variable(numpy.ones(2, 'f'))
    y, unused = pseudo_connect(x * 3, chainer_fast.Variable(numpy.ones(1, 'd')), x)
    F.sum(y).backward()
    assert x.grad.tolist() == [0, 0]


def test_backward_begins_at_a_delegate():
    """An empty variable has no gradient of its own to begin with."""
    x, y, unused = [chainer_fast.Variable(numpy.ones(2, 'f')) for _ in range(3)]
    psi, _ = pseudo_connect(x[:0], y[:0], unused)
    psi.backward()
    assert x.grad.tolist() == y.grad.tolist() == [0, 0]
    assert unused.grad is None


def test_gradients_can_be_differentiated():
    x = chainer_fast.Variable(numpy.array([2.], 'f'))
    y, = pseudo_connect(chainer_fast.Variable(numpy.ones(3, 'f')), x)
    gx, = chainer_fast.grad([F.sum(y ** 3)], [x], enable_double_backprop=True)
    ggx, = chainer_fast.grad([gx], [x])
    assert ggx.array.tolist() == [12]


def test_without_delegate_or_variables():
    x = chainer_fast.Variable(numpy.ones(2, 'f'))
    y, = pseudo_connect(None, x)
    y.backward(retain_grad=True)
    assert pseudo_connect(x) == ()
    assert [each.requires_grad for each in y.creator.inputs] == [False, True]


def test_it_is_experimental():
    with pytest.warns(FutureWarning, match='chainermn.functions.pseudo_connect is'):
        pseudo_connect(None, numpy.ones(2, 'f'))
