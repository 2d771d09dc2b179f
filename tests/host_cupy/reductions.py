"""Reductions, scans, sorting and counting."""
import numpy

from tests.host_cupy import ledger
from tests.host_cupy.array import (
    array_operand,
    checked_dtype,
    ledger_launch,
    ndarray,
    operand,
    wrap,
)
from tests.host_cupy.creation import array
from tests.host_cupy.registry import method, routine

_CUB = frozenset('bBhHiIlLqQefdFD')


def scan(size):
    """Report a running sum: one kernel for few elements, else three."""
    for _ in range(1 if size <= 512 else 3):
        ledger_launch('scan', size)


def axes_of(axis, ndim):
    if axis is None:
        return tuple(range(ndim))
    return tuple(sorted(numpy.lib.array_utils.normalize_axis_tuple(axis, ndim)))


def by_cub(host, axis):
    """Whether CUB has the reduction: of everything, or of the last axes in memory."""
    if host.dtype.char not in _CUB or not host.size:
        return False
    axes = axes_of(axis, host.ndim)
    n = len(axes)
    if n == 0:
        return False
    if host.flags.c_contiguous:
        return axes == tuple(range(host.ndim - n, host.ndim))
    return host.flags.f_contiguous and axes == tuple(range(n))


def _reduced(name, host, out, result, launches=1):
    if not isinstance(result, numpy.ndarray):
        result = numpy.asarray(result)
    for _ in range(launches):
        ledger_launch(name, max(result.size, 0))
    if out is None:
        return wrap(result)
    target = array_operand(out)
    if target.shape != result.shape:
        raise ValueError('Output shape mismatch')
    if not numpy.can_cast(result.dtype, target.dtype, 'same_kind'):
        raise TypeError(
            'output (typecode %r) could not be coerced to provided output parameter '
            '(typecode %r) according to the casting rule "same_kind"'
            % (result.dtype.char, target.dtype.char))
    target[...] = result
    return out


def _wide(host, dtype):
    """Return the dtype to accumulate in, and that of the result."""
    dtype = None if dtype is None else checked_dtype(dtype)
    if dtype is None and host.dtype.char == 'e':
        dtype = host.dtype
    if dtype is not None and dtype.char == 'e':
        return numpy.float32, dtype
    return dtype, dtype


def _sum_like(name, f):
    def reduce(a, axis=None, dtype=None, out=None, keepdims=False):
        host = array_operand(a)
        wide, final = _wide(host, dtype)
        with numpy.errstate(all='ignore'):
            result = f(host, axis=axis, dtype=wide, keepdims=keepdims)
            if final is not None:
                result = numpy.asarray(result).astype(final)
        return _reduced(name, host, out, result)
    reduce.__name__ = name
    routine(reduce)
    method(reduce)
    return reduce


sum_ = _sum_like('sum', numpy.sum)
_sum_like('prod', numpy.prod)
_sum_like('nansum', numpy.nansum)
_sum_like('nanprod', numpy.nanprod)


def _extremum(names, f):
    def reduce(a, axis=None, out=None, keepdims=False):
        host = array_operand(a)
        with numpy.errstate(all='ignore'):
            return _reduced(names[0], host, out, f(host, axis=axis, keepdims=keepdims))
    reduce.__name__ = names[-1]
    routine(reduce, names=names)

    def of_array(self, axis=None, out=None, keepdims=False):
        return reduce(self, axis, out, keepdims)
    of_array.__name__ = names[-1]
    method(of_array)


_extremum(['amax', 'max'], numpy.amax)
_extremum(['amin', 'min'], numpy.amin)
_extremum(['nanmax'], numpy.nanmax)
_extremum(['nanmin'], numpy.nanmin)


@routine
def ptp(a, axis=None, out=None, keepdims=False):
    return _reduced('ptp', a, out, numpy.ptp(
        array_operand(a), axis, keepdims=keepdims), 3)


method(ptp)


def _position(name, f):
    def reduce(a, axis=None, dtype=None, out=None, keepdims=False):
        host = array_operand(a)
        result = numpy.asarray(f(host, axis=axis, keepdims=keepdims))
        if dtype is not None:
            result = result.astype(checked_dtype(dtype))
        return _reduced(name, host, out, result)
    reduce.__name__ = name
    routine(reduce)

    def of_array(self, axis=None, out=None, dtype=None, keepdims=False):
        return reduce(self, axis, dtype, out, keepdims)
    of_array.__name__ = name
    method(of_array)


for _name in ('argmax', 'argmin', 'nanargmax', 'nanargmin'):
    _position(_name, getattr(numpy, _name))


