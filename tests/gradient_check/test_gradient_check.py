import re
import warnings

import hypothesis
import hypothesis.extra.numpy
import hypothesis.strategies as st
import numpy
import pytest

import chainer_fast
import chainer_fast.functions as F
from chainer_fast import gradient_check
from tests import compare
from tests.devices import to_cpu


class Square(chainer_fast.FunctionNode):
    """Squares of inputs. ``factor`` is 2 if its gradient is to be right.

    Calls are written to ``log``.
    """

    def __init__(self, factor=2, log=None):
        self.factor = factor
        self.log = [] if log is None else log

    def forward(self, inputs):
        self.retain_inputs(range(len(inputs)))
        self.log.append(tuple(x.copy() for x in inputs))
        return tuple(chainer_fast.utils.force_array(x * x) for x in inputs)

    def backward(self, indexes, grad_outputs):
        xs = self.get_retained_inputs()
        return tuple(
            None if grad_outputs[i] is None else self.factor * xs[i] * grad_outputs[i]
            for i in indexes)


def square(*xs):
    return Square().apply(xs)


def wrong(*xs):
    return Square(3).apply(xs)


X = numpy.array([[1, -2, 3], [0.5, 4, 0.1]], 'f')
GY = numpy.array([[2, 1, -1], [0.3, 0.2, -3]], 'f')


# First derivatives
#

@pytest.mark.parametrize('dtype', [None, 'f', 'd'])
def test_right(device, dtype):
    # Single precision allows for few digits.
    gradient_check.check_backward(
        square, device.send(X), device.send(GY), dtype=dtype, atol=1e-2, rtol=1e-2)


def test_wrong(device):
    with pytest.raises(AssertionError, match='check_backward failed'):
        gradient_check.check_backward(wrong, device.send(X), device.send(GY), dtype='d')


@hypothesis.given(
    hypothesis.extra.numpy.arrays(
        'd', hypothesis.extra.numpy.array_shapes(min_dims=0, min_side=0),
        elements=st.floats(-2, 2)),
    st.floats(0.1, 10))
def test_any_shape(x, scale):
    def check(factor):
        gradient_check.check_backward(
            lambda x: Square(factor).apply((x,)), x, numpy.full_like(x, scale),
            atol=1e-5, rtol=1e-5)

    check(2)
    if x.size == 1 and abs(x).max() > 0.1:
        with pytest.raises(AssertionError):
            check(3)


@pytest.mark.parametrize('seed', range(30))
def test_one_wrong_element_is_found(device, seed):
    # No component of the direction is negligible.
    class OneWrong(Square):
        def backward(self, indexes, grad_outputs):
            gx, = super().backward(indexes, grad_outputs)
            error = device.xp.zeros(gx.shape, gx.dtype)
            error[1, 1] = 1e-2
            return gx + error,

    numpy.random.seed(seed)
    x = numpy.random.uniform(-1, 1, (3, 3))
    with pytest.raises(AssertionError):
        gradient_check.check_backward(
            lambda x: OneWrong().apply((x,)), device.send(x),
            device.send(numpy.ones((3, 3))))


def test_message(device):
    with pytest.raises(AssertionError) as e:
        gradient_check.check_backward(
            wrong, device.send((X, X[0])), device.send((GY, None)), dtype='d', eps=1e-2,
            atol=1e-4, rtol=1e-5)
    message = str(e.value)
    assert 'eps=0.01 atol=0.0001 rtol=1e-05' in message
    assert 'inputs[0]:\n%s\n' % X in message
    assert 'inputs[1]:\n%s\n' % X[0] in message
    assert 'grad_outputs[0]:\n%s\n' % GY in message
    assert 'grad_outputs[1]:\nNone\n' in message
    assert 'directions[0]:' in message
    numeric, backward = [
        float(re.search(r'%s: +(\S+)' % which, message).group(1))
        for which in (r'numeric \(x\)', r'backward \(y\)')]
    assert backward == pytest.approx(1.5 * numeric, rel=1e-4)


def test_evaluations(device):
    log = []
    device.seed(0)
    gradient_check.check_backward(
        lambda x: Square(log=log).apply((x,)), device.send(X), device.send(GY), eps=0.5,
        dtype='d')
    device.seed(0)
    u = gradient_check._CheckBackward._sample_unit_vector(6, device.xp)
    u = to_cpu(u).reshape(2, 3)
    (center,), (lower,), (upper,) = log
    assert center.dtype == 'f'
    compare.assert_array_equal(center, X)
    assert lower.dtype == upper.dtype == 'd'
    compare.assert_allclose(lower, X - 0.5 * u)
    compare.assert_allclose(upper, X + 0.5 * u)


