"""Compiled forms of recurrent kernels beside their references."""
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chainer_fast.backends import cuda
from chainer_fast.backends.kernels import recurrent
from tests.backends.kernels import forms

TOLERANCE = {'f': 2e-5, 'd': 1e-12}
dtypes = st.sampled_from('fd')
lengths = st.integers(1, 5)
widths = st.one_of(st.integers(1, 9), st.integers(250, 520))
seeds = st.integers(0, 999)


def arrays(seed, dtype, *shapes):
    random = np.random.RandomState(seed)
    return [None if shape is None else random.uniform(-2, 2, shape).astype(dtype)
            for shape in shapes]


def in_other_order(draw, array):
    """The same values, sometimes with gaps in memory or in Fortran's order."""
    order = draw(st.sampled_from(['same', 'gaps', 'turned']))
    if array is None or order == 'same':
        return array
    if order == 'turned':
        return np.asfortranarray(array)
    return np.repeat(array, 2, axis=-1)[..., ::2]


def flat(results):
    for each in results:
        if isinstance(each, tuple):
            yield from flat(each)
        else:
            yield each


def check(kernel, dtype, make_args):
    """Compare all results, of arguments made anew for each form."""
    expected = kernel.reference(*make_args())
    args = make_args()
    compiled = kernel.compiled(*args)
    results = kernel(*make_args()) if compiled is NotImplemented else compiled
    assert_close(results, expected, dtype)
    return compiled is not NotImplemented


def assert_close(results, expected, dtype):
    for y, other in zip(flat(results), flat(expected), strict=True):
        assert (y is None) == (other is None)
        if y is not None:
            assert y.dtype == dtype and y.shape == other.shape
            np.testing.assert_allclose(y, other, TOLERANCE[dtype], TOLERANCE[dtype])


def optional(draw, shape):
    return shape if draw(st.booleans()) else None


@settings(max_examples=60, deadline=None)
@given(st.data(), dtypes, lengths, widths, seeds)
def test_lstm(data, dtype, batch, n, seed):
    samples = data.draw(st.integers(1, batch))
    tail = data.draw(st.sampled_from([(), (1,), (2,)]))
    shapes = [(batch, n, *tail), (samples, 4 * n, *tail)]
    args = [in_other_order(data.draw, x) for x in arrays(seed, dtype, *shapes)]
    ran = check(recurrent.lstm, dtype, lambda: args)
    assert ran == (tail != (2,) and all(x.flags.c_contiguous for x in args))

    shapes += [shapes[0], optional(data.draw, shapes[0]),
               optional(data.draw, (samples, n, *tail))]
    args = arrays(seed, dtype, *shapes)
    args[2:] = [in_other_order(data.draw, x) for x in args[2:]]
    assert check(recurrent.lstm_grad, dtype, lambda: args) == (tail != (2,))


@settings(max_examples=40, deadline=None)
@given(st.data(), dtypes, lengths, widths, seeds)
def test_slstm(data, dtype, batch, n, seed):
    shape, x_shape = (batch, n), (batch, 4 * n)
    args = arrays(seed, dtype, shape, shape, x_shape, x_shape)
    assert check(recurrent.slstm, dtype, lambda: args)
    args += arrays(seed + 1, dtype, shape, optional(data.draw, shape),
                   optional(data.draw, shape))
    args[4:] = [in_other_order(data.draw, x) for x in args[4:]]
    assert check(recurrent.slstm_grad, dtype, lambda: args)


@settings(max_examples=40, deadline=None)
@given(st.data(), dtypes, lengths, widths, seeds, st.integers(1, 18))
def test_tree_lstm(data, dtype, batch, n, seed, children):
    shape = (batch, n)
    x, *cs = arrays(seed, dtype, (batch, (3 + children) * n), *[shape] * children)
    assert check(recurrent.tree_lstm, dtype, lambda: (x, *cs)) == (children <= 16)
    gates, c, _ = recurrent.tree_lstm(x, *cs)
    gc, gh = [in_other_order(data.draw, g) for g in arrays(
        seed + 1, dtype, optional(data.draw, shape), optional(data.draw, shape))]
    assert check(recurrent.tree_lstm_grad, dtype, lambda: (gates, c, gc, gh, *cs)) == (
        children <= 16)


@settings(max_examples=120, deadline=None)
@given(st.data(), dtypes, st.sampled_from([('lstm', 4), ('gru', 3), ('rnn_tanh', 1),
                                           ('rnn_relu', 1)]), widths, seeds,
       st.booleans(), st.lists(st.integers(0, 6), min_size=1, max_size=5))
def test_scan(data, dtype, mode, n, seed, reverse, sizes):
    mode, count = mode
    sizes = tuple(sorted(sizes, reverse=True))
    if sum(sizes) == 0:
        sizes = (1,)
    batch = sizes[0] + data.draw(st.integers(0, 2))
    has_cells = mode == 'lstm'
    shape = (batch, n)
    gates, weight, bias, hx, cx = arrays(
        seed, dtype, (sum(sizes), count * n), (count * n, n),
        (n,) if mode == 'gru' else None, shape, shape if has_cells else None)
    weight /= n ** .5
    hx, cx = in_other_order(data.draw, hx), in_other_order(data.draw, cx)
    rest = sizes, mode, reverse
    # The gates are overwritten.
    assert check(recurrent.scan, dtype, lambda: (
        gates.copy(), weight, bias, hx, cx, *rest))

    *_, trace = recurrent.scan(gates.copy(), weight, bias, hx, cx, *rest)
    gys, ghy, gcy = arrays(
        seed + 1, dtype, (sum(sizes), n), shape, shape if has_cells else None)
    ghy, gcy = in_other_order(data.draw, ghy), in_other_order(data.draw, gcy)
    kept = [array.copy() for array in (gys, *trace)]
    assert check(recurrent.scan_grad, dtype, lambda: (
        gys, trace, weight, ghy, gcy, *rest))
    for array, before in zip((gys, *trace), kept, strict=True):
        np.testing.assert_array_equal(array, before)


