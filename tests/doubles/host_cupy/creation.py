"""Creation of arrays."""
import math
import numbers

import numpy

from tests.doubles.host_cupy import device, ledger
from tests.doubles.host_cupy.array import (
    around,
    array_operand,
    checked_dtype,
    fresh,
    ledger_launch,
    ndarray,
    wrap,
)
from tests.doubles.host_cupy.registry import routine


def _leaves(obj):
    for item in obj:
        if isinstance(item, (list, tuple)):
            yield from _leaves(item)
        else:
            yield item


class _OnHost:
    """Memory of the stand-in, as NumPy sees it."""

    def __init__(self, array):
        self._array = array

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, *, max_version=None, **kwargs):
        return self._array.__dlpack__(stream=1, max_version=max_version)


@routine(names=['from_dlpack'])
def from_dlpack(array, *, device=None, copy=None):
    kind, number = array.__dlpack_device__()
    if kind != 2 or device is not None or copy is not None:
        raise NotImplementedError('the stand-in shares memory of GPUs and no more')
    out = around(numpy.from_dlpack(_OnHost(array)))
    out._device = number
    return out


@routine(names=['array'])
def array(obj, dtype=None, copy=True, order='K', subok=False, ndmin=0, *,
          blocking=False):
    if subok:
        raise NotImplementedError
    order = order or 'K'
    if isinstance(obj, ndarray):
        if obj.device.id == device.current():
            out = obj.astype(obj.dtype if dtype is None else dtype, order,
                             copy=bool(copy))
        else:
            out = obj.copy(order if order in 'CF' else 'C')
            if dtype is not None:
                out = out.astype(dtype, copy=False)
    elif isinstance(obj, (list, tuple)) and any(
            isinstance(x, ndarray) for x in _leaves(obj)):
        if not all(isinstance(x, ndarray) for x in _leaves(obj)):
            raise TypeError('a list of arrays of CuPy and other objects')
        out = _nested(obj)
        ledger_launch('concatenate', out.size)
        if dtype is not None:
            out = out.astype(dtype, copy=False)
    else:
        host = numpy.array(obj, dtype, order=order, ndmin=ndmin)
        # Newer versions of CuPy call these errors differently; they are errors.
        checked_dtype(host.dtype)
        ledger.to_device(host.nbytes)
        if blocking:
            ledger.synchronise('array(blocking=True)')
        return wrap(host.view(numpy.ndarray))
    if ndmin > out.ndim:
        out = out.view()
        out.shape = (1,) * (ndmin - out.ndim) + out.shape
    return out


def _nested(obj):
    hosts = [array_operand(x) if isinstance(x, ndarray) else _nested(x)._host
             for x in obj]
    return wrap(numpy.stack(hosts))


@routine
def asarray(a, dtype=None, order=None, *, copy=None, blocking=False):
    return array(a, dtype, bool(copy), order, blocking=blocking)


@routine
def asanyarray(a, dtype=None, order=None, *, blocking=False):
    return array(a, dtype, False, order, blocking=blocking)


@routine
def ascontiguousarray(a, dtype=None):
    return array(a, dtype, False, 'C', ndmin=1)


@routine
def asfortranarray(a, dtype=None):
    return array(a, dtype, False, 'F', ndmin=1)


@routine
def copy(a, order='K'):
    a = asarray(a)
    return a.copy(order)


@routine
def empty(shape, dtype=float, order='C'):
    return wrap(fresh(shape, dtype, order or 'C'))


def _like(a, dtype, order, subok, shape):
    if subok:
        raise TypeError('subok is not supported yet')
    # Of any device: the elements are not read.
    if not isinstance(a, ndarray):
        raise TypeError('expected an array of CuPy, got %s' % type(a))
    host = a._host
    dtype = checked_dtype(host.dtype if dtype is None else dtype)
    out = numpy.empty_like(host, dtype, order, shape=shape)
    if out.size:
        filled = fresh(out.size, dtype)
        out[...] = filled.reshape(out.shape)
    return wrap(out)


@routine
def empty_like(prototype, dtype=None, order='K', subok=None, shape=None):
    return _like(prototype, dtype, order, subok, shape)


@routine
def zeros(shape, dtype=float, order='C'):
    return _filled('zeros', empty(shape, dtype, order), 0)


@routine
def ones(shape, dtype=float, order='C'):
    return _filled('ones', empty(shape, dtype, order), 1)


@routine
def full(shape, fill_value, dtype=None, order='C'):
    if dtype is None:
        if isinstance(fill_value, ndarray):
            dtype = fill_value.dtype
        else:
            dtype = numpy.array(fill_value).dtype
    out = empty(shape, dtype, order)
    if isinstance(fill_value, ndarray):
        out[...] = fill_value
    else:
        out.fill(fill_value)
    return out


def _filled(name, a, value):
    ledger_launch(name, a.size)
    a._host[...] = value
    return a


