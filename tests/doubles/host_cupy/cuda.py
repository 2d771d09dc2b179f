"""Streams, events and graphs, as far as a program can see them."""
import contextlib
import functools
import itertools
import threading
import time
import warnings
import weakref

from tests.doubles.host_cupy import device, ledger
from tests.doubles.host_cupy.memory import MemoryPointer
from tests.doubles.host_cupy.registry import routine

in_cuda = functools.partial(routine, module='cupy.cuda')
in_cuda(device.Device)
in_cuda(MemoryPointer)

#: Streams by their addresses.
streams = weakref.WeakValueDictionary()


class _State(threading.local):
    """What each thread has of its own."""

    def __init__(self):
        self.streams = []       # those that are in use, the current one last
        self.cublas = next(_handles)


_handles = itertools.count(1)
_state = _State()


class _Stream:

    def __init__(self, null=False, non_blocking=False, ptds=False, priority=None):
        self.null = null
        self.ptr = 0 if null else id(self)
        self.device_id = device.current()
        self.done = True
        streams[self.ptr] = self

    def __enter__(self):
        _state.streams.append(self)
        return self

    def __exit__(self, *exc_info):
        _state.streams.pop()

    def __eq__(self, other):
        return isinstance(other, _Stream) and self.ptr == other.ptr

    def __hash__(self):
        return hash(self.ptr)

    def use(self):
        _state.streams[:] = [self]
        return self

    def synchronize(self):
        ledger.synchronise('Stream.synchronize')

    def record(self, event=None):
        event = event or Event()
        event.record(self)
        return event

    def wait_event(self, event):
        pass

    def add_callback(self, callback, arg):
        callback(self, 0, arg)

    def launch_host_func(self, callback, arg):
        callback(arg)

    def begin_capture(self, mode=None):
        from tests.doubles.host_cupy import capture
        capture.begin(self)

    def end_capture(self):
        from tests.doubles.host_cupy import capture
        return capture.end(self)

    def is_capturing(self):
        from tests.doubles.host_cupy import capture
        return capture.is_capturing(self)


@in_cuda
class Stream(_Stream):
    """A stream. Everything is done at once."""


Stream.null = Stream(null=True)
Stream.ptds = Stream(null=True)


@in_cuda
class ExternalStream(_Stream):

    def __init__(self, ptr, device_id=-1):
        super().__init__()
        streams[ptr] = streams.pop(self.ptr)
        self.ptr = ptr


@in_cuda
def get_current_stream(device_id=-1):
    return _state.streams[-1] if _state.streams else Stream.null


@in_cuda
class Event:
    """A moment of a stream; times are those of the host."""

    def __init__(self, block=False, disable_timing=False, interprocess=False):
        self.disable_timing = disable_timing
        self._time = None
        self.done = True
        self.ptr = id(self)

    def record(self, stream=None):
        self._time = time.perf_counter()

    def synchronize(self):
        ledger.synchronise('Event.synchronize')


@in_cuda
def get_elapsed_time(start_event, end_event):
    for event in (start_event, end_event):
        if event.disable_timing or event._time is None:
            raise RuntimeError('cudaErrorInvalidResourceHandle: invalid handle')
    return (end_event._time - start_event._time) * 1000


@in_cuda
class Graph:
    """The type of what a stream captures; see :mod:`~.capture`."""

    def __new__(cls):
        raise TypeError('currently not designed for public use')


@in_cuda
def get_device_id():
    return device.current()


@in_cuda
def is_available():
    return True


@in_cuda
def get_cublas_handle():
    return _state.cublas


@in_cuda
def get_local_runtime_version():
    return 12090


@in_cuda
@contextlib.contextmanager
def profile():
    yield


def deprecated(name):
    """Return an attribute of ``cupy.cuda`` that CuPy keeps for Chainer."""
    if name == 'nvtx_enabled':
        warnings.warn('cupy.cuda.nvtx_enabled has been deprecated in CuPy v8',
                      DeprecationWarning)
        return True
    raise AttributeError('module %r has no attribute %r' % ('cupy.cuda', name))
