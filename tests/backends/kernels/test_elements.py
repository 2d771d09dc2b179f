"""Records of elementwise functions on a GPU."""
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import chainer_fast as chainer
from tests import ways
from tests._core import shortcut_cases
from tests.layouts import channels_last

pytestmark = pytest.mark.gpu

quickly = settings(max_examples=6, deadline=None,
                   suppress_health_check=[HealthCheck.function_scoped_fixture])
each_class = pytest.mark.parametrize(
    'cls', shortcut_cases.ELEMENTWISE, ids=lambda cls: cls.__name__)


def record_of(cls):
    return chainer._core.graphs.graph.registered(cls)[0]


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


@st.composite
def arrangements(draw, ndim):
    """A function that returns the same numbers in another arrangement in memory."""
    order = draw(st.permutations(range(ndim)))
    steps = draw(st.lists(st.sampled_from([1, 1, 1, 2, -1]), min_size=ndim,
                          max_size=ndim))
    repeated = draw(st.booleans())

    def arranged(array):
        xp = chainer.backend.get_array_module(array)
        memory = xp.zeros([array.shape[axis] * abs(step)
                           for axis, step in zip(order, steps, strict=True)],
                          array.dtype)
        view = memory[tuple([slice(None, None, step) for step in steps])]
        view = view.transpose(np.argsort(order)) if ndim else view
        view[...] = array
        return xp.broadcast_to(view[:1], array.shape) if ndim and repeated else view

    return arranged


def loops_of(cls):
    """Return the loops of a record."""
    gradients = record_of(cls).gradients
    return [record_of(cls).loop, *(
        [each[0] for each in gradients if each] if isinstance(gradients, tuple)
        else [gradients])]


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
    arrays = shortcut_cases.within_domain(
        cls, [abs(x) + x.dtype.type(.1) for x in arrays])
    with ways.called_methods(cls) as called:
        found = differentiate(
            send(device, make()), device.send(arrays), device.xp, laid_out)
    assert not called
    expected = differentiate(make(), arrays, np)
    for a, b in zip(found, expected, strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        np.testing.assert_allclose(a.get(), b, 1e-5, 1e-6)


@each_class
@quickly
@given(data=st.data())
def test_strides(device, cls, data):
    """Results are those of CuPy's kernels, to the bit, and lie in memory as they do."""
    make, arrays = data.draw(shortcut_cases.CASES[cls](shortcut_cases.Kind.TAME))
    arrays = shortcut_cases.within_domain(
        cls, [abs(x) + x.dtype.type(.1) for x in arrays])
    each = arrangements(arrays[0].ndim)
    chosen = data.draw(st.one_of(
        each.map(lambda one: [one] * (len(arrays) + 1)),
        st.lists(each, min_size=len(arrays) + 1, max_size=len(arrays) + 1)))
    arrays = [arranged(x) for arranged, x in
              zip(chosen, device.send(arrays), strict=False)]

    def run():
        rest = [plain] * len(arrays) + [chosen[-1]]
        return differentiate(
            send(device, make()), arrays, device.xp, lambda x: rest.pop(0)(x))

    found = run()
    with pytest.MonkeyPatch.context() as patch:
        for loop in loops_of(cls):
            patch.setattr(loop, 'kernels', None)
        expected = run()
    for a, b in zip(found, expected, strict=True):
        assert (a.dtype, a.shape, a.strides) == (b.dtype, b.shape, b.strides)
        np.testing.assert_array_equal(a.get(), b.get())


@pytest.mark.parametrize('arrange, axes', [
    (lambda x: x, ''),
    (lambda x: x[:, :1, :1, :1], '_1_axes'),
    (lambda x: x[..., ::2], '_1_axes'),
    (lambda x: x[:, 1:], '_2_axes'),
    (lambda x: x.transpose(2, 3, 0, 1), '_2_axes'),
    (lambda x: x[:, ::-1], '_3_axes'),
    (channels_last, '_3_axes'),
    (lambda x: channels_last(x)[:, :, 1:, 1:], '_4_axes'),
    (lambda x: x[..., None][:, 1:, 1:, 1:], '_4_axes'),
    (lambda x: x.reshape(2, 2, 2, 4, 2, 2)[:, 1:, :1, 1:, :, :1], '_2_axes'),
    (lambda x: x.reshape(2, 2, 2, 2, 2, 4)[:, ::-1, :, ::-1, :, 1:], None)])
def test_axes_of_kernels(device, arrange, axes):
    """Axes are joined; with too many of them CuPy launches its own kernel."""
    from tests.doubles.host_cupy import array, ledger
    x = device.send(np.random.RandomState(0).randn(2, 4, 4, 4).astype('f'))
    x = arrange(x)
    with ledger.record() as counts:
        y = chainer.functions.elu(x)
    np.testing.assert_allclose(
        y.array.get(), chainer.functions.elu(x.get()).array, 1e-5)
    assert y.array.flags.c_contiguous
    if device.xp.ndarray is array.ndarray:
        assert counts.launches == [
            'ELU_of' if axes is None else 'elementwise_ELU_of' + axes]


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
