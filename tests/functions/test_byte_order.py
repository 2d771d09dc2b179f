"""Arrays as files have them: with bytes in another order, and at odd addresses."""
import numpy as np
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
import chainer_fast.links as L
from chainer_fast.nnabla.backward_functions import registry
from chainer_fast.utils import type_check
from tests.functions.forms import flat, moved, swapped
from tests.nnabla.cases import CASES, SINGLE


def _results(call, arrays, double):
    """Return results and gradients, and the gradients of these."""
    np.random.seed(0)
    xs = [chainer.Variable(a) for a in arrays]
    ys = [y for y in flat(call(*xs)) if isinstance(y, chainer.Variable)]
    ys = [y for y in ys if y.dtype.kind == 'f']
    found, reached = [y.array for y in ys], [y for y in ys if y.creator is not None]
    if not reached:
        return found
    gys = [chainer.Variable(np.cos(np.arange(y.size)).astype(y.dtype).reshape(
        y.shape)) for y in reached]
    gxs = chainer.grad(reached, xs, gys, enable_double_backprop=double)
    gxs = [g for g in gxs if g is not None]
    found += [g.array for g in gxs]
    gxs = [g for g in gxs if g.creator is not None]
    if double and gxs:
        found += [g.array for g in chainer.grad(gxs, xs) if g is not None]
    return found


@pytest.mark.parametrize('form', [swapped, moved])
@pytest.mark.parametrize('name', sorted(set(CASES) - SINGLE - {
    'as_strided',       # places in memory must be whole elements from its beginning
    'argmax_crf1d'}))   # a variable among what it returns, and arrays
@pytest.mark.filterwarnings('ignore::DeprecationWarning')
def test_results_and_gradients(name, form):
    call, arrays = CASES[name]
    double = registry[name][0] > 1
    for dtype in 'def':
        native = [np.asarray(a).astype(dtype) for a in arrays]
        try:
            expected = _results(call, native, double)
        except (type_check.InvalidType, TypeError):
            # The case has arrays of its own that are of doubles, or NumPy no halves.
            assert dtype != 'd'
            continue
        places = range(len(arrays)) if len(arrays) < 4 else [0, len(arrays) - 1]
        for some in [{i} for i in places] + [set(range(len(arrays)))]:
            given = [form(a) if i in some else a for i, a in enumerate(native)]
            found = _results(call, given, double)
            assert len(found) == len(expected)
            for a, b in zip(found, expected, strict=True):
                assert a.dtype.char == b.dtype.char
                tolerance = 2e-2 if dtype == 'e' else 1e-4
                np.testing.assert_allclose(a, b, tolerance, tolerance)


@pytest.mark.parametrize('form', [swapped, moved])
@pytest.mark.parametrize('call', [
    lambda x, t: F.softmax_cross_entropy(x, t), lambda x, t: F.select_item(x, t),
    lambda x, t: F.embed_id(t, x), lambda x, t: F.hinge(x, t),
    lambda x, t: F.accuracy(x, t), lambda x, t: F.crf1d(
        x[:3], [x[:2], x[:2]], [t[:2], t[:2]]),
    lambda x, t: F.negative_sampling(x, t, x, lambda s: np.zeros(s, 'i'), 2),
    lambda x, t: F.black_out(x, t, x, t[None].repeat(4, 0)),
    lambda x, t: F.get_item(x, t), lambda x, t: F.permutate(x, t, axis=0)])
def test_labels(call, form):
    x = np.random.RandomState(0).rand(4, 3).astype('f')
    t = np.array([1, 0, 2, 1], 'i')
    if call(x, np.arange(3, dtype='i')[[1, 0, 2, 2]]) is None:
        pytest.fail('no result')
    expected = call(x, t).array
    np.testing.assert_allclose(call(x, form(t)).array, expected, 1e-6)
    np.testing.assert_allclose(call(form(x), form(t)).array, expected, 1e-6)


@pytest.mark.parametrize('function', [
    F.relu, lambda x: F.max_pooling_2d(x, 2), lambda x: F.average_pooling_2d(x, 2),
    lambda x: F.spatial_pyramid_pooling_2d(x, 2, 'max'),
    F.local_response_normalization])
@pytest.mark.parametrize('dtype', ['>f2', '>f4', '>f8'])
def test_backward_of_images(function, dtype):
    image = np.random.RandomState(0).rand(2, 3, 8, 8).astype(dtype)
    grads = []
    for array in image, image.astype(image.dtype.newbyteorder('=')):
        x = chainer.Variable(array)
        y = function(x)
        y.grad = np.ones_like(y.array)
        y.backward()
        grads.append(x.grad)
    np.testing.assert_allclose(*grads, 1e-2)


def test_parameters_and_gradients():
    model = L.Linear(3, 2)
    model.W.array = swapped(model.W.array)
    optimizer = chainer.optimizers.Adam().setup(model)
    before = model.W.array.astype('f')
    x = np.ones((4, 3), '>f4')
    model.cleargrads()
    F.sum(model(x)).backward()
    optimizer.update()
    assert (model.W.array != before).all()
    assert np.isfinite(model.W.array).all()
    model.W.grad = np.ones((2, 3), 'f')     # of another order than the data
    optimizer.update()


def test_other_types_are_still_refused():
    with pytest.raises(type_check.InvalidType):
        F.add(np.ones(3, '>f4'), chainer.Variable(np.ones(3))) + chainer.Variable(
            np.ones(3, '>f4'))
    x = chainer.Variable(np.ones(3, '>f4'))
    with pytest.raises(TypeError, match='Dtype of data and grad mismatch'):
        x.grad = np.ones(3)


@pytest.mark.parametrize('dtype', ['<f2', '>f2'])
def test_sums_of_broadcast_halves_do_not_stop_to_grow(dtype):
    """Halves above 2048 have no room for a one."""
    x = chainer.Variable(np.zeros((1, 3), dtype))
    y = F.broadcast_to(x, (5000, 3))
    y.grad = np.ones((5000, 3), dtype)
    y.backward()
    np.testing.assert_array_equal(x.grad, 5000)
