"""Shapes, joining and splitting, orders of elements."""
import numpy

from tests.doubles.host_cupy import ledger
from tests.doubles.host_cupy.array import (
    array_operand,
    checked_dtype,
    fresh,
    ledger_launch,
    ndarray,
    operand,
    view,
    wrap,
)
from tests.doubles.host_cupy.creation import array, asarray
from tests.doubles.host_cupy.registry import method, routine


def _arrays(items, message):
    items = list(items)
    for a in items:
        if not isinstance(a, ndarray):
            raise TypeError(message)
    return items


@routine
def reshape(a, /, newshape=None, *args, **kwargs):
    newshape = kwargs.pop('shape', newshape)
    return a.reshape(newshape, *args, **kwargs)


@routine
def ravel(a, order='C'):
    return a.ravel(order)


@routine
def transpose(a, axes=None):
    return a.transpose(axes)


@routine(names=['swapaxes'])
def swapaxes(a, axis1, axis2):
    return a.swapaxes(axis1, axis2)


@routine
def squeeze(a, axis=None):
    return a.squeeze(axis)


def _view_by(name):
    f = getattr(numpy, name)

    def g(a, *args, **kwargs):
        host = array_operand_any_device(a)
        return view(a, f(host, *args, **kwargs))
    g.__name__ = name
    routine(g)


def array_operand_any_device(a):
    """Views need no work of the device, so that it need not be the current one."""
    if not isinstance(a, ndarray):
        raise TypeError('expected an array of CuPy, got %s' % type(a))
    return a._host


for _name in ('moveaxis', 'rollaxis', 'expand_dims', 'flip', 'fliplr', 'flipud',
              'rot90', 'diagonal'):
    _view_by(_name)


def _no_array(shape):
    """Refuse a shape of device memory, for which CuPy would wait."""
    if isinstance(shape, ndarray):
        raise TypeError('a shape is not an array of CuPy')
    return shape


@routine
def broadcast_to(array, shape):
    host = numpy.broadcast_to(array_operand_any_device(array), _no_array(shape))
    return view(array, numpy.lib.stride_tricks.as_strided(
        host, host.shape, host.strides, writeable=True)
        if host.size else host.copy())


@routine
def broadcast_arrays(*args):
    shape = numpy.broadcast_shapes(*[array_operand_any_device(a).shape for a in args])
    return [broadcast_to(a, shape) for a in args]


@routine
class broadcast:

    def __init__(self, *arrays):
        self.shape = numpy.broadcast_shapes(*[
            a.shape for a in arrays if isinstance(a, ndarray)])
        self.nd = self.ndim = len(self.shape)
        self.size = int(numpy.prod(self.shape))
        self.values = tuple(broadcast_to(a, self.shape) if isinstance(a, ndarray)
                            else operand(a) for a in arrays)


@routine
def broadcast_shapes(*shapes):
    return numpy.broadcast_shapes(*shapes)


def _atleast(ndim):
    f = getattr(numpy, 'atleast_%dd' % ndim)

    def g(*arys):
        out = []
        for a in arys:
            if not isinstance(a, ndarray):
                a = array(a)
            out.append(view(a, f(a._host)))
        return out[0] if len(out) == 1 else tuple(out)
    g.__name__ = 'atleast_%dd' % ndim
    return routine(g)


atleast_1d, atleast_2d, atleast_3d = _atleast(1), _atleast(2), _atleast(3)


@routine
def concatenate(tup, axis=0, out=None, *, dtype=None, casting='same_kind'):
    if axis is None:
        tup = [a.ravel() for a in tup]
        axis = 0
    tup = _arrays(tup, 'Only cupy arrays can be concatenated')
    hosts = [array_operand(a) for a in tup]
    if any(h.ndim == 0 for h in hosts):
        raise TypeError('zero-dimensional arrays cannot be concatenated')
    if out is not None:
        if dtype is not None:
            raise TypeError('concatenate() only takes `out` or `dtype`')
        result = numpy.concatenate(hosts, axis, array_operand(out), casting=casting)
    else:
        result = numpy.concatenate(
            hosts, axis, dtype=dtype or numpy.result_type(*hosts), casting=casting)
        result = numpy.ascontiguousarray(result)
    # Up to eight arrays are copied one by one, more of one type by one kernel that
    # reads their addresses from an array.
    if (len(tup) > 8 and all(h.dtype == result.dtype for h in hosts)
            and result.nbytes < (2 << 20) * len(tup)):
        first = hosts[0].shape[axis]
        same = all(h.flags.c_contiguous and h.shape[axis] == first for h in hosts)
        for _ in range(1 if same else 3):
            ledger.to_device(8 * len(tup))
        ledger_launch('concatenate', result.size)
    else:
        for h in hosts:
            ledger_launch('concatenate', h.size)
    return out if out is not None else wrap(result)


@routine
def concat(tup, axis=0, out=None, *, dtype=None, casting='same_kind'):
    return concatenate(tup, axis, out, dtype=dtype, casting=casting)


