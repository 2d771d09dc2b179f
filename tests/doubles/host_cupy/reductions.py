"""Reductions, scans, sorting and counting."""
import numpy

from tests.doubles.host_cupy import ledger
from tests.doubles.host_cupy.array import (
    array_operand,
    checked_dtype,
    ledger_launch,
    ndarray,
    wrap,
)
from tests.doubles.host_cupy.creation import array
from tests.doubles.host_cupy.registry import method, routine

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


def reduced(name, host, out, result, launches=1):
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
        return reduced(name, host, out, result)
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
            return reduced(names[0], host, out, f(host, axis=axis, keepdims=keepdims))
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
    return reduced('ptp', a, out, numpy.ptp(
        array_operand(a), axis, keepdims=keepdims), 3)


method(ptp)


def _position(name, f):
    def reduce(a, axis=None, dtype=None, out=None, keepdims=False):
        host = array_operand(a)
        result = numpy.asarray(f(host, axis=axis, keepdims=keepdims))
        if dtype is not None:
            result = result.astype(checked_dtype(dtype))
        return reduced(name, host, out, result)
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
        return reduced(name, host, out, f(host, axis=axis, keepdims=keepdims))
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
    return reduced('mean', host, out, result, launches)


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
        return reduced(name, host, out, result, 2)
    reduce.__name__ = name
    routine(reduce)
    method(reduce)


for _name in ('var', 'std', 'nanvar', 'nanstd'):
    _spread(_name)


@routine
def nanmean(a, axis=None, dtype=None, out=None, keepdims=False):
    return reduced('nanmean', a, out, numpy.nanmean(
        array_operand(a), axis, dtype, keepdims=keepdims))


@routine
def average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    if weights is None:
        return mean(a, axis, keepdims=keepdims)
    return reduced('average', a, None, numpy.average(
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
        return reduced(name, host, out, result, 0)
    scan_.__name__ = name
    routine(scan_)
    method(scan_)


_accumulation('cumsum')
_accumulation('cumprod')


@routine
def count_nonzero(a, axis=None):
    return reduced('count_nonzero', a, None, numpy.count_nonzero(
        array_operand(a), axis))


@routine
def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    return reduced('median', a, out, numpy.median(
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
    return reduced('quantile', a, out, f(
        array_operand(a), array_operand(q), axis, method=kind, keepdims=keepdims), 6)
