"""The library cuDNN, through NVIDIA's frontend, opened when it is first needed."""
import importlib
import os
import threading
import weakref

from chainer_fast.backends._cupy import available, cupy

# The graph interface, as it is used here.
_LOWEST = 90000

_module: object = None
_reason = None
_lock = threading.Lock()


def switched_off():
    """Return whether the environment forbids cuDNN, by ``CHAINER_CUDNN=0``."""
    return os.environ.get('CHAINER_CUDNN', '1') == '0'


def frontend():
    """Return the module of the frontend; None if cuDNN can't be used."""
    global _module, _reason
    with _lock:
        if _module is None and _reason is None:
            try:
                _module = _open()
            except Exception as e:
                # Nothing about cuDNN may stop a program that can do without.
                _reason = str(e) or type(e).__name__
    return _module


def _open():
    if not available:
        raise ImportError('CuPy is not available')
    if switched_off():
        raise ImportError('CHAINER_CUDNN is 0')
    module = importlib.import_module('cudnn')
    found = module.backend_version()
    if found < _LOWEST:
        raise ImportError('cuDNN 9 or newer is needed, found %s' % (found,))
    return module


def reason():
    """Return why cuDNN can't be used, in words; None if it can."""
    frontend()
    return _reason


def version():
    """Return the version number of cuDNN, or -1."""
    module = frontend()
    return -1 if module is None else module.backend_version()


class _Session:
    """What a thread keeps for a device: cuDNN's handle, and the plans made with it.

    When the thread ends, the handle is destroyed after the plans. The end of the
    interpreter leaves that to the driver, which may be gone by then.
    """

    def __init__(self, device):
        self.handle = frontend().create_handle()
        self.stream = None
        self.plans = {}
        self.without = set()    # operations that the device has no engine for
        self.zeros = None       # for whoever needs some
        end = weakref.finalize(
            self, _destroy, frontend(), device, self.handle, self.plans)
        end.atexit = False


def _destroy(module, device, handle, plans):
    # A thread that ends has no more data of its own, as contexts of devices want some.
    runtime = cupy.cuda.runtime
    current = runtime.getDevice()
    runtime.setDevice(device)
    try:
        runtime.deviceSynchronize()     # Kernels that are running belong to plans.
        plans.clear()
        module.destroy_handle(handle)
    finally:
        runtime.setDevice(current)


class _Local(threading.local):

    def __init__(self):
        self.sessions = {}


_local = _Local()


def session():
    """Return the session of the running thread on the current device.

    Its handle launches on CuPy's current stream. Handles must not be shared by threads.
    """
    sessions = _local.sessions
    device = cupy.cuda.runtime.getDevice()
    found = sessions.get(device)
    if found is None:
        found = sessions[device] = _Session(device)
    stream = cupy.cuda.get_current_stream().ptr
    if stream != found.stream:
        frontend().set_stream(found.handle, stream)
        found.stream = stream
    return found