def laid_out(x):
    """The same values in Fortran's order."""
    return None if x is None else np.asfortranarray(x)


@pytest.mark.gpu
@pytest.mark.parametrize('dtype', 'efd')
@pytest.mark.parametrize(('samples', 'tail', 'given'), [
    (3, (), (True, True)), (2, (2,), (True, False)), (1, (), (False, True))])
def test_lstm_on_gpu(dtype, samples, tail, given):
    shape, h_shape = (3, 4, *tail), (samples, 4, *tail)
    args = arrays(
        0, dtype, shape, (samples, 16, *tail), shape, shape if given[0] else None,
        h_shape if given[1] else None)
    for layout in laid_out, lambda x: x:
        args = [layout(x) for x in args]
        forms.check(recurrent.lstm, *args[:2])
        forms.check(recurrent.lstm_grad, *args)


@pytest.mark.gpu
@pytest.mark.parametrize('dtype', 'efd')
def test_slstm_on_gpu(dtype):
    shape, x_shape = (3, 4), (3, 16)
    args = arrays(0, dtype, shape, shape, x_shape, x_shape)
    forms.check(recurrent.slstm, *args)
    for gradients in (shape, None), (None, shape), (shape, shape):
        args[4:] = arrays(1, dtype, shape, *gradients)
        forms.check(recurrent.slstm_grad, *map(laid_out, args))


@pytest.mark.gpu
@pytest.mark.parametrize('dtype', 'efd')
@pytest.mark.parametrize('children', [1, 3])
def test_tree_lstm_on_gpu(children, dtype):
    shape = 5, 4
    x, *cs = arrays(0, dtype, (5, (3 + children) * 4), *[shape] * children)
    gates, c, _ = forms.check(recurrent.tree_lstm, laid_out(x), *cs)
    for gradients in (shape, None), (None, shape), (shape, shape):
        forms.check(
            recurrent.tree_lstm_grad, gates, c, *arrays(1, dtype, *gradients), *cs)


@pytest.mark.gpu
def test_trees_of_many_children_are_left_to_the_reference():
    c = cuda.cupy.zeros((1, 2), 'f')
    x = cuda.cupy.zeros((1, 40), 'f')
    assert recurrent.tree_lstm.device(x, *[c] * 17) is NotImplemented
    assert [y.shape for y in recurrent.tree_lstm(x, *[c] * 17)] == [
        (1, 40), (1, 2), (1, 2)]
    assert recurrent.tree_lstm_grad.device(x, c, c, c, *[c] * 17) is NotImplemented


@pytest.mark.gpu
@pytest.mark.parametrize('dtype', 'fd')
@pytest.mark.parametrize('reverse', [False, True])
@pytest.mark.parametrize(
    ('mode', 'count'), [('lstm', 4), ('gru', 3), ('rnn_tanh', 1), ('rnn_relu', 1)])
def test_scan_on_gpu(mode, count, reverse, dtype):
    sizes, shape = (3, 2, 2, 0), (4, 5)
    cells = shape if mode == 'lstm' else None
    gates, weight, bias, hx, cx, gys, ghy, gcy = arrays(
        0, dtype, (7, 5 * count), (5 * count, 5), (5,) if mode == 'gru' else None,
        shape, cells, (7, 5), shape, cells)
    rest = sizes, mode, reverse
    *_, trace = forms.check(
        recurrent.scan, gates, weight, bias, hx, laid_out(cx), *rest, changed=1)
    forms.check(
        recurrent.scan_grad, laid_out(gys), trace, laid_out(weight), ghy,
        laid_out(gcy), *rest)


def test_other_dtypes_are_left_to_the_reference():
    for dtype in ('e', '>f'):
        c, x = arrays(0, dtype, (2, 3), (2, 12))
        assert recurrent.lstm.compiled(c, x) is NotImplemented
        assert recurrent.slstm.compiled(c, c, x, x) is NotImplemented
        assert recurrent.tree_lstm.compiled(x, c) is NotImplemented
        assert recurrent.scan.compiled(
            x, arrays(0, dtype, (12, 3))[0], None, c, c, (2,), 'lstm', False
        ) is NotImplemented


def test_warnings_are_those_of_numpy():
    c, x = arrays(0, 'f', (2, 3), (2, 12))
    infinite = np.full_like(c, np.inf)
    with pytest.warns(RuntimeWarning, match='invalid'):
        recurrent.lstm_grad(c, x, c, infinite, -infinite)
    weight, = arrays(0, 'f', (12, 3))
    *_, trace = recurrent.scan(x.copy(), weight, None, c, c, (2,), 'lstm', False)
    with pytest.warns(RuntimeWarning, match='invalid'):
        recurrent.scan_grad(c, trace, weight, infinite, -infinite, (2,), 'lstm', False)