def test_strides_of_inputs_are_kept(device):
    strides = []

    class Function(Square):
        def forward(self, inputs):
            strides.append(inputs[0].strides)
            return super().forward(inputs)

    x = device.xp.ones((4, 6), 'f')[::2, ::-2]
    gradient_check.check_backward(
        lambda x: Function().apply((x,)), x,
        device.send(numpy.ones((2, 3), 'f')), dtype='d')
    assert strides[0] == x.strides


def test_several_inputs_and_outputs(device):
    def f(x, y):
        return F.sum(x) * y, x * 2

    x, y = numpy.random.uniform(-1, 1, (2, 4))
    gradient_check.check_backward(f, device.send((x, y)), device.send((y, x)))
    gradient_check.check_backward(f, device.send((x, y)), device.send((None, x)))
    gradient_check.check_backward(f, device.send([x, y]), device.send([y, None]))
    gradient_check.check_backward(f, device.send((x, y)), (None, None))


def test_output_is_input(device):
    gradient_check.check_backward(
        lambda x: x, device.send(X), device.send(GY), dtype='d')
    gradient_check.check_backward(
        lambda x: (x, x), device.send(X), device.send((GY, GY)), dtype='d')


def test_output_is_constant(device):
    gradient_check.check_backward(
        lambda x: chainer_fast.Variable(device.send(X)), device.send(X),
        device.send(GY))


def test_missing_gradient(device):
    # A missing gradient counts as zero.
    with pytest.raises(AssertionError, match='check_backward failed'):
        gradient_check.check_backward(
            lambda x, y: x + y.array, device.send((X, X)), device.send(GY), dtype='d')


def test_loss(device):
    gradient_check.check_backward(
        lambda x: F.sum(x * x), device.send(X), None, dtype='d')
    with pytest.raises(ValueError, match='y_grad'):
        gradient_check.check_backward(square, device.send(X), None)


def test_no_input(device):
    gradient_check.check_backward(
        lambda: chainer_fast.Variable(device.send(X)), (), device.send(GY))
    gradient_check.check_backward(
        lambda x, y: square(x), device.send((X, None)), device.send(GY), dtype='d')


def test_old_style_function(device):
    class Old(chainer_fast.Function):
        factor = 2

        def forward(self, inputs):
            return inputs[0] * inputs[0],

        def backward(self, inputs, grad_outputs):
            return self.factor * inputs[0] * grad_outputs[0],

    class WrongOld(Old):
        factor = 3

    gradient_check.check_backward(
        lambda x: Old()(x), device.send(X), device.send(GY), dtype='d')
    with pytest.raises(AssertionError):
        gradient_check.check_backward(
            lambda x: WrongOld()(x), device.send(X), device.send(GY), dtype='d')


@pytest.mark.parametrize('shape', [(2, 3), (2, 0)])
def test_wrong_number_of_gradients(device, shape):
    class TooMany(Square):
        def backward(self, indexes, grad_outputs):
            return super().backward(indexes, grad_outputs) * 2

    x = numpy.ones(shape, 'f')
    with pytest.raises(ValueError):
        gradient_check.check_backward(
            lambda x: TooMany().apply((x,)), device.send(x), device.send(x))


@pytest.mark.parametrize('y_grad', [
    (GY, GY), numpy.ones(3, 'f'), GY.astype('d'), (GY[None],)])
def test_mismatch_of_outputs(device, y_grad):
    with pytest.raises(ValueError, match='gradients of outputs: '):
        gradient_check.check_backward(square, device.send(X), device.send(y_grad))


def test_integers_are_passed_on(device):
    t = numpy.array([0, 2])

    def f(x, t):
        assert t.dtype == 'l'
        assert not t.requires_grad
        return F.select_item(x, t)

    gradient_check.check_backward(
        f, device.send((X, t.astype('l'))), device.send(GY[0, :2]), dtype='d')


def test_no_grads(device):
    seen = []

    def f(x, y):
        seen.append((x.dtype.char, y.dtype.char, y.array.copy()))
        return x + y.array,

    gradient_check.check_backward(
        f, device.send((X, X)), device.send(GY), no_grads=[False, True], dtype='d')
    assert [s[:2] for s in seen] == [('f', 'f'), ('d', 'd'), ('d', 'd')]
    assert all((to_cpu(s[2]) == X).all() for s in seen)
    with pytest.raises(RuntimeError, match='input 0'):
        gradient_check.check_backward(
            f, device.send((X, X)), device.send(GY), no_grads=[True, True])
    with pytest.raises(ValueError, match='no_grads'):
        gradient_check.check_backward(
            f, device.send((X, X)), device.send(GY), no_grads=[True])


