"""Sums and means on a GPU in two steps."""
import contextlib
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chainer_fast as chainer
import chainer_fast.functions as F
from chainer_fast.backends import cuda
from chainer_fast.backends.kernels import losses, reduction
from chainer_fast.backends.kernels.normalization.axes import kept_shape
from chainer_fast.backends.kernels.reduction import steps
from tests.backends.kernels import forms
from tests.doubles.host_cupy import ledger

pytestmark = pytest.mark.gpu


@contextlib.contextmanager
def all_are_long():
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (
                ('LEAST', 0), ('_FEW', 0), ('_WORTH', 2), ('_BUSY', 1 << 60)):
            patch.setattr(steps, name, value)
        yield


@pytest.fixture
def everything_is_long():
    with all_are_long():
        yield


def blocks(arrays, axis):
    """Blocks, and terms of a thread, of a reduction as CuPy launches it."""
    shape = arrays[0].shape
    kept = [i for i in range(len(shape)) if i not in axis]
    size, results = arrays[0].size, math.prod([shape[i] for i in kept])
    neighbours = 1
    for array in arrays:
        strides = cuda.cupy.broadcast_to(array, shape).strides
        run = 1
        for i in reversed([i for i in kept if shape[i] > 1]):
            if strides[i] != run * array.itemsize:
                break
            run *= shape[i]
        neighbours = max(neighbours, run)
    together = max(min(neighbours, 32), 512 * results // size)
    together = 1 << together.bit_length() - 1
    return -(-results // together), math.ceil(size / results / (512 // together))


# Images, sequences and tables, the axes to sum over, and whether the terms have means
# and deviations of what is kept.
LONG = [
    ((32, 64, 112, 112), (0, 2, 3), True), ((256, 64, 56, 56), (0, 2, 3), False),
    ((256, 512, 7, 7), (0, 2, 3), True), ((65536, 1, 512), (0,), False),
    ((65536, 512), (0,), True), ((10 ** 7,), (0,), False), ((9999991,), (0,), False),
    ((3000, 3333), (0, 1), False), ((1, 32, 8, 256, 256), (2, 3, 4), True),
    ((32, 64, 16001), (0, 2), True), ((2, 3, 1024, 1023), (0, 2, 3), True),
    ((65536, 64, 2, 2), (0, 2, 3), True), ((20, 10 ** 6), (1,), False),
    ((10 ** 6, 3), (0,), False), ((6272, 2048), (0,), False)]


@pytest.mark.parametrize('shape, axis, statistics', LONG)
def test_blocks_are_many_and_threads_have_few_terms(device, shape, axis, statistics):
    args = [cuda.cupy.empty(shape, 'f')]
    if statistics:
        args.append(cuda.cupy.empty(kept_shape(shape, axis), 'f'))
    parted = steps.split(args, axis)
    for (pieces, _), many in zip(parted.pieces, (True, False), strict=False):
        count, terms = blocks(pieces, parted.first)
        assert terms <= 64
        assert count >= 128 or not many
    assert blocks([cuda.cupy.empty(parted.shape, 'f')], parted.second)[1] <= 64
    assert math.prod(parted.shape) <= args[0].size / 16


@pytest.mark.parametrize('shape, axis', [
    ((32, 256, 14, 14), (0, 2, 3)), ((4096, 4096), (1,)), ((1000, 64), (0,)),
    ((1024, 50000), (0,)), ((32, 1000), (0, 1)), ((0, 10 ** 6), (1,)),
    ((10 ** 6, 0), (1,))])
def test_one_step_is_enough(device, shape, axis):
    assert steps.split([cuda.cupy.empty(shape, 'f')], axis) is None


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_each_term_is_summed_once(data):
    shape = data.draw(st.lists(st.integers(1, 9), min_size=1, max_size=4))
    axis = sorted(data.draw(st.sets(st.integers(0, len(shape) - 1), min_size=1)))
    order = data.draw(st.permutations(range(len(shape))))
    x = np.random.RandomState(0).randint(0, 99, shape).astype('d')
    lengths = [data.draw(st.sampled_from([1, n])) for n in shape]
    factors = np.random.RandomState(1).randint(0, 99, lengths).astype('d')
    sent = cuda.cupy.asarray(x.transpose(order).copy()).transpose(np.argsort(order))
    with all_are_long():
        parted = steps.split([sent, cuda.cupy.asarray(factors), 7], axis)
    sums = cuda.cupy.empty(parted.shape, 'd')
    for (piece, some, seven), at in parted.pieces:
        assert seven == 7
        sums[at] = (piece * some).sum(axis=parted.first)
    np.testing.assert_array_equal(
        sums.sum(axis=parted.second).get(), (x * factors).sum(axis=tuple(axis)))


@pytest.mark.parametrize('dtype', 'efd')
@pytest.mark.parametrize('shape, axis', [
    ((3, 4, 5, 7), (0, 2, 3)), ((40, 3), 0), ((4, 50), (-1,)), ((13, 5, 2), (1, 0))])
@pytest.mark.parametrize('keepdims', [False, True])
def test_sums(device, everything_is_long, shape, axis, dtype, keepdims):
    x = np.random.RandomState(0).uniform(-1, 1, shape).astype(dtype)
    for each in map(device.send, forms.layouts(x)):
        for kind in None, 'd':
            y, count = launched(lambda sent=each, kind=kind: reduction.total(
                sent, axis, keepdims, kind))
            assert count in (2, 3)
            forms.assert_close(y, reduction.total(x, axis, keepdims, kind))


def test_sums_that_are_left_to_cupy(device, everything_is_long):
    x = cuda.cupy.ones((30, 40), 'f')
    for args in (x, None), (x, (0, 1)), (x.astype('i'), 0):
        assert launched(lambda args=args: reduction.total(*args))[1] == 1
    with pytest.raises(ValueError):
        reduction.total(x, (1, -1))


@pytest.mark.parametrize('dtype', 'efd')
@pytest.mark.parametrize('shape', [(70,), (7, 11), (3, 1, 50)])
def test_means(device, everything_is_long, shape, dtype):
    rng = np.random.RandomState(0)
    a, b = [rng.uniform(-1, 1, shape).astype(dtype) for _ in range(2)]
    t = rng.randint(-1, 2, shape)
    for x in forms.layouts(a):
        forms.check(losses.squared_error, x, b)
        for n in None, 9:
            expected, _ = losses.sigmoid_mean.reference(x, t, -1, n)
            found, _ = losses.sigmoid_mean.device(
                *map(cuda.cupy.asarray, (x, t)), -1, n)
            forms.assert_close(found, expected)


def launched(function):
    function()      # compiles
    with ledger.record() as record:
        y = function()
    return y, len(record.launches)


def test_launches(device):
    rng = np.random.RandomState(0)
    x, gy = [rng.uniform(-1, 1, (4096, 33)).astype('f') for _ in range(2)]
    sent, g = [cuda.cupy.asarray(each) for each in (x, gy)]
    y, count = launched(lambda: F.sum(chainer.Variable(sent), axis=0))
    assert count == 2
    np.testing.assert_allclose(y.array.get(), x.sum(0), 1e-5, 1e-4)
    # An odd number of rows leaves a part that is shorter.
    y, count = launched(lambda: F.sum(sent[:4095], axis=0, keepdims=True))
    assert count == 3
    np.testing.assert_allclose(y.array.get(), x[:4095].sum(0)[None], 1e-5, 1e-4)
    y, count = launched(lambda: F.sum_to(sent, (1, 33)))
    assert count == 2
    np.testing.assert_allclose(y.array.get(), x.sum(0)[None], 1e-5, 1e-4)
    y, count = launched(lambda: F.mean_squared_error(sent, g))
    assert count == 2
    np.testing.assert_allclose(y.array.get(), ((x - gy) ** 2).mean(), 1e-5)


@pytest.mark.parametrize('function, shapes, axis', [
    (F.convolution_2d, [(5, 3, 40, 40), (4, 3, 1, 1), (4,)], (0, 2, 3)),
    (F.linear, [(6144, 2), (40, 2), (40,)], 0)])
def test_gradients_of_biases(device, function, shapes, axis):
    x, W, b = [chainer.Variable(cuda.cupy.ones(shape, 'f')) for shape in shapes]
    y = function(x, W, b)
    gy = np.random.RandomState(0).uniform(-1, 1, y.shape).astype('f')
    y.grad = cuda.cupy.asarray(gy)
    with ledger.record() as record:
        y.backward()
    assert record.launches.count('sum') == 2
    np.testing.assert_allclose(b.grad.get(), gy.sum(axis), 1e-5, 1e-4)
