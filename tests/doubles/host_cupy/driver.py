"""The driver of CUDA: a shared library, which copies, and runs kernels of g++.

The package finds its functions as it finds those of the real driver, and calls them
with arguments that it packed itself. A launch fails with the real one's statuses if

- the function is none, or was compiled for another device than the current one;
- the arguments are not as many bytes as the parameters of the kernel, each at a
  multiple of its alignment;
- the stream is not the current one: the real driver would take it, and programs that
  work on several streams would come out wrong.

It cannot know whether arguments of equal size stand in the right order, which the
results tell, nor whether addresses are those of arrays on the current device.
"""
import ctypes
import functools

from tests.doubles.host_cupy import capture, compiler, cuda, device, ledger

INVALID_VALUE, INVALID_HANDLE, LAUNCH_FAILED = 1, 400, 719

_STREAM = b'intptr_t (void)'     # kept, as the capsule has no copy
_functions = {}
_failures = []


class CUDADriverError(RuntimeError):
    """A status of the driver; what a kernel did wrong is its cause."""

    def __init__(self, status):
        super().__init__('status %d of the driver' % status)
        self.status = status
        if _failures:
            self.__cause__ = _failures.pop()


class Function:
    """A kernel on a device."""

    def __init__(self, kernel, name):
        self.ptr = id(self)
        self.compiled, self.name, self.device = kernel, name, device.current()
        _functions[self.ptr] = self


@functools.cache
def function(kernel, name, number):
    """Return the function of a kernel on a device, which is the current one."""
    return Function(kernel, name)


def _words(value):
    """Return what may be an address in an argument."""
    return [int.from_bytes(value[at:at + 8], 'little')
            for at in range(0, len(value) - 7, 8)]


def _launch(address, sizes, stream, arguments, size):
    found = _functions.get(address)
    if found is None or found.device != device.current():
        return INVALID_HANDLE
    values = found.compiled.split(ctypes.string_at(arguments, size))
    if values is None or (stream or 0) != cuda.get_current_stream().ptr:
        return INVALID_VALUE
    grid, block, shared = tuple(sizes[:3]), tuple(sizes[3:6]), sizes[6]
    captured = capture.current()
    if captured is not None:
        captured.note(found.compiled.launch, (grid, block, values, shared),
                      [word for value in values for word in _words(value)])
        return 0
    ledger.launch(found.name)
    try:
        found.compiled.launch(grid, block, values, shared)
    except Exception as e:
        _failures.append(e)
        return LAUNCH_FAILED
    return 0


def _copy(to, begin, size, stream):
    if not to or not begin or (stream or 0) != cuda.get_current_stream().ptr:
        return INVALID_VALUE
    captured = capture.current()
    if captured is not None:
        captured.note(ctypes.memmove, (to, begin, size), (to, begin))
        return 0
    ledger.launch('copy')
    ctypes.memmove(to, begin, size)
    return 0


_launch_type = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_uint), ctypes.c_void_p,
    ctypes.c_void_p, ctypes.c_size_t)
_device_type = ctypes.CFUNCTYPE(ctypes.c_int)
_copy_type = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)
_stream_type = ctypes.CFUNCTYPE(ctypes.c_ssize_t)
_hooks = {'host_launch': _launch_type(_launch),
          'host_device': _device_type(device.current), 'host_copy': _copy_type(_copy)}
_current_stream = _stream_type(lambda: cuda.get_current_stream().ptr)


@functools.cache
def library():
    """Return the library, which is compiled where it is not there yet."""
    made = ctypes.CDLL(str(compiler.library('driver.cpp')))
    for name, hook in _hooks.items():
        ctypes.c_void_p.in_dll(made, name).value = ctypes.cast(
            hook, ctypes.c_void_p).value
    return made


def stream_capsule():
    """Return the function of the current stream as compiled modules of CuPy have it."""
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p,
                                                   ctypes.c_void_p]
    return new(ctypes.cast(_current_stream, ctypes.c_void_p), _STREAM, None)
