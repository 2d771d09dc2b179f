"""Reading and writing parts of arrays."""
import numpy

from tests.doubles.host_cupy import ledger
from tests.doubles.host_cupy.array import (
    array_operand,
    check_device,
    ledger_launch,
    ndarray,
    view,
    wrap,
)
from tests.doubles.host_cupy.creation import array
from tests.doubles.host_cupy.manipulation import checked_out
from tests.doubles.host_cupy.reductions import scan
from tests.doubles.host_cupy.registry import method, routine


def _index(slices):
    """Return the parts of an index for NumPy, and those that are arrays.

    Lists and arrays of NumPy are copied to the device.
    """
    parts = list(slices) if isinstance(slices, tuple) else [slices]
    arrays = []
    for i, s in enumerate(parts):
        if s is None or s is Ellipsis or isinstance(s, slice):
            continue
        if numpy.isscalar(s) and not isinstance(s, (bool, numpy.bool_)):
            continue
        empty_list = isinstance(s, (list, tuple)) and numpy.asarray(s).size == 0
        if not isinstance(s, ndarray):
            s = array(numpy.asarray(s, numpy.int32) if empty_list else s)
        check_device(s)
        if s.dtype.kind not in 'biu':
            raise IndexError(
                'arrays used as indices must be of integer or boolean type. '
                '(actual: %s)' % s.dtype.type)
        arrays.append(s)
        parts[i] = s._host
    return parts, arrays


def _wrapped(host, parts):
    """CuPy's kernels take integers beyond the end modulo the size of the axis."""
    axes = sum(p.ndim if isinstance(p, numpy.ndarray) and p.dtype == bool
               else p is not None and p is not Ellipsis for p in parts)
    axis, out = 0, []
    for p in parts:
        if p is Ellipsis:
            axis += host.ndim - axes
        elif isinstance(p, numpy.ndarray) and p.dtype != bool:
            if axis < host.ndim and host.shape[axis]:
                p = p % host.shape[axis]
            axis += 1
        elif isinstance(p, numpy.ndarray):
            axis += p.ndim
        elif p is not None:
            axis += 1
        out.append(p)
    return tuple(out)


def _mask(mask, of_all):
    """Report what CuPy does to find out how many elements of a mask are true."""
    if not mask.size:
        return
    scan(mask.size)
    ledger.synchronise('boolean mask')
    ledger.to_host(4)
    if not of_all:
        scan(mask.size)


def _prepare(host, arrays):
    """Report what happens before the elements are read or written."""
    if len(arrays) == 1:
        if arrays[0].dtype == bool:
            _mask(arrays[0], arrays[0].ndim == host.ndim)
        return
    ledger.launch('fill')
    for a in arrays:
        if a.dtype == bool:
            _nonzero_launches(a)
            for _ in range(a.ndim):
                ledger.launch('prepare_array_indexing')
        else:
            ledger.launch('prepare_array_indexing')


@routine(names=['_getitem'])
def getitem(self, slices):
    parts, arrays = _index(slices)
    host = self._host
    if not arrays:
        result = host[tuple(parts)]
        if not isinstance(result, numpy.ndarray):
            # A view of one element.
            result = host[(*parts, *(() if Ellipsis in [
                p for p in parts if p is Ellipsis] else (Ellipsis,)))]
        return view(self, result)
    check_device(self)
    _prepare(host, arrays)
    result = host[_wrapped(host, parts)]
    result = numpy.ascontiguousarray(result).reshape(numpy.shape(result))
    ledger_launch('getitem', result.size)
    return wrap(result)