@routine
def stack(tup, axis=0, out=None, *, dtype=None, casting='same_kind'):
    tup = _arrays(tup, 'Only cupy arrays can be concatenated')
    return concatenate(
        [view(a, numpy.expand_dims(a._host, axis)) for a in tup], axis, out,
        dtype=dtype, casting=casting)


@routine
def hstack(tup, *, dtype=None, casting='same_kind'):
    tup = [atleast_1d(a) for a in tup]
    return concatenate(tup, 0 if tup[0].ndim == 1 else 1, dtype=dtype, casting=casting)


@routine
def vstack(tup, *, dtype=None, casting='same_kind'):
    return concatenate([atleast_2d(a) for a in tup], 0, dtype=dtype, casting=casting)


@routine
def dstack(tup):
    return concatenate([atleast_3d(a) for a in tup], 2)


@routine
def column_stack(tup):
    tup = _arrays(tup, 'Only cupy arrays can be column stacked')
    return concatenate(
        [a[:, None] if a.ndim == 1 else a for a in tup], 1)


@routine
def append(arr, values, axis=None):
    arr, values = asarray(arr), asarray(values)
    if axis is None:
        arr, values = arr.ravel(), values.ravel()
        axis = 0
    return concatenate([arr, values], axis)


def _split(name):
    f = getattr(numpy, name)

    def g(ary, indices_or_sections, *args, **kwargs):
        if isinstance(indices_or_sections, ndarray):
            # CuPy reads them on the host.
            indices_or_sections = indices_or_sections.get()
        parts = f(array_operand_any_device(ary), indices_or_sections, *args, **kwargs)
        return [view(ary, part) for part in parts]
    g.__name__ = name
    return routine(g)


for _name in ('split', 'array_split', 'hsplit', 'vsplit', 'dsplit'):
    _split(_name)


@routine
def tile(A, reps):
    ledger_launch('tile', A.size)
    return wrap(numpy.tile(array_operand(A), reps))


@routine
def repeat(a, repeats, axis=None):
    host = array_operand(a)
    if isinstance(repeats, (ndarray, numpy.ndarray)):
        # CuPy 13 takes neither; 14 takes its own arrays, and waits for them.
        raise TypeError("'repeats' is an int or a sequence")
    result = numpy.repeat(host, repeats, axis)
    if isinstance(repeats, (list, tuple)) and len(repeats) > 1:
        for r in repeats:
            ledger_launch('repeat', r)
    else:
        ledger_launch('repeat', result.size)
    return wrap(result)


method(repeat)


@routine
def roll(a, shift, axis=None):
    ledger_launch('roll', a.size)
    if axis is not None:
        ledger_launch('roll', a.size)
    return wrap(numpy.roll(array_operand(a), shift, axis))


@routine
def pad(array, pad_width, mode='constant', **kwargs):
    host = array_operand(array)
    for x in [pad_width, *kwargs.values()]:
        if isinstance(x, ndarray):
            raise TypeError('the widths and values of pad() are numbers')
    result = numpy.pad(host, pad_width, mode, **kwargs)
    # The copy of the middle, and for each padded axis its two sides.
    ledger_launch('pad', array.size)
    for before, after in numpy.broadcast_to(
            numpy.asarray(pad_width), (host.ndim, 2)).tolist():
        for width in (before, after):
            ledger_launch('pad', width)
    return wrap(result)


@routine
def copyto(dst, src, casting='same_kind', where=None):
    target = array_operand(dst)
    if isinstance(src, (bool, int, float, complex)):
        numpy.copyto(target, src, casting)
        ledger_launch('copyto', dst.size)
        return
    if isinstance(src, ndarray) and src._device != dst._device and where is None:
        # Copies between devices need no kernel that reads both.
        host = src._host
        if not numpy.can_cast(host.dtype, target.dtype, casting):
            raise TypeError('Cannot cast %s to %s in %s casting mode' % (
                src.dtype, dst.dtype, casting))
    else:
        host = operand(src)
    with numpy.errstate(all='ignore'):
        if where is None:
            numpy.copyto(target, host, casting)
        else:
            numpy.copyto(target, host, casting, operand(where))
    ledger_launch('copyto', dst.size)


@routine(module='cupy.lib.stride_tricks')
def as_strided(x, shape=None, strides=None):
    host = array_operand_any_device(x)
    return view(x, numpy.lib.stride_tricks.as_strided(host, shape, strides))


@routine(module='cupy.lib.stride_tricks')
def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False):
    return view(x, numpy.lib.stride_tricks.sliding_window_view(
        array_operand_any_device(x), window_shape, axis))


def checked_out(out, shape, dtype):
    """Return where to write: the host side of ``out``, or new memory."""
    if out is None:
        return fresh(shape, checked_dtype(dtype))
    host = array_operand(out)
    if host.shape != shape:
        raise ValueError('Output shape mismatch')
    return host
