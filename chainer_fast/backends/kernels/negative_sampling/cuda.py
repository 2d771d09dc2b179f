"""Scores of a few classes on a GPU; see the package for what the kernels compute."""
from __future__ import annotations

import typing as tp

from chainer_fast.backends import _uniform, cuda
from chainer_fast.backends._cuda_kernel import header
from chainer_fast.backends.kernels.common import ignored
from chainer_fast.backends.kernels.reduction.cuda import wide
from chainer_fast.types import NdArray

_PREAMBLE = ''.join([
    header('chainer_fast/backends/kernels/' + name)
    for name in ('activation/elements.hpp', 'common/labels.hpp', 'noise/elements.hpp')])
# Operators on float16 return single precision.
_WIDE = 'decltype(T() + T())'


def _elementwise(in_params, out_params, operation, name):
    return cuda.elementwise(
        in_params, out_params, 'using R = %s; %s' % (_WIDE, operation), name,
        preamble=_PREAMBLE)


def _sum(in_params, term, name):
    return cuda.reduce(
        in_params, 'T total', term, 'a + b', 'total = a', '0', name, reduce_type=_WIDE,
        preamble=_PREAMBLE)


def _have_code(*arrays):
    return arrays[0].dtype.kind == 'f' and len({a.dtype for a in arrays}) == 1


def _flags(counted, *index):
    return True if counted is None else counted[index]


def sample(threshold: NdArray, values: NdArray, shape: tuple[int, ...]) -> NdArray:
    n = len(threshold)
    drawn = _uniform.draw(shape, cuda.cupy.float32)
    return cuda.elementwise(
        'float32 drawn, raw float32 threshold, raw V values, int32 n', 'V value', '''
            const float height = chainer_fast::noise::below_one(drawn) * n;
            const int bucket = min(int(height), n - 1);
            value = values[2 * bucket + (threshold[bucket] < height - bucket)];
        ''', 'walker_alias', preamble=_PREAMBLE)(drawn, threshold, values, n)


@ignored.on_device
def put_targets(t: NdArray, samples: NdArray, ignore_label: int) -> NdArray:
    counted = cuda.cupy.empty(t.shape, '?')
    cuda.elementwise(
        'L t, int64 ignored', 'I first, bool counts',
        'first = t; counts = t != ignored', 'put_targets')(
            t, ignore_label, samples[:, 0], counted)
    return counted


def scores(x: NdArray, W: NdArray, ids: NdArray, counted: tp.Any) -> NdArray:
    if not _have_code(x, W):
        return NotImplemented
    out = cuda.cupy.empty(ids.shape, x.dtype)
    _sum('T x, I id, bool counts, raw T W, int64 rows, int64 columns',
         'counts ? _type_reduce(x) * _type_reduce('
         'W[chainer_fast::class_of(id, rows) * columns + _J]) : _type_reduce(0)',
         'candidate_scores')(
             x.T[:, :, None], ids[None], _flags(counted, None, slice(None), None), W,
             *W.shape, out, axis=0)
    return out


def sum_rows(g: NdArray, W: NdArray, ids: NdArray, counted: tp.Any) -> NdArray:
    if not _have_code(g, W):
        return NotImplemented
    y = cuda.cupy.empty((len(ids), W.shape[1]), g.dtype)
    _elementwise(
        'bool counts, raw T g, raw I ids, raw T W, int64 n, int64 rows, int64 columns',
        'T y', '''
            const ptrdiff_t first = i / columns * n;
            R total(0);
            for (ptrdiff_t k = first; counts && k < first + n; ++k)
                total += R(g[k]) * R(W[chainer_fast::class_of(ids[k], rows) * columns
                                       + i % columns]);
            y = total;
        ''', 'sum_candidate_rows')(
            _flags(counted, slice(None), None), g, ids, W, ids.shape[1], *W.shape, y)
    return y


def spread_rows(
        g: NdArray, x: NdArray, ids: NdArray, counted: tp.Any, rows: int) -> NdArray:
    if not _have_code(g, x):
        return NotImplemented
    out = cuda.cupy.zeros((rows, x.shape[1]), wide(g.dtype))
    _elementwise(
        'T g, I id, bool counts, T x, int64 rows, int64 columns', 'raw S out', '''
            if (counts)
                atomicAdd(&out[chainer_fast::class_of(id, rows) * columns
                               + i % columns], S(R(g) * R(x)));
        ''', 'spread_candidate_rows')(
            g[:, :, None], ids[:, :, None],
            _flags(counted, slice(None), None, None), x[:, None], rows, x.shape[1], out)
    return out.astype(g.dtype, copy=False)


# The loss of a score that should have the sign. If the sign is zero, so is the loss.
_LOSS = 'sign == T(0) ? _type_reduce(0) : ' \
    'chainer_fast::activation::Softplus::of<_type_reduce>(' \
    '-_type_reduce(score) * _type_reduce(sign), 1, 1)'
_FACTOR = 'y = sign == T(0) ? R(0) : ' \
    '-R(sign) * chainer_fast::activation::Softplus::grad<R>(' \
    '-R(score) * R(sign), g, 1)'
# The target comes first.
_PLACE = 'T(counts ? %s %% n ? -1 : 1 : 0)'


def losses(scores: NdArray, counted: tp.Any, each: bool) -> NdArray:
    out = cuda.cupy.empty(len(scores) if each else (), scores.dtype)
    _sum('T score, bool counts, int64 n', _LOSS.replace('sign', _PLACE % '_J'),
         'negative_sampling_losses')(
             scores, counted[:, None], scores.shape[1], out, axis=1 if each else None)
    return out


def factors(scores: NdArray, counted: tp.Any, g: NdArray) -> NdArray:
    return _elementwise(
        'T score, bool counts, T g, int64 n', 'T y',
        'const T sign = %s; ' % (_PLACE % 'i') + _FACTOR, 'negative_sampling_factors')(
            scores, counted[:, None], g[:, None] if g.ndim else g, scores.shape[1])


def ways(
        t: NdArray, begins: NdArray, paths: NdArray, codes: NdArray,
        longest: int) -> tuple[NdArray, NdArray]:
    nodes, turns = [
        cuda.cupy.empty((len(t), longest), each.dtype) for each in (paths, codes)]
    cuda.elementwise(
        'L t, raw B begins, raw N paths, raw T codes, int64 leaves, int64 length, '
        'int64 n', 'N node, T turn', '''
            using chainer_fast::class_of;
            const ptrdiff_t end = begins[class_of(t + 1, leaves)];
            const ptrdiff_t place = begins[class_of(t, leaves)] + i % n;
            node = paths[class_of(place < end ? place : end - 1, length)];
            turn = place < end ? codes[class_of(place, length)] : T(0);
        ''', 'ways_to_leaves', preamble=_PREAMBLE)(
            t[:, None], begins, paths, codes, len(begins), len(paths), longest, nodes,
            turns)
    return nodes, turns


def tree_loss(scores: NdArray, turns: NdArray) -> NdArray:
    if not _have_code(scores, turns):
        return NotImplemented
    out = cuda.cupy.empty((), scores.dtype)
    _sum('T score, T sign', _LOSS, 'tree_loss')(scores, turns, out)
    return out


def tree_factors(scores: NdArray, turns: NdArray, g: NdArray) -> NdArray:
    if not _have_code(scores, turns, g):
        return NotImplemented
    return _elementwise('T score, T sign, T g', 'T y', _FACTOR, 'tree_factors')(
        scores, turns, g)
