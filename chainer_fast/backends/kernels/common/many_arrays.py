"""CUDA kernels that iterate over the arrays of many parameters in one launch.

The addresses of the arrays are arguments by value, so that nothing is copied to the
device and nothing waits for it. Kernels take them as ``const Arrays<n_arrays, capacity>
arrays``, a structure of ``many_arrays.hpp``.
"""
from __future__ import annotations

import functools
import typing as tp

import numpy

from chainer_fast._core.updates.update import capacity
from chainer_fast.backends import cuda
from chainer_fast.backends._cuda_kernel import raw_of
from chainer_fast.types import NdArray

# As in the header.
THREADS = 256
_PIECE = 4096

#: Types of elements by the characters of dtypes.
TYPES = {'e': 'half', 'f': 'float', 'd': 'double'}


# -- supported arrays


def is_like(array: tp.Any, param: tp.Any, kind: str) -> bool:
    """Return whether kernels can iterate over an array together with a parameter's."""
    if not isinstance(array, cuda.ndarray) or array.dtype.char != kind:
        return False
    memory = array.data
    return (
        kind in TYPES and array.shape == param.shape and array.size < 2 ** 31
        and memory.device_id == param.data.device_id and not memory.ptr >> 48)


def is_plain(array: NdArray) -> bool:
    """Return whether kernels can iterate over an array."""
    return is_like(array, array, array.dtype.char)


def overlap(arrays: tp.Iterable[NdArray]) -> bool:
    """Return whether any two arrays have memory in common; true when in doubt."""
    bounds = numpy.array([_bounds(array) for array in arrays], numpy.int64)
    if len(bounds) < 2:
        return False
    begins, ends = bounds[bounds[:, 0].argsort()].T
    return bool((ends[:-1] > begins[1:]).any())


def _bounds(array):
    """Return the first address of an array and the one after its end."""
    begin = end = array.data.ptr
    flags = array.flags
    if flags.c_contiguous or flags.f_contiguous:
        return begin, begin + array.nbytes
    for n, stride in zip(array.shape, array.strides, strict=True):
        reach = (n - 1) * stride
        begin, end = begin + min(reach, 0), end + max(reach, 0)
    return begin, end + array.itemsize


def by_kind(
        arrays: tp.Sequence[NdArray],
) -> list[tuple[str, list[int], list[tp.Sequence[NdArray]]]]:
    """Return for each dtype its character, the indices of its arrays and a group."""
    kinds = {}
    for i, array in enumerate(arrays):
        kinds.setdefault(array.dtype.char, []).append(i)
    return [(kind, indices, [[arrays[i]] for i in indices])
            for kind, indices in kinds.items()]


class Contiguous:
    """Arrays of a group, with copies instead of those that are not contiguous.

    At the end of the ``with`` block, written copies are copied back.

    Parameters
    ----------
    group : list of sequence of cupy.ndarray
    written : sequence of bool
        Which arrays of each sequence are written to.
    """

    def __init__(
            self, group: list[tp.Sequence[NdArray]],
            written: tp.Sequence[bool]) -> None:
        self._group, self._written, self._changed = group, written, []

    def __enter__(self) -> list[tp.Sequence[NdArray]]:
        return [self._copies(arrays) for arrays in self._group]

    def _copies(self, arrays):
        if all(array.flags.c_contiguous for array in arrays):
            return arrays
        copies = [cuda.cupy.ascontiguousarray(array) for array in arrays]
        self._changed += [
            (array, copy) for array, copy, written
            in zip(arrays, copies, self._written, strict=True)
            if written and copy is not array]
        return copies

    def __exit__(
            self, kind: type[BaseException] | None, value: BaseException | None,
            traceback: tp.Any) -> None:
        if kind is None:
            for array, copy in self._changed:
                array[...] = copy


# -- kernels


@functools.cache
def kernel(path: str, params: str, body: str) -> tp.Any:
    """Return a kernel.

    Parameters
    ----------
    path : str
        Header that has the functions.
    params, body : str
        Its parameters, and a statement.
    """
    return raw_of(path, 'change_many', params, body, '-std=c++17')


@functools.cache
def _layout(n_arrays):
    """Return the structure of the addresses, as in the header."""
    n = capacity(n_arrays)
    return numpy.dtype([
        ('first_block', 'u4', n), ('size', 'u4', n), ('low', 'u4', (n_arrays, n)),
        ('high', 'u2', (n_arrays, n))], align=True)


def launch(
        path: str, body: str, params: str, call: tuple[tp.Any, ...],
        *args: tp.Any) -> None:
    """Run a kernel on the arrays of a call.

    Parameters
    ----------
    path, body, params : str
        As for :func:`kernel`; the parameters are those after the arrays.
    call : tuple
        As :func:`calls` yields it.
    *args
        Arguments after the arrays.
    """
    n_blocks, arrays = call
    kernel_of(path, body, params, len(arrays['low']))(
        (n_blocks,), (THREADS,), (arrays, *args))


def kernel_of(path: str, body: str, params: str, n_arrays: int) -> tp.Any:
    """Return a kernel that iterates over so many arrays of each parameter."""
    return kernel(path, 'const Arrays<%d, %d> arrays%s' % (
        n_arrays, capacity(n_arrays), params), body)


def calls(group: list[tp.Sequence[NdArray]]) -> tp.Any:
    """Yield the arguments of kernels that together iterate over arrays of a group.

    Parameters
    ----------
    group : list of sequence of cupy.ndarray
        Contiguous arrays: as many for each parameter, in the same order.

    Yields
    ------
    slice
        Of the group.
    tuple of (int, numpy.ndarray)
        Number of blocks, and the structure of addresses.
    """
    return calls_at(
        numpy.array([arrays[0].size for arrays in group], numpy.int64),
        numpy.array(
            [[array.data.ptr for array in arrays] for arrays in group], numpy.int64))


def calls_at(sizes: NdArray, addresses: NdArray) -> tp.Iterator[tp.Any]:
    """Yield the arguments of kernels that iterate over arrays at some addresses.

    Parameters
    ----------
    sizes : numpy.ndarray of int64, shape (n_parameters,)
    addresses : numpy.ndarray of int64, shape (n_parameters, n_arrays)

    Yields
    ------
    slice, tuple
        As of :func:`calls`.
    """
    n_arrays = addresses.shape[1]
    blocks = -(-sizes // _PIECE)
    for first in range(0, len(sizes), capacity(n_arrays)):
        part = slice(first, first + capacity(n_arrays))
        n = len(sizes[part])
        ends = blocks[part].cumsum()
        if ends[-1] == 0:
            continue
        arrays = numpy.zeros((), _layout(n_arrays))
        arrays['first_block'][n:] = 0xffffffff
        arrays['first_block'][:n] = ends - blocks[part]
        arrays['size'][:n] = sizes[part]
        arrays['low'][:, :n] = (addresses[part] & 0xffffffff).T
        arrays['high'][:, :n] = (addresses[part] >> 32).T
        yield part, (int(ends[-1]), arrays)
