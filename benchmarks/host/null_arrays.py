"""Arrays of the null device: shapes, dtypes, strides and addresses, but no values."""

import numpy

from benchmarks.host.ledger import call, launch, refuse_capture
from benchmarks.host.null_kinds import (
    KNOWN,
    fortran,
    kind_of_host,
    null_memory,
    plain,
)

_BASIC = {int, slice, type(None), type(Ellipsis)}


class Device:
    """The one device; as a context it does nothing."""

    id = 0
    compute_capability = '90'
    attributes = {'MultiProcessorCount': 132, 'WarpSize': 32}
    mem_info = 64 << 30, 80 << 30

    def __init__(self, device=None):
        if int(device or 0):
            raise RuntimeError('the null device has the number 0 alone')

    def __enter__(self):
        call('Device.__enter__')

    def __exit__(self, *exc_info):
        pass

    def __int__(self):
        return 0

    def __eq__(self, other):
        return isinstance(other, Device)

    def __hash__(self):
        return 0

    def use(self):
        call('Device.use')

    def synchronize(self):
        call('Device.synchronize')


class MemoryPointer(null_memory.Address):
    """An address."""

    __slots__ = ()
    device, device_id = Device(), 0
    mem = property(lambda self: self)

    def __add__(self, offset):
        return MemoryPointer(self.ptr + offset)

    def __int__(self):
        return self.ptr


alloc, fresh = null_memory.alloc, null_memory.fresh


def _viewed(array, found):
    kind, offset = found
    return null_memory.view(array, kind, offset)


def viewing(name, function):
    """Return a function that makes the view of an array that NumPy's makes."""
    def make(self, *args, **kwargs):
        call(name)
        kind = self._kind
        key = name, args, tuple(kwargs.items())
        try:
            return _viewed(self, kind.memo[key])
        except KeyError:
            found = kind.memo[key] = kind.view(function, args, kwargs)
        except TypeError:       # a list cannot be a key
            found = kind.view(function, args, kwargs)
        return _viewed(self, found)
    make.__name__ = name
    return make


class ndarray(null_memory.Array):
    """An array without elements."""

    __slots__ = ()
    __array_priority__ = 100
    __array_ufunc__ = None      # operators of NumPy's numbers leave it to the array
    __hash__ = None
    __module__ = 'cupy'
    base = None
    device = MemoryPointer.device

    def __len__(self):
        return self.shape[0]

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __array__(self, dtype=None, copy=None):
        raise TypeError('Implicit conversion to a NumPy array is not allowed.')

    def get(self, *args, **kwargs):
        raise NotImplementedError('arrays of the null device have no values')

    item = tolist = __bool__ = __int__ = __float__ = get

    def set(self, arr, stream=None):
        call('set')
        refuse_capture('a copy from the host')

    def fill(self, value):
        launch('fill')

    def __getitem__(self, slices):
        call('getitem')
        kind, key = self._kind, slices
        try:
            found = kind.memo.get(key)
        except TypeError:
            key = repr(slices)      # slices cannot be keys before Python 3.12
            found = kind.memo.get(key)
        if found is None:
            each = slices if type(slices) is tuple else (slices,)
            # Anything else would look at elements.
            if not {*map(type, each)} <= _BASIC:
                raise NotImplementedError(
                    'the null device has no indexing by %s' % (slices,))
            # An index of all axes gives an array, too.
            found = kind.memo[key] = kind.view(
                lambda host: host[each if Ellipsis in each else (*each, Ellipsis)],
                (), {})
        return _viewed(self, found)

    def __setitem__(self, slices, value):
        launch('setitem')

    def reshape(self, *shape, order='C'):
        if len(shape) == 1 and not isinstance(shape[0], int):
            shape = tuple(shape[0])
        kind = self._kind
        try:
            found, copied = kind.memo['reshape', shape]
        except KeyError:
            try:
                found = kind.view(numpy.reshape, (shape,), {'copy': False})
                copied = False
            except ValueError:
                found = plain(kind.shape, kind.dtype).view(numpy.reshape, (shape,), {})
                copied = True
            kind.memo['reshape', shape] = found, copied
        if copied:
            launch('reshape')
            return fresh(found[0])
        call('reshape')
        return _viewed(self, found)

    def ravel(self, order='C'):
        return self.reshape(-1)

    def copy(self, order='C'):
        launch('copy')
        return fresh(plain(self._kind.shape, self._kind.dtype))

    def flatten(self, order='C'):
        return self.copy().reshape(-1)

    def astype(self, dtype, order='K', casting=None, subok=None, copy=True):
        kind = self._kind
        if not copy and kind.dtype == dtype:
            call('astype')
            return self
        launch('astype')
        return fresh(plain(kind.shape, dtype))

    def view(self, dtype=None):
        return self if dtype is None else _view_as(self, dtype)


_view_as = viewing('view', numpy.ndarray.view)
for _name in 'transpose', 'swapaxes', 'squeeze':
    setattr(ndarray, _name, viewing(_name, getattr(numpy.ndarray, _name)))
ndarray.T = property(ndarray.transpose)


def _find(shape, dtype=float, memptr=None, strides=None, order='C'):
    """Return the kind and the memory of a new array; None for new memory."""
    kind = (fortran if order == 'F' else plain)(shape, dtype)
    if strides is not None:
        kind = kind_of_host(numpy.lib.stride_tricks.as_strided(
            kind.host(), kind.shape, strides))
    return kind, memptr


null_memory.configure(ndarray, MemoryPointer, KNOWN, _find)
