"""Compiled forms of recurrent kernels beside their references."""
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import chainer_fast
from chainer_fast._cpu import shared
from chainer_fast.backends import cuda
from chainer_fast.backends.kernels import recurrent
from tests import devices
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


def in_rows(x):
    """Tell whether strides fall from axis to axis, with gaps or without."""
    strides = [step for step, n in zip(x.strides, x.shape, strict=True) if n > 1]
    return strides == sorted(strides, reverse=True)


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
    assert ran == (tail != (2,) and all(map(in_rows, args)))

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


MODES = {'lstm': 4, 'gru': 3, 'rnn_tanh': 1, 'rnn_relu': 1}

with_vectors = pytest.mark.skipif(
    shared.level() == 'base', reason='without vectors, there are no layers')


@with_vectors
@settings(max_examples=30, deadline=None)
@given(st.data(), st.sampled_from(sorted(MODES)), st.sampled_from([4, 16, 17, 40, 128]),
       st.sampled_from([1, 16, 50, 131, 300]), seeds, st.booleans(),
       st.lists(st.integers(1, 21), min_size=1, max_size=20))
def test_layer(data, mode, n, m, seed, reverse, sizes):
    count, sizes = MODES[mode], tuple(sorted(sizes, reverse=True))
    # Sometimes sums over more rows than a block of them has.
    sizes = sizes[:1] * data.draw(st.sampled_from([0, 30])) + sizes
    steps, shape = sum(sizes), (sizes[0] + data.draw(st.integers(0, 2)), n)
    cells = shape if mode == 'lstm' else None
    joined = data.draw(st.booleans())
    many = [(count * n,)] if joined else [(n,)] * count
    x, hx, cx, gys, ghy, gcy, *weights = arrays(
        seed, 'f', (steps, m), shape, cells, (steps, n), shape, cells,
        *[(*rows, m) for rows in many], *[(*rows, n) for rows in many], *many, *many)
    weights = [w / np.float32(2 * w.shape[-1] ** .5) for w in weights]
    half = len(weights) // 2
    ws, bs = weights[:half], weights[half:]
    ws[0], hx, gys = [in_other_order(data.draw, each) for each in (ws[0], hx, gys)]
    rest = sizes, mode, reverse

    args = x, ws, bs, hx, cx, *rest
    *expected, plain_trace = recurrent.layer.reference(*args)
    *states, trace = recurrent.layer.compiled(*args)
    assert_close(states, expected, 'f')
    if mode == 'rnn_relu':
        # A unit that is rounded to the other side of zero has another gradient.
        assume((states[0] > 0).tolist() == (expected[0] > 0).tolist())
    wants_gx = data.draw(st.booleans())
    expected = recurrent.layer_grad.reference(
        gys, plain_trace, x, ghy, gcy, *rest, wants_gx)
    gradients = recurrent.layer_grad.compiled(gys, trace, x, ghy, gcy, *rest, wants_gx)
    scaled = [None if g is None else g / abs(g).max() for g in flat(expected)]
    assert_close(
        [None if g is None else g / abs(other).max()
         for g, other in zip(flat(gradients), flat(expected), strict=True)],
        scaled, 'f')
    # The trace serves another time.
    again = recurrent.layer_grad.compiled(gys, trace, x, ghy, gcy, *rest, wants_gx)
    for g, other in zip(flat(again), flat(gradients), strict=True):
        np.testing.assert_array_equal(g, other)


def large_layer(seed):
    x, hx, cx, *weights = arrays(
        seed, 'f', (40 * 20, 30), (20, 33), (20, 33), *[(33, 30)] * 4, *[(33, 33)] * 4,
        *[(33,)] * 8)
    return x, weights[:8], weights[8:], hx, cx, (20,) * 40, 'lstm', False


def test_layers_are_left_to_the_reference_without_vectors():
    result = recurrent.layer.compiled(*large_layer(0))
    assert (result is NotImplemented) == (shared.level() == 'base')


@pytest.mark.parametrize('dtype', [np.float32, np.float64])
def test_cells_do_not_depend_on_the_number_of_threads(dtype):
    # Two of the samples of one memory have no gates.
    cells, gates, gh = arrays(0, dtype, (67, 301), (65, 4 * 301), (65, 301))
    x, tree = arrays(1, dtype, (67, 4 * 301), (67, 5 * 301))
    results = []
    for threads in 1, 2, 3:
        with chainer_fast.using_config('num_threads', threads):
            c, h = recurrent.lstm.compiled(cells, gates)
            both = recurrent.slstm.compiled(cells, c, x, -x)
            of_tree = recurrent.tree_lstm.compiled(tree, cells, c)
            results.append([
                c, h, *recurrent.lstm_grad.compiled(cells, gates, c, None, gh),
                *both, *recurrent.slstm_grad.compiled(cells, c, x, -x, *both, cells),
                *of_tree, *recurrent.tree_lstm_grad.compiled(
                    *of_tree[:2], None, cells, cells, c)])
    for other in results[1:]:
        for y, expected in zip(other, results[0], strict=True):
            np.testing.assert_array_equal(y, expected)


@with_vectors
def test_layer_does_not_depend_on_the_number_of_threads():
    args = large_layer(0)
    results = []
    for threads in 1, 2, 3:
        with chainer_fast.using_config('num_threads', threads):
            ys, hy, cy, trace = recurrent.layer.compiled(*args)
            results.append([ys, hy, cy, *flat(recurrent.layer_grad.compiled(
                ys, trace, args[0], hy, cy, *args[5:], True))])
    for other in results[1:]:
        for y, expected in zip(other, results[0], strict=True):
            np.testing.assert_array_equal(y, expected)


