"""Sessions of cuDNN, one per thread and device, and repeated calls.

A call of cuDNN needs dozens of Python steps: the memory order of images, the key of the
plan, the results and the workspace. All of them follow from the *form* of the
arguments, which is their shapes, types and memory orders, and from settings. Therefore
the second call of a form records what it executes with which arrays
(``_repeated.pxi``), and this module repeats it in later calls.
"""
import functools
import threading
import weakref

cimport numpy as np
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.dict cimport PyDict_GetItemWithError
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_CheckExact
from cpython.long cimport PyLong_AsLongLongAndOverflow, PyLong_CheckExact
from cpython.object cimport PyObject
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE
from libc.stdint cimport intptr_t, uintptr_t
from libcpp.vector cimport vector

from chainer_fast._core.devices.launches cimport (
    address_on, current_context, current_stream, is_channels_last, is_on_device,
    kind_of_dtype, new_channels_last, new_on_device)

from chainer_fast._core.configuration import state
from chainer_fast.backends import _captures, _cudnn, _image_orders
from chainer_fast.backends._cudnn import library
from chainer_fast.backends._cupy import cupy
from chainer_fast.configuration import config

np.import_array()

# Maximum number of plans of a thread for a device, and of repeated calls with the same
# settings. A network needs about a hundred.
LIMIT = 1024

# Number of settings whose calls are kept.
cdef enum:
    _SETTINGS = 16

cdef const unsigned long long *_version = (
    <const unsigned long long *><uintptr_t>state.version_address())

include "_executions.pxi"
include "_forms.pxi"
include "_repeated.pxi"


cdef class Session:
    """State of a thread for a device: cuDNN's handle, and the plans made with it.

    Parameters
    ----------
    device : int
        Number of the device.

    Notes
    -----
    When the thread ends, the handle is destroyed after the plans. At interpreter
    shutdown this is left to the driver, which may already be unloaded.
    """

    def __init__(self, int device):
        self.handle = library.frontend().create_handle()
        self.plans = {}
        self.without = set()
        self.by_settings = {}
        self.stream = -1
        end = weakref.finalize(
            self, _destroy, library.frontend(), device, self.handle, self.plans)
        end.atexit = False

    cdef int follow_stream(self) except -1:
        """Make the handle launch on CuPy's current stream."""
        cdef intptr_t stream = current_stream()
        if stream != self.stream:
            library.frontend().set_stream(self.handle, stream)
            self.stream = stream
        return 0

    cdef int follow_settings(self) except -1:
        """Read the settings of the thread, if any have changed."""
        cdef unsigned long long version = _version[0]
        if self.seen == version:
            return 0
        self.wanted = config.use_cudnn in ('auto', 'always')
        self.calls = None
        if len(self.by_settings) >= _SETTINGS:
            self.by_settings.clear()
        if not _captures.is_capturing():    # A graph keeps the objects that it uses.
            self.calls = self.by_settings.setdefault((
                bool(config.cudnn_deterministic), config.use_cudnn_tensor_core,
                _cudnn._max_workspace_size, bool(config.autotune),
                bool(config.cudnn_channels_last)), {})
        self.seen = version
        return 0

    def touch(self, Kept kept not None):
        """Count an execution, to find the least recently used plans."""
        self.executions += 1
        kept.used = self.executions

    def note(self, Kept kept not None, list names, dict arrays):
        """Record the executions of a call, with the tensors in order."""
        if self.noted is not None:
            self.noted.append((kept, names, arrays))


def _destroy(module, device, handle, plans):
    # An ending thread no longer has the thread-local data that device contexts need.
    runtime = cupy.cuda.runtime
    current = runtime.getDevice()
    runtime.setDevice(device)
    try:
        runtime.deviceSynchronize()     # Running kernels belong to plans.
        for kept in plans.values():
            kept.plan = None
        plans.clear()
        module.destroy_handle(handle)
    finally:
        runtime.setDevice(current)


_local = threading.local()


cdef dict _sessions():
    """Return the sessions of the running thread, by device."""
    try:
        return _local.sessions
    except AttributeError:
        _local.sessions = {}
        return _local.sessions


cdef Session _find_session(int *device):
    """Return the session of the running thread on the current device, and its number.

    None if there is none yet, or the driver cannot be queried.
    """
    cdef PyObject *found
    if current_context(device) == 0:
        return None
    found = PyDict_GetItemWithError(_sessions(), device[0])
    return None if found is NULL else <Session>found


def session():
    """Return the session of the running thread on the current device.

    Its handle launches on CuPy's current stream. Threads must not share handles.
    """
    sessions = _sessions()
    device = cupy.cuda.runtime.getDevice()
    found = sessions.get(device)
    if found is None:
        found = sessions[device] = Session(device)
    (<Session>found).follow_stream()
    return found
