"""A stand-in for CuPy that holds its arrays in host memory.

It knows as much of CuPy 13's interface as ``chainer_fast.backends.cuda`` touches, and
has the devices of :mod:`tests.doubles.host_cupy`, so that the code which chooses
devices and moves arrays can run in any test, whether CuPy is installed or not. It
records copies and the streams they are on. Nothing here computes.
"""
import types

import numpy

from tests.doubles.host_cupy import device

current_device = device.current
_calls = []


def calls():
    """Return what was recorded since the last call, and forget it."""
    recorded = _calls[:]
    _calls.clear()
    return recorded


def record(name, *args):
    _calls.append((name, *args))


class Device(device.Device):

    def synchronize(self):
        record('synchronize', self.id)


class Stream:

    current = None

    def __enter__(self):
        self._previous, Stream.current = Stream.current, self
        return self

    def __exit__(self, *args):
        Stream.current = self._previous


Stream.null = Stream()


class Event:
    pass


class ndarray:
    """An array on a device; elements can be read only through :meth:`get`."""

    def __init__(self, shape=(), dtype=float):
        self._host = numpy.empty(shape, dtype)
        self.device = Device()

    shape = property(lambda self: self._host.shape)
    dtype = property(lambda self: self._host.dtype)
    ndim = property(lambda self: self._host.ndim)
    size = property(lambda self: self._host.size)
    nbytes = property(lambda self: self._host.nbytes)

    def get(self, stream=None):
        record('get', stream)
        if current_device() != self.device.id:
            raise RuntimeError('get() outside of the device of the array')
        return self._host.copy()

    def set(self, arr, stream=None):
        record('set', stream)
        if current_device() != self.device.id:
            raise RuntimeError('set() outside of the device of the array')
        self._host[...] = arr

    def copy(self):
        return _new(self._host.copy())

    def __array__(self, *args, **kwargs):
        raise TypeError(
            'Implicit conversion to a NumPy array is not allowed. '
            'Please use `.get()` to construct a NumPy array explicitly.')


def _new(host):
    out = ndarray.__new__(ndarray)
    out._host = host
    out.device = Device()
    return out


def array(a, dtype=None, copy=True):
    host = a._host if isinstance(a, ndarray) else a
    return _new(numpy.array(host, dtype))


def asarray(a, dtype=None):
    record('asarray', Stream.current)
    if isinstance(a, ndarray) and dtype is None and a.device == Device():
        return a
    return array(a, dtype)


def empty_like(a):
    return _new(numpy.empty_like(a._host if isinstance(a, ndarray) else a))


def copyto(dst, src):
    if not isinstance(dst, ndarray):
        raise TypeError('dst is not an array of CuPy')
    numpy.copyto(dst._host, src._host if isinstance(src, ndarray) else src)


def isnan(a):
    return numpy.isnan(a._host)


def get_array_module(*args):
    return module if any(isinstance(arg, ndarray) for arg in args) else numpy


def memoize(for_each_device=False):
    def decorator(f):
        memo = {}
        _memos.append(memo)

        def wrapped(*args, **kwargs):
            key = (args, frozenset(kwargs.items()),
                   current_device() if for_each_device else None)
            if key not in memo:
                memo[key] = f(*args, **kwargs)
            return memo[key]
        return wrapped
    return decorator


_memos = []


def clear_memo():
    for memo in _memos:
        memo.clear()


def fuse(*args, **kwargs):
    if args:
        return ('fused', args[0])
    return lambda f: ('fused', f)


def _kernel_class(name):
    def __init__(self, *args, **kwargs):
        self.args = args
        self.kwargs = kwargs
    return type(name, (), {'__init__': __init__})


def make(version='13.6.0'):
    """Return a fresh state of the modules, ``{name: module}``, for ``sys.modules``."""
    Device(0).use()
    _calls.clear()
    module.__version__ = version
    return {'cupy': module, 'cupy.cuda': module.cuda, 'cupyx': cupyx}


module = types.ModuleType('cupy')
module.__path__ = []
module.cuda = types.ModuleType('cupy.cuda')
for _item in (ndarray, array, asarray, empty_like, copyto, isnan, get_array_module,
              memoize, clear_memo, fuse):
    setattr(module, _item.__name__, _item)
for _name in ('ElementwiseKernel', 'ReductionKernel', 'RawKernel'):
    setattr(module, _name, _kernel_class(_name))
module.get_default_memory_pool = lambda: 'the pool'
for _item in (Device, Stream, Event):
    setattr(module.cuda, _item.__name__, _item)
module.cuda.cublas = types.ModuleType('cupy.cuda.cublas')
# With ROCm there is no CUDA driver to look for, and a test machine has none either.
module.cuda.runtime = types.SimpleNamespace(is_hip=True)
cupyx = types.ModuleType('cupyx')
cupyx.get_runtime_info = lambda: 'CuPy Version : 13.6.0\nCUDA Root : /cuda\n'
