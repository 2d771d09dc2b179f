"""The cuDNN library, through NVIDIA's frontend, loaded when it is first needed."""
import importlib
import os
import threading

from chainer_fast.backends._cupy import available

# The part of the graph interface that is used here.
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
                # No error of cuDNN may stop a program that works without it.
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
    """Return why cuDNN can't be used, as text; None if it can."""
    frontend()
    return _reason


def version():
    """Return the version number of cuDNN, or -1."""
    module = frontend()
    return -1 if module is None else module.backend_version()
