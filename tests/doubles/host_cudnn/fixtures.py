"""The stand-in for cuDNN's frontend, in the place of ``cudnn``.

Nothing of the package is imported before the stand-in for CuPy may be installed.
"""
import sys
import threading

import pytest


def _forget(monkeypatch):
    """Let the package look for cuDNN anew, and find again later what it has now."""
    from chainer_fast.backends import _cudnn, cuda
    from chainer_fast.backends._cudnn import library, nvrtc, plans, sessions
    from tests.doubles.host_cupy import array
    if cuda.cupy.ndarray is not array.ndarray:
        pytest.skip('the stand-in for cuDNN works on that for CuPy only')
    monkeypatch.setattr(library, '_module', None)
    monkeypatch.setattr(library, '_reason', None)
    monkeypatch.setattr(sessions, '_local', threading.local())
    monkeypatch.setattr(_cudnn, '_cudnn_version', None)
    monkeypatch.setattr(_cudnn, '_max_workspace_size', None)
    # Less than the workspace of one of the engines of the stand-in.
    monkeypatch.setattr(_cudnn, '_WORKSPACE', 1 << 23)
    monkeypatch.setattr(plans, 'SPARING', 1 << 23)
    monkeypatch.setattr(nvrtc, 'is_found', lambda: True)
    monkeypatch.setenv('CHAINER_CUDNN_CACHE_DIR', '')


def install(monkeypatch, version):
    """Put a version of the stand-in, or None for nothing, in the place of the frontend.

    Returns
    -------
    module or None
    """
    from tests.doubles import host_cudnn
    _forget(monkeypatch)
    module = None if version is None else host_cudnn.make(version)
    monkeypatch.setitem(sys.modules, 'cudnn', module)
    return module


@pytest.fixture(params=['1.24', '1.28'])
def frontend(request, monkeypatch):
    return install(monkeypatch, request.param)


@pytest.fixture
def no_frontend(monkeypatch):
    install(monkeypatch, None)
