"""The arrays of the stand-in, and what operands of CuPy may be."""
import numpy

from tests.doubles.host_cupy import device, ledger, memory
from tests.doubles.host_cupy.memory import MemoryPointer, UnownedMemory

TYPES = frozenset('?bBhHiIlLqQefdFD')
SCALARS = frozenset(
    [bool, int, float, complex, *[numpy.dtype(c).type for c in TYPES]])

_IMPLICIT = ('Implicit conversion to a NumPy array is not allowed. '
             'Please use `.get()` to construct a NumPy array explicitly.')


# While a graph is captured, the list of new memory, which it goes on using.
of_graphs = []


def checked_dtype(dtype):
    """Return a dtype of CuPy; strings, objects, dates and long doubles are none."""
    dtype = numpy.dtype(dtype)
    if dtype.char not in TYPES:
        raise ValueError('Unsupported dtype %s' % dtype)
    return dtype


def fresh(shape, dtype=float, order='C'):
    """Return memory of NumPy that holds no sensible values, as new memory does."""
    dtype = checked_dtype(dtype)
    host = numpy.empty(shape, dtype, order)
    if host.size:
        host.ravel('K').view(numpy.uint8)[...] = 0xff
        if dtype.char == '?':
            host[...] = True
    for kept in of_graphs:
        kept.append(host)
    return host


class Flags:

    def __init__(self, flags):
        self.c_contiguous = flags.c_contiguous
        self.f_contiguous = flags.f_contiguous
        self.owndata = flags.owndata
        self.fnc = self.f_contiguous and not self.c_contiguous
        self.forc = self.f_contiguous or self.c_contiguous

    def __getitem__(self, name):
        return getattr(self, name.lower())