def test_half_precision(device):
    x, gy = device.send(X.astype('e')), device.send(GY.astype('e'))
    # The gradient has three digits, the differences have more.
    gradient_check.check_backward(square, x, gy, dtype='d', atol=1e-3, rtol=1e-3)
    gradient_check.check_backward(square, x, gy, eps=0.1, atol=0.1, rtol=0.1)
    with pytest.raises(ValueError, match='int'):
        gradient_check.check_backward(square, x, gy, dtype='i')


@pytest.mark.parametrize('wrap', [lambda p: p, lambda p: (p,), lambda p: [p]])
def test_params(device, wrap):
    array = device.send(numpy.array([1, 2, 3], 'f'))
    p = chainer_fast.Parameter(array)
    seen = []

    def f(x):
        seen.append((p.dtype.char, p.array.copy()))
        return F.sin(x * F.broadcast_to(p, x.shape))

    gradient_check.check_backward(
        f, device.send(X), device.send(GY), wrap(p), dtype='d', atol=1e-3, rtol=1e-3)
    assert [s[0] for s in seen] == ['f', 'd', 'd']
    compare.assert_array_equal(seen[0][1], array)
    assert (seen[1][1] != array).all()
    # The parameter is what it was.
    assert p.array is array
    assert p.grad is None


def test_wrong_gradient_of_param(device):
    p = chainer_fast.Parameter(device.send(numpy.array(3, 'f')))
    one = device.send(numpy.array(1, 'f'))
    with pytest.raises(AssertionError, match=r'params\[0\]:\n3.0\n'):
        gradient_check.check_backward(lambda x: x * p.array, one, one, p, dtype='d')


def test_params_are_restored_after_errors(device):
    array = device.send(numpy.ones((2, 3), 'f'))
    p = chainer_fast.Parameter(array)

    def f(x):
        if p.dtype == 'd':
            raise KeyError
        return x * p

    with pytest.raises(KeyError):
        gradient_check.check_backward(f, device.send(X), device.send(GY), p, dtype='d')
    assert p.array is array


def test_check_backward_with_params():
    params = [numpy.array([1, 2, 3], 'f')]
    seen = []

    def f(xs, ps):
        (x,), (p,) = xs, ps
        assert isinstance(p, chainer_fast.Parameter)
        seen.append(p.dtype.char)
        return x * F.broadcast_to(p, x.shape),

    gradient_check._check_backward_with_params(f, X, GY, params, dtype='d')
    assert seen == ['f', 'd', 'd']
    with pytest.raises(AssertionError):
        gradient_check._check_backward_with_params(
            lambda xs, ps: f(xs, [chainer_fast.Parameter(ps[0].array)]), X, GY,
            params, dtype='d')


def test_functions_of_one_dtype_are_checked_in_another(device):
    seen = []

    def f(x):
        seen.append((x.dtype.char, chainer_fast.config.type_check))
        return F.resize_images(x, (2, 3))

    x = X.reshape(1, 1, 2, 3)
    gradient_check.check_backward(
        f, device.send(x), device.send(GY.reshape(x.shape)), dtype='d', atol=1e-4)
    assert seen == [('f', True), ('d', False), ('d', False)]


def test_detect_nondifferentiable(device):
    # Along most directions, but not all, the first element passes zero.
    device.seed(0)
    x = numpy.array([1e-4, 1.])
    with pytest.raises(gradient_check.NondifferentiableError):
        gradient_check.check_backward(
            abs, device.send(x), device.send(numpy.ones(2)),
            detect_nondifferentiable=True)
    # As tolerant as the comparison is.
    gradient_check.check_backward(
        abs, device.send(x), device.send(numpy.ones(2)), atol=1, rtol=1,
        detect_nondifferentiable=True)
    gradient_check.check_backward(
        abs, device.send(x + 1), device.send(numpy.ones(2)),
        detect_nondifferentiable=True)


def test_backprop_is_enabled_in_evaluations(device):
    # A function may differentiate another one.
    def f(x):
        g, = chainer_fast.grad([x * x * x], [x], enable_double_backprop=True)
        return g

    gradient_check.check_backward(f, device.send(X), device.send(GY), dtype='d')


