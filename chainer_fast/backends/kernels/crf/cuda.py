"""Conditional random fields on a GPU: a launch or two for each time of all chains.

:mod:`chainer_fast.backends.kernels.crf` documents the kernels.
"""
from __future__ import annotations

import typing as tp

from chainer_fast.backends import cuda
from chainer_fast.backends._cuda_kernel import header
from chainer_fast.backends.kernels.softmax.cuda import exponentials
from chainer_fast.types import NdArray

_PREAMBLE = header('chainer_fast/backends/kernels/common/labels.hpp')
_LOG_SUM = '(log(a.total) + a.top)'


def _log_sums(in_params, out_params, term, post_map, name):
    return exponentials(
        in_params, out_params, term, post_map.replace('log_sum', _LOG_SUM), name,
        'double')


def _starts(sizes):
    """Return the first row of each time, and its number of chains at the next."""
    start = 0
    for size, following in zip(sizes, [*sizes[1:], 0], strict=True):
        yield start, size, following
        start += size


def forth(
        x: NdArray, cost: NdArray, sizes: tp.Sequence[int]) -> tuple[NdArray, NdArray]:
    if x.dtype.char not in 'fd' or cost.dtype != x.dtype:
        return NotImplemented
    before = cuda.cupy.empty(x.shape, 'd')
    totals = cuda.cupy.empty(sizes[0], 'd')
    before[:sizes[0]] = x[:sizes[0]]
    step = _log_sums(
        'T cost, float64 last, raw T x', 'float64 row', 'last + cost',
        'row = log_sum + x[_i]', 'crf_forth')
    ends = _log_sums('float64 row, int32 unused', 'float64 total', 'row',
                     'total = log_sum', 'crf_totals')
    row = before[:sizes[0]]
    for start, size, following in _starts(sizes):
        if start and size:
            last, row = row[:size], before[start:start + size]
            # The labels that are summed over come first.
            step(cost[:, None], last.T[:, :, None], x[start:start + size], row, axis=0)
        if following < size:
            ends(row[following:], 0, totals[following:size], axis=1)
    return before, totals


def back(
        x: NdArray, cost: NdArray, sizes: tp.Sequence[int], before: NdArray,
        totals: NdArray, g: NdArray) -> tuple[NdArray, NdArray]:
    if x.dtype.char not in 'fd' or cost.dtype != x.dtype:
        return NotImplemented
    gx = cuda.cupy.empty(x.shape, x.dtype)
    gcost = cuda.cupy.zeros(cost.shape, 'd')
    labels = x.shape[1]
    step = _log_sums(
        'T cost, float64 ahead, raw T x, raw float64 here, raw float64 totals, '
        'raw float64 g, int32 labels', 'T gx, float64 row', 'cost + ahead',
        'row = log_sum + x[_i], '
        'gx = exp(here[_i] + log_sum - totals[_i / labels]) * g[_i / labels]',
        'crf_back')
    last_step = cuda.elementwise(
        'T x, float64 here, float64 total, float64 g', 'T gx, float64 row',
        'row = x; gx = exp(here - total) * g', 'crf_back_from_end')
    pairs = cuda.reduce(
        'T cost, float64 here, float64 ahead, float64 total, float64 g',
        'float64 gcost', 'exp(here + cost + ahead - total) * g', 'a + b',
        'gcost = gcost + a', '0', 'crf_pairs')
    # All paths from a label to the end, with the scores of both.
    ahead = before[:0]
    for start, size, n in reversed(list(_starts(sizes))):
        rows = slice(start, start + size)
        here, row = before[rows], cuda.cupy.empty((size, labels), 'd')
        if n:
            step(cost.T[:, None], ahead.T[:, :, None], x[rows], here, totals, g, labels,
                 gx[rows][:n], row[:n], axis=0)
            pairs(cost, here[:n, :, None], ahead[:, None], totals[:n, None, None],
                  g[:n, None, None], gcost, axis=0)
        if n < size:
            last_step(x[rows][n:], here[n:], totals[n:size, None], g[n:size, None],
                      gx[rows][n:], row[n:])
        ahead = row
    return gx, gcost.astype(x.dtype, copy=False)


def path_scores(
        cost: NdArray, xs: tp.Sequence[NdArray], ys: tp.Sequence[NdArray]) -> NdArray:
    scores = cuda.cupy.empty(len(xs[0]), 'd')
    last = ys[0]
    for t, (x, y) in enumerate(zip(xs, ys, strict=False)):
        cuda.elementwise(
            'L y, raw M last, raw X x, raw T cost, int64 labels, int32 t',
            'float64 score', '''
                const ptrdiff_t label = chainer_fast::class_of(y, labels);
                double sum = x[i * labels + label];
                if (t)
                    sum += score + double(cost[
                        chainer_fast::class_of(last[i], labels) * labels + label]);
                score = sum;
            ''', 'crf_path_scores', preamble=_PREAMBLE)(
                y, last, x, cost, len(cost), t, scores[:len(y)])
        last = y
    return scores


def subtract_paths(
        gx: NdArray, gcost: NdArray, ys: tp.Sequence[NdArray], g: NdArray) -> None:
    last, start = ys[0], 0
    for t, y in enumerate(ys):
        cuda.elementwise(
            'L y, raw M last, G g, int64 labels, int32 t', 'raw T gx, raw T gcost', '''
                const ptrdiff_t label = chainer_fast::class_of(y, labels);
                gx[i * labels + label] -= T(g);
                if (t)
                    atomicAdd(&gcost[chainer_fast::class_of(last[i], labels) * labels
                                     + label], T(-g));
            ''', 'crf_subtract_paths', preamble=_PREAMBLE)(
                y, last, g[:len(y)], len(gcost), t, gx[start:start + len(y)], gcost)
        last = y
        start += len(y)