class ndarray:
    """An array on a device. Its elements are in the NumPy array ``_host``."""

    __array_priority__ = 100
    __hash__ = None
    __module__ = 'cupy'

    def __init__(self, shape, dtype=float, memptr=None, strides=None, order='C'):
        dtype = checked_dtype(dtype)
        if memptr is None:
            self._memory, self._host = memory.of_array(fresh(shape, dtype, order))
        else:
            self._memory = memptr.mem
            self._host = numpy.ndarray(
                shape, dtype, memptr.mem.bytes(), memptr.ptr - memptr.mem.ptr, strides,
                order)
            self._device = memptr.device_id
            return
        if strides is not None:
            self._host = numpy.lib.stride_tricks.as_strided(
                self._host, self._host.shape, strides)
        self._device = device.current()

    # Attributes
    #
    shape = property(lambda self: self._host.shape,
                     lambda self, shape: self._set_shape(shape))
    dtype = property(lambda self: self._host.dtype)
    ndim = property(lambda self: self._host.ndim)
    size = property(lambda self: self._host.size)
    nbytes = property(lambda self: self._host.nbytes)
    itemsize = property(lambda self: self._host.itemsize)
    strides = property(lambda self: self._host.strides)
    flags = property(lambda self: Flags(self._host.flags))
    _c_contiguous = property(lambda self: self._host.flags.c_contiguous)
    _f_contiguous = property(lambda self: self._host.flags.f_contiguous)
    device = property(lambda self: device.Device(self._device))
    T = property(lambda self: view(self, self._host.T))
    real = property(lambda self: _routine('real')(self),
                    lambda self, value: self._part('real', value))
    imag = property(lambda self: _routine('imag')(self),
                    lambda self, value: self._part('imag', value))
    base = None
    _memory = None      # that it is in

    def _set_shape(self, shape):
        # NumPy warns of another shape for the same array.
        host = self._host.reshape(shape)
        if host.size and not numpy.may_share_memory(host, self._host):
            raise AttributeError('incompatible shape')
        self._host = host

    @property
    def data(self):
        origin = self if self.base is None else self.base
        if origin._memory is None:
            begin, end = numpy.lib.array_utils.byte_bounds(origin._host)
            origin._memory = UnownedMemory(
                begin, end - begin, origin._host, origin._device)
        mem = origin._memory
        return MemoryPointer(mem, self._host.ctypes.data - mem.ptr if mem.size else 0)

    @property
    def mT(self):
        return view(self, self._host.swapaxes(-1, -2))

    @property
    def cstruct(self):
        raise NotImplementedError('the stand-in has no C representation of arrays')

    @property
    def __cuda_array_interface__(self):
        return {'shape': self.shape, 'typestr': self.dtype.str, 'version': 3,
                'data': (self._host.ctypes.data, False),
                'strides': None if self._host.flags.c_contiguous else self.strides}

    def __dlpack_device__(self):
        return 2, self._device

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if dl_device not in (None, self.__dlpack_device__()) or copy:
            raise NotImplementedError('the stand-in shares memory and no more')
        if not isinstance(stream, int | None):
            raise TypeError('stream has to be an address, not %s' % type(stream))
        if max_version is None:
            return self._host.__dlpack__()
        return self._host.__dlpack__(max_version=max_version)

    def _part(self, name, value):
        if name == 'imag' and self.dtype.kind != 'c':
            raise TypeError('cannot set imag of real-valued array')
        if self.dtype.kind != 'c':
            self[...] = value
        else:
            view(self, getattr(self._host, name))[...] = value

    # To the host
    #
    def __array__(self, dtype=None, copy=None):
        raise TypeError(_IMPLICIT)

    # Copies to and from the host work whatever the current device.

    def get(self, stream=None, order='C', out=None, blocking=True):
        if out is not None:
            if not isinstance(out, numpy.ndarray):
                raise TypeError('Only numpy.ndarray can be obtained from cupy.ndarray')
            if self.dtype != out.dtype or self.shape != out.shape:
                raise ValueError('out has another dtype or shape')
        if order == 'A':
            order = 'F' if self.flags.fnc else 'C'
        if not (self._host.flags.c_contiguous or self._host.flags.f_contiguous):
            ledger.launch('copy')
        if blocking:
            ledger.synchronise('get')
        ledger.to_host(self.nbytes)
        if out is None:
            return self._host.copy(order)
        out[...] = self._host
        return out

    def set(self, arr, stream=None):
        if not isinstance(arr, numpy.ndarray):
            raise TypeError('Only numpy.ndarray can be set to cupy.ndarray')
        if self.dtype != arr.dtype:
            raise TypeError(f'{arr.dtype} array cannot be set to {self.dtype} array')
        if self.shape != arr.shape:
            raise ValueError(
                f'Shape mismatch. Old shape: {self.shape}, new shape: {arr.shape}')
        if not (self.flags.forc):
            raise RuntimeError('Cannot set to non-contiguous array')
        ledger.to_device(arr.nbytes)
        self._host[...] = arr

    def _scalar(self, what):
        if self.size != 1:
            raise ValueError(
                'can only convert an array of size 1 to a Python scalar')
        ledger.synchronise(what)
        ledger.to_host(self.nbytes)
        return self._host

    def item(self):
        return self._scalar('item()').item()

    def tolist(self):
        ledger.synchronise('tolist()')
        ledger.to_host(self.nbytes)
        return self._host.tolist()

    def tobytes(self, order='C'):
        ledger.synchronise('tobytes()')
        ledger.to_host(self.nbytes)
        return self._host.tobytes(order)

    def __bool__(self):
        if self.size == 0:
            return False
        if self.size != 1:
            raise ValueError(
                'The truth value of an array with more than one element is ambiguous. '
                'Use a.any() or a.all()')
        return bool(self._scalar('bool()'))

    def __int__(self):
        return int(self._scalar('int()').item())

    def __float__(self):
        return float(self._scalar('float()').item())

    def __complex__(self):
        return complex(self._scalar('complex()').item())

    def __index__(self):
        return self._scalar('index()').item().__index__()

    def __repr__(self):
        ledger.synchronise('repr()')
        return repr(self._host)

    def __str__(self):
        ledger.synchronise('str()')
        return str(self._host)

    def __format__(self, spec):
        ledger.synchronise('format()')
        return format(self._host, spec)

    def dump(self, file):
        self.get().dump(file)

    def dumps(self):
        return self.get().dumps()

    def __reduce__(self):
        return _routine('array'), (self.get(),)

    # Sequence
    #
    def __len__(self):
        if not self.ndim:
            raise TypeError('len() of unsized object')
        return len(self._host)

    def __iter__(self):
        if not self.ndim:
            raise TypeError('iteration over a 0-d array')
        return (self[i] for i in range(len(self)))

    def __contains__(self, y):
        return bool((self == y).any())

    def __getitem__(self, slices):
        return _routine('_getitem')(self, slices)

    def __setitem__(self, slices, value):
        _routine('_setitem')(self, slices, value)

    def scatter_add(self, slices, value):
        _routine('_scatter')(self, slices, value, numpy.add)

    def scatter_max(self, slices, value):
        _routine('_scatter')(self, slices, value, numpy.maximum)

    def scatter_min(self, slices, value):
        _routine('_scatter')(self, slices, value, numpy.minimum)

    # Copies and shapes
    #
    def copy(self, order='C'):
        flags = self._host.flags
        if self._device != device.current() and not (
                flags.c_contiguous or flags.f_contiguous):
            # The memory goes from device to device as it is.
            ledger_launch('astype', self.size)
        ledger_launch('copy', self.size)
        return wrap(self._host.copy(order))

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        with self.device:
            return self.copy()

    def astype(self, dtype, order='K', casting=None, subok=None, copy=True):
        if casting is not None or subok is not None:
            raise TypeError('astype() takes neither casting nor subok: CuPy warns')
        if dtype is None:
            dtype = float
        dtype = checked_dtype(dtype)
        host = self._host
        fits = (order in ('K', 'A') or (order == 'C' and host.flags.c_contiguous)
                or (order == 'F' and host.flags.f_contiguous))
        if not copy and dtype == self.dtype and fits:
            return self
        check_device(self)
        if self.dtype.kind == 'c' and dtype.kind not in 'bc':
            import warnings
            warnings.warn(
                'Casting complex values to real discards the imaginary part',
                numpy.exceptions.ComplexWarning, stacklevel=2)
            host = host.real
        ledger_launch('astype', self.size)
        with numpy.errstate(all='ignore'):
            return wrap(host.astype(dtype, order))

    def view(self, dtype=None, type=None):
        if dtype is None:
            return view(self, self._host.view())
        return view(self, self._host.view(checked_dtype(dtype)))

    def fill(self, value):
        check_device(self)
        if isinstance(value, ndarray):
            if value.shape != ():
                raise ValueError('non-scalar cupy.ndarray cannot be used for fill')
            check_device(value)
            if value.dtype != self.dtype:
                ledger.launch('astype')
            # CuPy compares the value with 0.
            ledger.launch('equal')
            ledger.synchronise('fill() with an array')
            value = value._host
        elif numpy.asarray(value).shape != ():
            raise ValueError('non-scalar numpy.ndarray cannot be used for fill')
        ledger_launch('fill', self.size)
        with numpy.errstate(all='ignore'):
            if isinstance(value, (numpy.generic, numpy.ndarray)):
                value = value.astype(self.dtype)
            self._host[...] = value

    def reshape(self, *shape, order='C', copy=None):
        if len(shape) == 1 and not isinstance(shape[0], int):
            shape = shape[0]
        host = self._host.view()
        if copy is not True and order == 'C':
            try:
                # The dimensions are set only where no copy is needed.
                return view(self, numpy.reshape(host, shape, copy=False))
            except ValueError:
                if copy is False:
                    raise
        out = self._host.reshape(shape, order=order)
        if copy or not numpy.may_share_memory(out, self._host):
            ledger_launch('reshape', self.size)
            return wrap(out if not numpy.may_share_memory(out, self._host)
                        else out.copy())
        return view(self, out)

    def ravel(self, order='C'):
        if order == 'C' and self._host.flags.c_contiguous:
            return view(self, self._host.reshape(-1))
        out = self._host.ravel(order)
        if numpy.may_share_memory(out, self._host):
            return view(self, out)
        ledger_launch('ravel', self.size)
        return wrap(out)

    def flatten(self, order='C'):
        ledger_launch('flatten', self.size)
        return wrap(self._host.flatten(order))

    def reduced_view(self, dtype=None):
        return view(self, self._host)

    def transpose(self, *axes):
        return view(self, self._host.transpose(*axes))

    def swapaxes(self, axis1, axis2):
        return view(self, self._host.swapaxes(axis1, axis2))

    def squeeze(self, axis=None):
        return view(self, self._host.squeeze(axis))

    def diagonal(self, offset=0, axis1=0, axis2=1):
        out = self._host.diagonal(offset, axis1, axis2)
        return view(self, numpy.lib.stride_tricks.as_strided(
            out, out.shape, out.strides))

    def conj(self):
        return self if self.dtype.kind != 'c' else _routine('conj')(self)

    conjugate = conj

    def _compared(self, name, other):
        if defers(self, other):
            return NotImplemented
        if isinstance(other, numpy.ndarray) and other.ndim == 0:
            other = other.item()
        if type(other) not in SCALARS and not isinstance(other, ndarray):
            # NumPy is asked, and asks __array_ufunc__.
            return getattr(numpy, name)(self, other)
        return _routine(name)(self, other)

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        operands = inputs
        if 'out' in kwargs:
            out = kwargs['out']
            if len(out) != 1:
                raise ValueError(
                    "The 'out' parameter must have exactly one array value")
            operands += out
            kwargs['out'] = out[0]
        try:
            f = _routine(ufunc.__name__)
            if method != '__call__':
                f = getattr(f, method)
        except (AttributeError, KeyError):
            return NotImplemented
        for x in operands:
            if type(x) not in SCALARS and not isinstance(x, (ndarray, numpy.ndarray)):
                return NotImplemented
        return f(*inputs, **kwargs)

    def __array_function__(self, func, types, args, kwargs):
        import cupy
        module = cupy
        try:
            for name in func.__module__.split('.')[1:]:
                module = getattr(module, name)
            f = getattr(module, func.__name__)
        except AttributeError:
            return NotImplemented
        if f is func or not all(issubclass(t, (ndarray, numpy.ndarray)) for t in types):
            return NotImplemented
        return f(*args, **kwargs)