@with_vectors
def test_memory_of_results_is_not_used_again_while_a_part_is_alive():
    x, hx, cx, *weights = arrays(
        0, 'f', (600, 8), (30, 64), (30, 64), *[(64, 8)] * 4, *[(64, 64)] * 4,
        *[(64,)] * 8)
    rest = weights[:8], weights[8:], hx, cx, (30,) * 20, 'lstm', False
    ys = recurrent.layer.compiled(x, *rest)[0]
    view, expected, address = ys[3:5], ys[3:5].copy(), ys.ctypes.data
    del ys
    assert recurrent.layer.compiled(2 * x, *rest)[0].ctypes.data != address
    np.testing.assert_array_equal(view, expected)


@with_vectors
def test_layer_keeps_its_weights_for_the_gradient():
    args = large_layer(0)
    ys, hy, cy, trace = recurrent.layer.compiled(*args)
    rest = args[0], hy, cy, *args[5:], True
    expected = recurrent.layer_grad.compiled(ys, trace, *rest)
    for w in args[1]:
        w[...] = 0
    for g, other in zip(
            flat(recurrent.layer_grad.compiled(ys, trace, *rest)), flat(expected),
            strict=True):
        np.testing.assert_array_equal(g, other)


@pytest.mark.parametrize('change', [
    lambda x, ws, bs, hx, cx: (x.astype('d'), ws, bs, hx, cx),
    lambda x, ws, bs, hx, cx: (x, [ws[0].astype('d'), *ws[1:]], bs, hx, cx),
    lambda x, ws, bs, hx, cx: (x, ws, [bs[0][:-1], *bs[1:]], hx, cx),
    lambda x, ws, bs, hx, cx: (x, ws, bs, hx.astype('d'), cx),
    lambda x, ws, bs, hx, cx: (x, ws, bs, hx, cx[:-1]),
    lambda x, ws, bs, hx, cx: (x[:-1], ws, bs, hx, cx),
    lambda x, ws, bs, hx, cx: (
        x, [w[:3, :3] for w in ws], [b[:3] for b in bs], hx[:, :3], cx[:, :3])])
def test_layers_of_other_arrays_are_left_to_the_reference(change):
    *values, sizes, mode, reverse = large_layer(0)
    assert recurrent.layer.compiled(
        *change(*values), sizes, mode, reverse) is NotImplemented


@with_vectors
def test_gradients_of_other_dtypes_are_converted():
    args = large_layer(0)
    ys, hy, cy, trace = recurrent.layer.compiled(*args)
    rest = args[0], hy, cy, *args[5:], True
    expected = flat(recurrent.layer_grad.compiled(ys, trace, *rest))
    for g, other in zip(
            flat(recurrent.layer_grad.compiled(ys.astype('d'), trace, *rest)), expected,
            strict=True):
        assert g.dtype == 'f'
        np.testing.assert_array_equal(g, other)
    with pytest.raises(ValueError, match='must have that shape'):
        recurrent.layer_grad.compiled(ys[1:], trace, *rest)


@with_vectors
def test_layer_warns_as_numpy_does():
    x, *rest = large_layer(0)
    x[3, 5:] = np.inf
    # Products do not warn, whichever thread computes them.
    for _ in range(20):
        ys, hy, cy, trace = recurrent.layer.compiled(x, *rest)
    assert np.isnan(ys).any()
    infinite = np.full_like(hy, np.inf)
    for threads in 1, 2:
        with (chainer_fast.using_config('num_threads', threads),
              pytest.warns(RuntimeWarning, match='invalid')):
            recurrent.layer_grad.compiled(
                np.ones_like(ys), trace, x, infinite, -infinite, *rest[4:], True)


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


@pytest.mark.gpu
@pytest.mark.parametrize('dtype', 'fd')
@pytest.mark.parametrize('reverse', [False, True])
@pytest.mark.parametrize('joined', [False, True])
@pytest.mark.parametrize(
    ('mode', 'count'), [('lstm', 4), ('gru', 3), ('rnn_tanh', 1), ('rnn_relu', 1)])
def test_layer_on_gpu(mode, count, joined, reverse, dtype):
    sizes, n, m = (3, 2, 2, 0), 5, 2
    parts, rows = (1, count * n) if joined else (count, n)
    x, hx, cx, gys, *rest = arrays(
        0, dtype, (7, m), (4, n), (4, n) if mode == 'lstm' else None, (7, n),
        *[(rows, m)] * parts, *[(rows, n)] * parts, *[(rows,)] * 2 * parts)
    ws, bs = rest[:2 * parts], rest[2 * parts:]
    ws[0], hx = laid_out(ws[0]), laid_out(hx)
    *_, trace = forms.check(recurrent.layer, x, ws, bs, hx, cx, sizes, mode, reverse)
    sent = devices.Device('@cupy:0').send([gys, trace, x, hx, cx])
    expected = recurrent.layer_grad.reference(
        gys, trace, x, hx, cx, sizes, mode, reverse, True)
    found = recurrent.layer_grad(*sent, sizes, mode, reverse, True)
    for y, wanted in zip(forms.flat(found), forms.flat(expected), strict=True):
        assert (y is None) == (wanted is None)
        if wanted is not None:
            forms.assert_close(y, wanted)


@pytest.mark.gpu
def test_layers_of_several_dtypes_are_left_to_the_reference():
    x, w, b = [cuda.cupy.zeros(shape, 'f') for shape in ((2, 3), (3, 3), (3,))]
    args = (2,), 'rnn_tanh', False
    assert recurrent.layer.device(
        x, [w, w], [b, b.astype('d')], x, None, *args) is NotImplemented


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