def _logical(name, f):
    def reduce(a, axis=None, out=None, keepdims=False):
        host = array_operand(a)
        return _reduced(name, host, out, f(host, axis=axis, keepdims=keepdims))
    reduce.__name__ = name
    routine(reduce)
    method(reduce)


_logical('all', numpy.all)
_logical('any', numpy.any)


@routine
def mean(a, axis=None, dtype=None, out=None, keepdims=False):
    host = array_operand(a)
    # With CUB a sum is divided. Where the types differ, the result is copied.
    launches = 2 if by_cub(host, axis) else 1
    if out is None and (dtype is not None or host.dtype.kind in 'iub'
                        or host.dtype.char == 'e'):
        launches += 1
    wide, final = _wide(host, dtype)
    with numpy.errstate(all='ignore'):
        result = numpy.asarray(host.mean(axis, wide, keepdims=keepdims))
        if final is not None:
            result = result.astype(final)
    return _reduced('mean', host, out, result, launches)


method(mean)


def _spread(name):
    f = getattr(numpy, name)

    def reduce(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
        host = array_operand(a)
        # The mean, its subtraction and a sum of squares.
        wide, final = _wide(host, dtype)
        with numpy.errstate(all='ignore'):
            result = numpy.asarray(f(host, axis, wide, ddof=ddof, keepdims=keepdims))
            if final is not None:
                result = result.astype(final)
        return _reduced(name, host, out, result, 2)
    reduce.__name__ = name
    routine(reduce)
    method(reduce)


for _name in ('var', 'std', 'nanvar', 'nanstd'):
    _spread(_name)


@routine
def nanmean(a, axis=None, dtype=None, out=None, keepdims=False):
    return _reduced('nanmean', a, out, numpy.nanmean(
        array_operand(a), axis, dtype, keepdims=keepdims))


@routine
def average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    if weights is None:
        return mean(a, axis, keepdims=keepdims)
    return _reduced('average', a, None, numpy.average(
        array_operand(a), axis, array_operand(weights), keepdims=keepdims), 6)


def _accumulation(name):
    f = getattr(numpy, name)

    def scan_(a, axis=None, dtype=None, out=None):
        host = array_operand(a)
        with numpy.errstate(all='ignore'):
            result = f(host, axis, None if dtype is None else checked_dtype(dtype))
        if axis is None or host.ndim == 1:
            scan(host.size)
        else:
            ledger_launch(name, host.size)
            ledger_launch(name, host.size)
        return _reduced(name, host, out, result, 0)
    scan_.__name__ = name
    routine(scan_)
    method(scan_)


_accumulation('cumsum')
_accumulation('cumprod')


@routine
def count_nonzero(a, axis=None):
    return _reduced('count_nonzero', a, None, numpy.count_nonzero(
        array_operand(a), axis))


@routine
def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    return _reduced('median', a, out, numpy.median(
        array_operand(a), axis, keepdims=keepdims), 4)


@routine
def quantile(a, q, axis=None, out=None, overwrite_input=False, method='linear',
             keepdims=False, *, interpolation=None):
    return _quantile(numpy.quantile, a, q, axis, out, method, keepdims)


@routine
def percentile(a, q, axis=None, out=None, overwrite_input=False, method='linear',
               keepdims=False, *, interpolation=None):
    return _quantile(numpy.percentile, a, q, axis, out, method, keepdims)


def _quantile(f, a, q, axis, out, kind, keepdims):
    if not isinstance(q, ndarray):
        q = array(q, float)
    # CuPy looks at the quantiles.
    ledger.synchronise('quantile')
    return _reduced('quantile', a, out, f(
        array_operand(a), array_operand(q), axis, method=kind, keepdims=keepdims), 6)


# Sorting
#

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
    result = numpy.diff(array_operand(a), n, axis)
    for _ in range(n):
        ledger_launch('subtract', result.size)
    return wrap(result)


@routine
def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    return _reduced('trace', a, out, numpy.trace(
        array_operand(a), offset, axis1, axis2, dtype))


method(trace)


@routine
def cov(a, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *,
        dtype=None):
    return _reduced('cov', a, None, numpy.cov(
        array_operand(a), None if y is None else array_operand(y), rowvar, bias, ddof,
        dtype=dtype), 6)


@routine
def corrcoef(a, y=None, rowvar=True, bias=None, ddof=None, *, dtype=None):
    return _reduced('corrcoef', a, None, numpy.corrcoef(
        array_operand(a), None if y is None else array_operand(y), rowvar,
        dtype=dtype), 10)
