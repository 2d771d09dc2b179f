"""Functions of the null device that make arrays, from nothing or from others."""
import numpy

from benchmarks.host.ledger import call, launch, refuse_capture
from benchmarks.host.null_arrays import fresh, ndarray, viewing
from benchmarks.host.null_kinds import fortran, plain


def empty(shape, dtype=float, order='C'):
    call('empty')
    return fresh(fortran(shape, dtype) if order == 'F' else plain(shape, dtype))


def zeros(shape, dtype=float, order='C'):
    launch('memset')
    return empty(shape, dtype, order)


def ones(shape, dtype=float):
    launch('fill')
    return empty(shape, dtype)


def full(shape, fill_value, dtype=None):
    launch('fill')
    return empty(shape, dtype or numpy.asarray(fill_value).dtype)


def empty_like(a, dtype=None):
    call('empty')
    return fresh(a._kind.like(dtype))


def zeros_like(a, dtype=None):
    launch('memset')
    return empty_like(a, dtype)


def full_like(a, fill_value, dtype=None):
    launch('fill')
    return empty_like(a, dtype)


def ones_like(a, dtype=None):
    return full_like(a, 1, dtype)


def array(obj, dtype=None, copy=True, order='K'):
    if isinstance(obj, ndarray):
        return obj.astype(dtype or obj.dtype, copy=copy)
    call('array')
    refuse_capture('a copy from the host')
    obj = numpy.asarray(obj, dtype)
    return fresh(plain(obj.shape, obj.dtype))


def asarray(a, dtype=None, order=None):
    return array(a, dtype, copy=False)


def ascontiguousarray(a, dtype=None):
    if a._kind.flags.c_contiguous and dtype in (None, a._kind.dtype):
        call('ascontiguousarray')
        return a
    launch('ascontiguousarray')
    return fresh(plain(a._kind.shape, dtype or a._kind.dtype))


def arange(*args, dtype=None):
    launch('arange')
    host = numpy.arange(*args, dtype=dtype)
    return fresh(plain(host.shape, host.dtype))


def copyto(dst, src):
    launch('copyto')


def reshape(a, newshape):
    return a.reshape(newshape)


def get_array_module(*args):
    import cupy
    for arg in args:
        if isinstance(arg, ndarray):
            return cupy
    return numpy


EXPORTS = {f.__name__: f for f in (
    ndarray, empty, zeros, ones, full, empty_like, zeros_like, ones_like, full_like,
    array, asarray, ascontiguousarray, arange, copyto, reshape, get_array_module)}
EXPORTS.update({name: viewing(name, getattr(numpy, name)) for name in (
    'transpose', 'swapaxes', 'moveaxis', 'rollaxis', 'squeeze', 'expand_dims',
    'broadcast_to')})
