"""Sorting, searching and counting."""
import numpy

from tests.doubles.host_cupy import ledger
from tests.doubles.host_cupy.array import (
    array_operand,
    ledger_launch,
    ndarray,
    operand,
    wrap,
)
from tests.doubles.host_cupy.reductions import reduced
from tests.doubles.host_cupy.registry import method, routine


def _check_sortable(a, kind=None):
    if kind not in (None, 'stable'):
        raise ValueError("kind is None or 'stable'")
    return array_operand(a)


@routine
def sort(a, axis=-1, kind=None):
    host = _check_sortable(a, kind)
    ledger_launch('copy', a.size)
    ledger_launch('sort', a.size)
    return wrap(numpy.sort(host, axis, 'stable'))


def _sort_in_place(self, axis=-1, *, kind=None):
    ledger_launch('sort', self.size)
    _check_sortable(self, kind).sort(axis, 'stable')


_sort_in_place.__name__ = 'sort'
method(_sort_in_place)


@routine
def argsort(a, axis=-1, kind=None):
    host = _check_sortable(a, kind)
    ledger_launch('copy', a.size)
    ledger_launch('argsort', a.size)
    return wrap(numpy.argsort(host, axis, 'stable'))


method(argsort)


@routine
def partition(a, kth, axis=-1):
    ledger_launch('copy', a.size)
    ledger_launch('partition', a.size)
    return wrap(numpy.sort(array_operand(a), axis))


@routine
def argpartition(a, kth, axis=-1):
    ledger_launch('argpartition', a.size)
    return wrap(numpy.argsort(array_operand(a), axis, 'stable'))


method(argpartition)


@routine
def lexsort(keys):
    ledger.launch('lexsort')
    return wrap(numpy.lexsort(array_operand(keys)))


@routine
def searchsorted(a, v, side='left', sorter=None):
    host = array_operand(a)
    if not isinstance(v, ndarray):
        raise NotImplementedError('Only int or ndarray are supported for v')
    ledger_launch('searchsorted', v.size)
    result = numpy.searchsorted(
        host, array_operand(v), side,
        None if sorter is None else array_operand(sorter))
    return wrap(numpy.asarray(result))


@routine
def digitize(x, bins, right=False):
    ledger_launch('digitize', x.size)
    return wrap(numpy.asarray(numpy.digitize(
        array_operand(x), array_operand(bins), right)))


@routine
def unique(ar, return_index=False, return_inverse=False, return_counts=False,
           axis=None, *, equal_nan=True):
    result = numpy.unique(
        array_operand(ar), return_index, return_inverse, return_counts, axis,
        equal_nan=equal_nan)
    for _ in range(4):
        ledger_launch('unique', ar.size)
    ledger.synchronise('unique')
    ledger.to_host(4)
    if isinstance(result, tuple):
        return tuple([wrap(r) for r in result])
    return wrap(result)


@routine
def bincount(x, weights=None, minlength=None):
    host = array_operand(x)
    if host.dtype.kind == 'f':
        raise TypeError('x must be int array')
    # The largest element gives the size, and none may be negative.
    for _ in range(2):
        ledger.launch('bincount')
        ledger.synchronise('bincount')
    ledger.launch('zeros')
    ledger.launch('bincount')
    return wrap(numpy.bincount(
        host, None if weights is None else array_operand(weights), minlength or 0))


@routine
def histogram(x, bins=10, range=None, weights=None, density=False):
    ledger.synchronise('histogram')
    for _ in (1, 2, 3):
        ledger.launch('histogram')
    counts, edges = numpy.histogram(
        array_operand(x), operand(bins), range,
        None if weights is None else array_operand(weights), density)
    return wrap(counts), wrap(edges)


@routine
def isin(element, test_elements, assume_unique=False, invert=False):
    ledger_launch('isin', element.size)
    return wrap(numpy.isin(array_operand(element), array_operand(test_elements),
                           assume_unique, invert))


@routine
def in1d(ar1, ar2, assume_unique=False, invert=False):
    return isin(ar1.ravel(), ar2, assume_unique, invert)


@routine
def diff(a, n=1, axis=-1, prepend=None, append=None):
    if prepend is not None or append is not None:
        raise NotImplementedError('ends of diff() in the stand-in')
    result = numpy.diff(array_operand(a), n, axis)
    for _ in range(n):
        ledger_launch('subtract', result.size)
    return wrap(result)


@routine
def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    return reduced('trace', a, out, numpy.trace(
        array_operand(a), offset, axis1, axis2, dtype))


method(trace)


@routine
def cov(a, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *,
        dtype=None):
    if fweights is not None or aweights is not None:
        raise NotImplementedError('weights of cov() in the stand-in')
    return reduced('cov', a, None, numpy.cov(
        array_operand(a), None if y is None else array_operand(y), rowvar, bias, ddof,
        dtype=dtype), 6)


@routine
def corrcoef(a, y=None, rowvar=True, bias=None, ddof=None, *, dtype=None):
    return reduced('corrcoef', a, None, numpy.corrcoef(
        array_operand(a), None if y is None else array_operand(y), rowvar,
        dtype=dtype), 10)