@routine
def zeros_like(a, dtype=None, order='K', subok=None, shape=None):
    return _filled('zeros_like', _like(a, dtype, order, subok, shape), 0)


@routine
def ones_like(a, dtype=None, order='K', subok=None, shape=None):
    return _filled('ones_like', _like(a, dtype, order, subok, shape), 1)


@routine
def full_like(a, fill_value, dtype=None, order='K', subok=None, shape=None):
    out = _like(a, dtype, order, subok, shape)
    out.fill(fill_value)
    return out


@routine
def eye(N, M=None, k=0, dtype=float, order='C'):
    out = zeros((N, N if M is None else M), dtype, order)
    ledger_launch('diagonal fill', out.size)
    out._host[...] = numpy.eye(N, M, k, dtype)
    return out


@routine
def identity(n, dtype=float):
    return eye(n, dtype=dtype)


def _by_numpy(name, host):
    ledger_launch(name, host.size)
    return wrap(host)


def _number(x):
    if isinstance(x, ndarray):
        return x.item()
    return x


@routine
def arange(start, stop=None, step=1, dtype=None):
    if stop is None:
        start, stop = 0, start
    if any(isinstance(x, ndarray) for x in (start, stop, step)):
        raise TypeError('arange() takes numbers')
    if dtype is None:
        dtype = numpy.result_type(*[type(x) if isinstance(x, numbers.Number) and not
                                    isinstance(x, numpy.generic) else x
                                    for x in (start, stop, step)])
    return _by_numpy('arange', numpy.arange(start, stop, step, checked_dtype(dtype)))


@routine
def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0):
    for x in (start, stop):
        if isinstance(x, numpy.ndarray):
            raise TypeError('Unsupported type %s' % type(x))
    start, stop = [array_operand(x) if isinstance(x, ndarray) else x
                   for x in (start, stop)]
    host, step = numpy.linspace(start, stop, num, endpoint, True, dtype, axis)
    out = _by_numpy('linspace', host)
    return (out, float(step)) if retstep else out


@routine
def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    ledger.launch('linspace')
    return _by_numpy('logspace', numpy.logspace(
        start, stop, num, endpoint, base, dtype, axis))


@routine
def tri(N, M=None, k=0, dtype=float):
    return _by_numpy('tri', numpy.tri(N, M, k, dtype))


@routine
def tril(m, k=0):
    ledger_launch('tri', m.size)
    return _by_numpy('where', numpy.tril(array_operand(m), k))


@routine
def triu(m, k=0):
    ledger_launch('tri', m.size)
    return _by_numpy('where', numpy.triu(array_operand(m), k))


@routine
def diag(v, k=0):
    host = array_operand(v)
    if host.ndim == 2:
        return v.diagonal(k)
    ledger_launch('zeros', host.size)
    return _by_numpy('diag', numpy.diag(host, k))


@routine
def diagflat(v, k=0):
    return diag(v.ravel(), k)


@routine
def meshgrid(*xi, indexing='xy', sparse=False, copy=True):
    hosts = numpy.meshgrid(*[array_operand(x) for x in xi], indexing=indexing,
                           sparse=sparse)
    return [_by_numpy('copy', h) for h in hosts]


@routine
def frombuffer(buffer, dtype=float, count=-1, offset=0, *, like=None):
    return array(numpy.frombuffer(buffer, dtype, count, offset))


@routine
def fromiter(iter, dtype, count=-1):
    return array(numpy.fromiter(iter, dtype, count))


@routine
def fromfunction(function, shape, *, dtype=float, **kwargs):
    return array(numpy.fromfunction(function, shape, dtype=dtype, **kwargs))


@routine
def fromstring(string, dtype=float, count=-1, *, sep):
    return array(numpy.fromstring(string, dtype, count, sep=sep))


@routine
def loadtxt(*args, **kwargs):
    return array(numpy.loadtxt(*args, **kwargs))


@routine
def load(file, mmap_mode=None, allow_pickle=None):
    return array(numpy.load(file, mmap_mode, bool(allow_pickle)))


@routine
def asnumpy(a, stream=None, order='C', out=None, *, blocking=True):
    if isinstance(a, ndarray):
        return a.get(stream, order, out, blocking)
    return numpy.asarray(a, order=order)


@routine(module='cupyx')
def empty_pinned(shape, dtype=float, order='C'):
    return numpy.empty(shape, dtype, order)


@routine(module='cupyx')
def zeros_pinned(shape, dtype=float, order='C'):
    return numpy.zeros(shape, dtype, order)


@routine(module='cupyx')
def empty_like_pinned(a, dtype=None, order='K', subok=None, shape=None):
    return numpy.empty_like(
        a._host if isinstance(a, ndarray) else a, dtype, order, shape=shape)


@routine
def size(a, axis=None):
    return math.prod(a.shape) if axis is None else a.shape[axis]


@routine
def shape(a):
    return a.shape


@routine
def ndim(a):
    return a.ndim
