"""Sums and means on a GPU, in one launch; two or three if there are many terms."""
from __future__ import annotations

import typing as tp

import numpy

from chainer_fast.backends import cuda
from chainer_fast.backends._cuda_kernel import header
from chainer_fast.backends.kernels.reduction import steps
from chainer_fast.types import DTypeSpec, NdArray

_PREAMBLE = header('chainer_fast/backends/kernels/reduction/elements.hpp')


def wide(dtype: tp.Any) -> numpy.dtype[tp.Any]:
    """Return the dtype in which arrays are summed, at least single precision."""
    return numpy.promote_types(dtype, numpy.float32)


def in_order(axis: tp.Sequence[int], ndim: int) -> list[int] | None:
    """Return axes from the front to the back; None if one comes twice or is missing."""
    axes = sorted([i + ndim if i < 0 else i for i in axis])
    fit = len(set(axes)) == len(axes) and not set(axes).difference(range(ndim))
    return axes if fit else None


class Terms(tp.NamedTuple):
    """What is summed: structs of type ``S`` that are made of the arguments.

    Attributes
    ----------
    struct : str
        The type. ``+`` is defined for it, and its default value is zero.
    params, term : str
        Parameters of a term in CuPy's notation, and the expression for it.
    preamble : str
        Code ahead of the kernel.
    fields : dict
        Members of the struct, in order, and their types in CuPy's notation.
    """

    struct: str
    params: str
    term: str
    preamble: str
    fields: dict[str, str]


def _launch(terms, out_params, post_map, args, outs, axis, name, more_params=''):
    cuda.reduce(
        terms.params + more_params, out_params, terms.term, 'a + b', post_map,
        terms.struct + '()', name, reduce_type=terms.struct, preamble=terms.preamble)(
            *args, *outs, axis=axis, keepdims=outs[0].ndim == args[0].ndim)


def reduce(
        terms: Terms, args: tp.Sequence[tp.Any], axis: tp.Sequence[int],
        out_params: str, post_map: str, outs: tp.Sequence[NdArray], kind: tp.Any,
        name: str, more_params: str = '', more_args: tp.Sequence[tp.Any] = ()) -> None:
    """Add structs up.

    Parameters
    ----------
    terms : Terms
        What to sum.
    args : sequence
        Arguments of the terms. The first has the shape of the terms.
    axis : sequence of int
        Axes to sum over, in order and not negative.
    out_params, post_map : str
        Parameters for the results, and the expression that sets them, given the sum
        ``a``.
    outs : sequence of array
        The results, with or without the axes that are summed over.
    kind : dtype
        What ``S`` is.
    name : str
        Name of the kernel.
    more_params : str
        Further parameters of the expression, each of them behind a comma.
    more_args : sequence
        Arguments for these.
    """
    parted = steps.split(args, axis)
    if parted is not None:
        sums = [cuda.cupy.empty(parted.shape, kind if dtype == 'S' else dtype)
                for dtype in terms.fields.values()]
        params = ', '.join([
            '%s part_%s' % (dtype, field) for field, dtype in terms.fields.items()])
        saved = ', '.join(['part_%s = a.%s' % (each, each) for each in terms.fields])
        for piece, at in parted.pieces:
            _launch(terms, params, saved, piece, [each[at] for each in sums],
                    parted.first, name + '_parts')
        term = '%s{%s}' % (
            terms.struct, ', '.join(['part_' + each for each in terms.fields]))
        terms = terms._replace(params=params, term=term)
        args, axis, name = sums, parted.second, name + '_joined'
        shape = [n for i, n in enumerate(parted.shape) if i not in axis]
        outs = [each.reshape(shape) for each in outs]
    _launch(terms, out_params, post_map, (*args, *more_args), outs, axis, name,
            more_params)


def mean(
        params: str, term: str, counts: str, args: tuple[tp.Any, ...], n: int | None,
        dtype: DTypeSpec, name: str, inverse: bool = False,
        preamble: str = '') -> tuple[NdArray, NdArray]:
    """Return the mean of some terms, and the number by which their sum is divided.

    Parameters
    ----------
    params : str
        Arguments of the terms in CuPy's notation, two at least.
    term : str
        Expression for a term.
    counts : str
        Expression for whether it counts.
    args : tuple
        Arguments. The first has the shape of the terms and is not empty.
    n : int or None
        Number by which to divide the sum, instead of that of the terms that count, or
        1 if there are none.
    dtype : dtype
        Type of the mean.
    name : str
        Name of the kernel.
    inverse : bool
        Whether to return the inverse of the number.
    preamble : str
        Code ahead of the kernel.

    Returns
    -------
    mean, number : cupy.ndarray
        The number has the type of the sum.
    """
    kind = wide(args[0].dtype)
    result, number = cuda.cupy.empty((), dtype), cuda.cupy.empty((), kind)
    struct = 'chainer_fast::reduction::Counted<S>'
    reduce(
        Terms(struct, params, '%s(%s, %s)' % (struct, term, counts),
              _PREAMBLE + preamble, {'total': 'S', 'count': 'int64'}),
        args, tuple(range(args[0].ndim)), 'R mean, S number',
        'number = S(n >= 0 ? n : a.count > 0 ? a.count : 1), mean = a.total / number'
        + (', number = S(1) / number' if inverse else ''),
        (result, number), kind, name, ', int64 n', (-1 if n is None else n,))
    return result, number


def total(
        x: NdArray, axis: int | tuple[int, ...] | None, keepdims: bool = False,
        dtype: DTypeSpec = None) -> NdArray:
    """CUDA form of :func:`chainer_fast.backends.kernels.reduction.total`.

    CuPy computes a sum over all axes, for which it has special steps.
    """
    if axis is None or x.size <= steps.LEAST or x.dtype.kind != 'f':
        return NotImplemented
    axes = in_order((axis,) if isinstance(axis, int) else axis, x.ndim)
    if axes is None or len(axes) == x.ndim:
        return NotImplemented
    parted = steps.split([x], axes)
    if parted is None:
        return NotImplemented
    dtype = x.dtype if dtype is None else dtype
    sums = cuda.cupy.empty(parted.shape, wide(dtype))
    for (piece,), at in parted.pieces:
        piece.sum(axis=parted.first, dtype=sums.dtype, out=sums[at])
    result = sums.sum(axis=parted.second, dtype=dtype)
    if keepdims:
        result = result.reshape([1 if i in axes else n for i, n in enumerate(x.shape)])
    return result