def _binary(name, in_place=True):
    def forward(self, other):
        if defers(self, other):
            return NotImplemented
        return _operator(name, self, other)

    def backward(self, other):
        return _operator(name, other, self)

    def in_place(self, other):
        if defers(self, other):
            return NotImplemented
        return _routine(name)(self, other, self)
    return forward, backward, in_place


def _operator(name, x, y):
    for other in (x, y):
        if type(other) not in SCALARS and not isinstance(other, (ndarray,
                                                                 numpy.ndarray)):
            return getattr(numpy, name)(x, y)
    return _routine(name)(x, y)


def defers(x, y):
    """Whether an operator leaves its work to the other operand, as NEP 13 says."""
    nothing = object()
    y_ufunc = getattr(y, '__array_ufunc__', nothing)
    if y_ufunc is not nothing:
        return y_ufunc is None
    return x.__array_priority__ < getattr(y, '__array_priority__', 0)


for _operator_name, _ufunc_name in {
        'add': 'add', 'sub': 'subtract', 'mul': 'multiply', 'truediv': 'true_divide',
        'floordiv': 'floor_divide', 'mod': 'remainder', 'pow': 'power',
        'lshift': 'left_shift', 'rshift': 'right_shift', 'and': 'bitwise_and',
        'or': 'bitwise_or', 'xor': 'bitwise_xor', 'matmul': 'matmul'}.items():
    for _prefix, _method in zip(
            ('__%s__', '__r%s__', '__i%s__'), _binary(_ufunc_name), strict=True):
        _method.__name__ = _prefix % _operator_name
        setattr(ndarray, _method.__name__, _method)