@routine(names=['_setitem'])
def setitem(self, slices, value):
    parts, arrays = _index(slices)
    host = self._host
    if not arrays:
        target = getitem(self, slices)
        if not isinstance(value, ndarray):
            target.fill(value)
            return
        check_device(self)
        source = array_operand(value)
        if (source.ctypes.data == target._host.ctypes.data
                and source.shape == target.shape
                and source.strides == target.strides):
            return
        ledger_launch('setitem', target.size)
        if numpy.may_share_memory(source, target._host):
            source = source.copy()
        with numpy.errstate(all='ignore'):
            target._host[...] = _real(source, host)
        return
    check_device(self)
    _prepare(host, arrays)
    if not isinstance(value, ndarray):
        value = array(value, self.dtype)
    elif value.dtype != self.dtype:
        value = value.astype(self.dtype)
    source = array_operand(value)
    ledger_launch('setitem', source.size)
    with numpy.errstate(all='ignore'):
        host[_wrapped(host, parts)] = source


def _real(source, target):
    return source.real if source.dtype.kind == 'c' != target.dtype.kind else source


@routine(names=['_scatter'])
def scatter(self, slices, value, op):
    parts, arrays = _index(slices)
    host = array_operand(self)
    if not isinstance(value, ndarray):
        if isinstance(value, numpy.ndarray) and value.ndim:
            value = array(value, self.dtype)
        else:
            value = array(value, self.dtype)
    elif value.dtype != self.dtype:
        value = value.astype(self.dtype)
    if arrays:
        _prepare(host, arrays)
    ledger_launch('scatter', value.size)
    op.at(host, _wrapped(host, parts), array_operand(value))


@routine
def take(a, indices, axis=None, out=None):
    host = array_operand(a)
    if numpy.isscalar(indices):
        index = numpy.asarray(indices)
    else:
        if not isinstance(indices, ndarray):
            indices = array(indices, int)
        index = array_operand(indices)
        if index.dtype.kind not in 'iub':
            raise IndexError('indices are integers, not %s' % index.dtype)
    if not host.size and index.size:
        raise IndexError('cannot do a non-empty take from an empty axes.')
    result = numpy.asarray(host.take(index.astype(numpy.int64), axis, mode='wrap'))
    ledger_launch('take', result.size)
    if out is None:
        return wrap(result)
    checked_out(out, result.shape, result.dtype)[...] = result
    return out


method(take)


@routine
def take_along_axis(a, indices, axis):
    if not isinstance(indices, ndarray) or indices.dtype.kind not in 'iu':
        raise IndexError('`indices` must be an integer array')
    host, index = array_operand(a), array_operand(indices)
    if axis is None:
        host, axis = host.ravel(), 0
    if a.ndim > 1:
        ledger.launch('fill')
        for _ in range(a.ndim):
            ledger.launch('arange')
            ledger.launch('prepare_array_indexing')
    ledger_launch('getitem', indices.size)
    return wrap(numpy.take_along_axis(host, index.astype(numpy.int64), axis))


@routine
def put(a, ind, v, mode='wrap'):
    _put(a, ind, v, mode)


def _put(a, indices, values, mode='wrap'):
    host = array_operand(a)
    if not isinstance(indices, ndarray):
        indices = array(indices)
    if not isinstance(values, ndarray):
        values = array(values, a.dtype)
    ledger_launch('put', indices.size)
    if mode == 'raise':
        ledger.launch('zeros')
        ledger.synchronise('put(mode="raise")')
    numpy.put(host, array_operand(indices), array_operand(values), mode)


_put.__name__ = 'put'
method(_put)


def _nonzero_launches(a):
    if a.dtype != bool:
        ledger_launch('not_equal', a.size)
    scan(a.size)
    ledger.synchronise('nonzero')
    ledger.to_host(4)
    ledger_launch('nonzero', a.size)


@routine
def nonzero(a):
    host = array_operand(a)
    if not host.ndim:
        raise ValueError('Calling nonzero on 0d arrays is not allowed.')
    _nonzero_launches(a)
    return tuple([wrap(i) for i in numpy.nonzero(host)])


method(nonzero)


@routine
def argwhere(a):
    host = array_operand(a)
    _nonzero_launches(a)
    return wrap(numpy.argwhere(host))


@routine
def flatnonzero(a):
    return nonzero(a.ravel())[0]
