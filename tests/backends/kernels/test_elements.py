"""Records of elementwise functions on a GPU."""
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import chainer_fast as chainer
from tests._core import shortcut_cases, test_shortcuts

pytestmark = pytest.mark.gpu

quickly = settings(max_examples=6, deadline=None,
                   suppress_health_check=[HealthCheck.function_scoped_fixture])
each_class = pytest.mark.parametrize(
    'cls', shortcut_cases.ELEMENTWISE, ids=lambda cls: cls.__name__)


def record_of(cls):
    return chainer._core.graph.registered(cls)[0]


def send(device, thing):
    """Move the arrays of a function as well."""
    for name, value in vars(thing).items():
        setattr(thing, name, device.send(value))
    return thing


def plain(array):
    return array


def apart(array):
    """Return an array whose elements are apart, which CuPy's kernels take."""
    xp = chainer.backend.get_array_module(array)
    return xp.stack([array, array], axis=-1)[..., 0]


def differentiate(function, arrays, xp, laid_out=plain):
    xs = [chainer.Variable(laid_out(x)) for x in arrays]
    y, = function.apply(tuple(xs))
    y.grad = laid_out(xp.full_like(y.array, .5))
    y.backward()
    return [y.array, *[x.grad for x in xs]]


@each_class
@pytest.mark.parametrize('laid_out', [plain, apart])
@quickly
@given(data=st.data())
def test_kernels_of_records(device, cls, laid_out, data):
    make, arrays = data.draw(shortcut_cases.CASES[cls](shortcut_cases.Kind.TAME))
    arrays = [abs(x) + x.dtype.type(.1) for x in arrays]
    with test_shortcuts.called_methods(cls) as called:
        found = differentiate(
            send(device, make()), device.send(arrays), device.xp, laid_out)
    assert not called
    expected = differentiate(make(), arrays, np)
    for a, b in zip(found, expected, strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        np.testing.assert_allclose(a.get(), b, 1e-5, 1e-6)


@pytest.mark.parametrize('spoil', [lambda gy: gy[:1], lambda gy: gy.astype('d')])
def test_gradients_that_do_not_fit(device, spoil):
    """The methods of the function say what is wrong, or take them."""
    def run(xp, send):
        x = chainer.Variable(send(np.ones((3, 4), 'f')))
        y = chainer.functions.tanh(x)
        gradient = chainer.Variable(spoil(xp.ones_like(y.array)))
        try:
            return chainer.grad([y], [x], [gradient])[0].dtype.char
        except Exception as e:
            return type(e)

    assert run(device.xp, device.send) == run(np, np.asarray)


def test_operands_of_two_devices_and_dtypes(device):
    x, y = device.send([np.ones((2, 3), 'f'), np.ones((2, 3), 'd')])
    with pytest.raises(chainer.utils.type_check.InvalidType):
        chainer.functions.math.basic_math.Add().apply((x, y))
    with pytest.raises(TypeError):
        chainer.functions.math.basic_math.Add().apply((x, np.ones((2, 3), 'f')))


def test_replaced_methods_are_called(device, monkeypatch):
    monkeypatch.setattr(
        chainer.functions.activation.relu.ReLU, 'forward',
        lambda self, inputs: (inputs[0] * 5,))
    x = device.send(np.ones(3, 'f'))
    assert chainer.functions.relu(x).array.get().tolist() == [5, 5, 5]