# Directions
#

@pytest.mark.parametrize('size', [0, 1, 2, 5, 64])
def test_sample_unit_vector(size):
    numpy.random.seed(1)
    u = gradient_check._CheckBackward._sample_unit_vector(size, numpy)
    numpy.random.seed(1)
    v = numpy.random.standard_normal(size)
    assert u.shape == (size,)
    if size > 0:
        compare.assert_allclose((u ** 2).sum(), 1)
        compare.assert_allclose(
            u ** 2, 0.99 * v ** 2 / (v ** 2).sum() + 0.01 / size)
        compare.assert_array_equal(numpy.sign(u), numpy.sign(v))


# Second derivatives
#

class WrongSecond(Square):
    def backward(self, indexes, grad_outputs):
        return tuple(chainer_fast.Variable(gx.array)
                     for gx in super().backward(indexes, grad_outputs))


GGX = numpy.array([[1, 0.5, -1], [0.3, -2, 0.1]], 'f')


def test_double_right(device):
    gradient_check.check_double_backward(
        square, device.send(X), device.send(GY), device.send(GGX), dtype='d')
    gradient_check.check_double_backward(
        F.sin, device.send(X), device.send(GY), device.send(GGX), dtype='d')
    # The function is linear, its gradient is not.
    gradient_check.check_double_backward(
        lambda x: x * 2, device.send(X), device.send(GY), device.send(GGX), dtype='d')
    gradient_check.check_double_backward(
        lambda x: x, device.send(X), device.send(GY), device.send(GGX), dtype='d')


def test_double_wrong(device):
    with pytest.raises(AssertionError) as e:
        gradient_check.check_double_backward(
            lambda x: WrongSecond().apply((x,)), device.send(X), device.send(GY),
            device.send(GGX), dtype='d')
    message = str(e.value)
    assert message.startswith('check_double_backward failed (eps=0.001')
    assert 'grad_grad_inputs[0]:\n%s\n' % GGX in message
    assert 'AssertionError: check_backward failed' in message


def test_double_several(device):
    def f(x, y):
        z = x * y
        return z * y, z * x

    gradient_check.check_double_backward(
        f, device.send((X, X + 1)), device.send((GY, GY * 2)),
        device.send((GGX, GGX + 1)), dtype='d')
    gradient_check.check_double_backward(
        f, device.send((X, X + 1)), device.send((None, GY * 2)),
        device.send((GGX, None)), dtype='d')


def test_double_params(device):
    array = device.send(numpy.ones((2, 3), 'f'))
    p = chainer_fast.Parameter(array)
    for ggp in (GGX + 1, None):
        gradient_check.check_double_backward(
            lambda x: F.sin(x * p), device.send(X), device.send(GY), device.send(GGX),
            p, device.send(ggp), dtype='d')
    assert p.array is array
    with pytest.raises(AssertionError):
        gradient_check.check_double_backward(
            lambda x: WrongSecond().apply((x * p,)), device.send(X), device.send(GY),
            device.send(GGX), p, device.send(GGX), dtype='d')


def test_double_integers(device):
    t = numpy.array([0, 2], 'i')
    gradient_check.check_double_backward(
        lambda x, t: F.select_item(x, t) ** 2, device.send((X, t)),
        device.send(GY[0, :2]), device.send(GGX), dtype='d')


def test_double_old_style_function(device):
    class Old(chainer_fast.Function):
        def forward(self, inputs):
            return inputs[0] * 1,

        def backward(self, inputs, grad_outputs):
            return grad_outputs

    with pytest.raises(RuntimeError):
        gradient_check.check_double_backward(
            lambda x: Old()(x), device.send(X), device.send(GY), device.send(GGX))


def test_double_mismatch(device):
    with pytest.raises(ValueError, match='gradients of outputs: '):
        gradient_check.check_double_backward(
            square, device.send(X), device.send(GY), device.send((GGX, GGX)))
    with pytest.raises(ValueError, match='gradients of outputs: '):
        gradient_check.check_double_backward(
            square, device.send(X), device.send(GY), device.send(numpy.ones(3, 'f')))


# Others
#

def test_assert_allclose_is_deprecated():
    with pytest.warns(DeprecationWarning, match='chainer.testing.assert_allclose'):
        gradient_check.assert_allclose(X, X)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        with pytest.raises(AssertionError):
            gradient_check.assert_allclose(X, X + 1)
        gradient_check.assert_allclose(X, X + 1, atol=2)