for _operator_name, _ufunc_name in {
        'lt': 'less', 'le': 'less_equal', 'eq': 'equal', 'ne': 'not_equal',
        'gt': 'greater', 'ge': 'greater_equal'}.items():
    setattr(ndarray, '__%s__' % _operator_name,
            lambda self, other, name=_ufunc_name: self._compared(name, other))

for _operator_name, _ufunc_name in {
        'neg': 'negative', 'pos': 'positive', 'abs': 'absolute',
        'invert': 'invert'}.items():
    setattr(ndarray, '__%s__' % _operator_name,
            lambda self, name=_ufunc_name: _routine(name)(self))

ndarray.__divmod__ = lambda self, other: _routine('divmod')(self, other)
ndarray.__rdivmod__ = lambda self, other: _routine('divmod')(other, self)

# What a method does, the routine of the same name does.
routines = {}


def _routine(name):
    return routines[name]


def _method(name):
    def method(self, *args, **kwargs):
        return _routine(name)(self, *args, **kwargs)
    method.__name__ = name
    return method


for _name in ('all', 'any', 'argmax', 'argmin', 'argpartition', 'argsort', 'choose',
              'clip', 'compress', 'cumprod', 'cumsum', 'dot', 'max', 'mean', 'min',
              'nonzero', 'partition', 'prod', 'ptp', 'put', 'repeat', 'round', 'sort',
              'std', 'sum', 'take', 'trace', 'var'):
    setattr(ndarray, _name, _method('ndarray.' + _name))


def wrap(host):
    """Return an array of the current device that holds a NumPy array, uncopied."""
    out = around(host if type(host) is numpy.ndarray else numpy.asarray(host))
    checked_dtype(out._host.dtype)
    out._memory, out._host = memory.of_array(out._host)
    return out


def around(host):
    """Return an array of the current device around memory that somebody else has."""
    out = ndarray.__new__(ndarray)
    out._host, out._device = host, device.current()
    return out


def view(array, host):
    """Return an array of the same device and memory as another one."""
    out = ndarray.__new__(ndarray)
    out._host = host
    out._device = array._device
    out.base = array if array.base is None else array.base
    return out


def ledger_launch(name, size):
    """Report an operation, unless it has nothing to do."""
    if size:
        ledger.launch(name)


def check_device(array):
    """Raise ``ValueError`` if an array is not on the current device."""
    if array._device != device.current():
        raise ValueError(
            'The device where the array resides (%d) is different from the current '
            'device (%d). Peer access is unavailable between these devices.'
            % (array._device, device.current()))


def operand(x):
    """Return what is behind an operand of CuPy: an array of NumPy or a scalar.

    Raises
    ------
    TypeError
        If it is neither an array of CuPy nor a scalar.
    ValueError
        If it is not on the current device.
    """
    if isinstance(x, ndarray):
        check_device(x)
        return x._host
    if type(x) not in SCALARS:
        raise TypeError('Unsupported type %s' % type(x))
    return x


def array_operand(x):
    """Return the NumPy array behind an array of CuPy; there is no other operand."""
    if not isinstance(x, ndarray):
        raise TypeError('expected an array of CuPy, got %s' % type(x))
    check_device(x)
    return x._host
