"""Sums over long axes on a GPU in two steps: first of parts, then of their sums.

CuPy reduces the terms of a result in one block of threads, so that a few long sums
leave most of a GPU idle. What is summed with what follows from the arrays alone: the
bits are the same on every GPU.
"""
from __future__ import annotations

import math
import typing as tp

from chainer_fast.backends import cuda
from chainer_fast.types import NdArray

# A block of CuPy's reductions, and the most results that share one.
_BLOCK, _NEIGHBOURS = 512, 32
# Sums are in one step if a thread has no more terms than these, and if there are this
# many threads, with which a GPU is busy.
_FEW, _BUSY = 64, 1 << 18
# Sums of so many terms are in one step whatever the arrays are like.
LEAST = _FEW * (_BLOCK // _NEIGHBOURS)
# Parts are of whole rows along an axis only if each row needs at least this many.
_WORTH = 8


class Steps(tp.NamedTuple):
    """How to sum in two steps.

    Attributes
    ----------
    shape : tuple of int
        Shape of the sums of the parts.
    first, second : tuple of int
        Axes over which to sum the pieces, and then the sums of the parts.
    pieces : list of (list, tuple)
        Arrays to sum, and the index of their sums among those of the parts.
    """

    shape: tuple[int, ...]
    first: tuple[int, ...]
    second: tuple[int, ...]
    pieces: list[tuple[list[tp.Any], tuple[slice, ...]]]


def _threads(arrays, shape, kept):
    """Return how many threads of a block sum the terms of a result.

    Results share a block if they are neighbours in the memory of any array.
    """
    neighbours = 1
    for array in arrays:
        run = 1
        for i in reversed(kept):
            if array.shape[i] == 1 or array.strides[i] != run * array.itemsize:
                break
            run *= shape[i]
        neighbours = max(neighbours, run)
    return _BLOCK // min(neighbours, _NEIGHBOURS)


def split(args: tp.Sequence[tp.Any], axis: tp.Sequence[int]) -> Steps | None:
    """Return how to sum terms in two steps; None if one is enough.

    Parameters
    ----------
    args : sequence
        Arguments of the terms: arrays with the same number of axes, the first of which
        has the shape of the terms, and numbers.
    axis : sequence of int
        Axes to sum over, in order and not negative.
    """
    shape = args[0].shape
    terms = math.prod([shape[i] for i in axis])
    results = args[0].size // max(terms, 1)
    if not results or terms <= LEAST:
        return None
    kept = [i for i, n in enumerate(shape) if n > 1 and i not in axis]
    threads = _threads(
        [each for each in args if isinstance(each, cuda.ndarray)], shape, kept)
    if terms <= _FEW * threads or results * threads >= _BUSY:
        return None
    # As many parts as there are terms in each, from the axes behind those that are kept
    # first: parts that are neighbours would share blocks.
    parts = 1 << math.isqrt(terms).bit_length() - 1
    cut, whole, last = 0, set(), max(kept, default=-1)
    for cut in sorted(axis, key=lambda i: i < last):
        if parts < _WORTH * shape[cut]:
            break
        whole.add(cut)
        parts //= shape[cut]
    size = max(shape[cut] // parts, 1)
    # The axis that is cut becomes two.
    count, rest = divmod(shape[cut], size)
    first = [i + (i > cut) for i in axis if i != cut and i not in whole] + [cut + 1]
    lengths = *shape[:cut], count + (rest > 0), size, *shape[cut + 1:]
    left = [i for i in range(len(lengths)) if i not in first]
    place = (slice(None),) * left.index(cut)
    pieces = [(_cut(args, cut, slice(count * size), size), (*place, slice(count)))]
    if rest:
        pieces.append((_cut(args, cut, slice(count * size, None), rest),
                       (*place, slice(count, None))))
    second = [k for k, i in enumerate(left)
              if i == cut or i - (i > cut) in whole]
    return Steps(tuple([lengths[i] for i in left]), tuple(sorted(first)),
                 tuple(second), pieces)


def _cut(args, axis, rows, size):
    """Return the given rows of arrays, with an axis behind for the terms of a part."""
    return [_rows(each, axis, rows, size) if isinstance(each, cuda.ndarray) else each
            for each in args]


def _rows(array: NdArray, axis: int, rows: slice, size: int) -> NdArray:
    if array.shape[axis] == 1:      # for all rows alike
        return array.reshape(*array.shape[:axis + 1], 1, *array.shape[axis + 1:])
    array = array[(slice(None),) * axis + (rows,)]
    return array.reshape(
        *array.shape[:axis], -1, size, *array.shape[axis + 1:])
