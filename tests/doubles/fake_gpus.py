"""Fixtures for the code that chooses GPUs, on machines that have none."""
import copy
import importlib
import sys
import types

import pytest

from tests.doubles import fake_cupy

# The modules that depend on whether there is CuPy, lowest first.
_MODULES = [
    'backends._cupy', 'backends._nvrtc', 'backends._cuda_kernel',
    'backends._cudnn.library', 'backends._cudnn', 'backends.cuda', 'backends.arrays',
    'backends._chainerx', 'backend', '_runtime_info', 'device_resident',
    '_environment_check']


def _load_afresh(monkeypatch):
    """Import the modules anew, and let the old ones return after the test."""
    from chainer_fast._core import kinds  # after the stand-in for CuPy
    for name in 'kinds', 'types', 'finders', 'wrappers':
        monkeypatch.setattr(kinds, name, copy.copy(getattr(kinds, name)))
    load = kinds.kinds['ChainerX'].load
    for name in _MODULES:
        full = 'chainer_fast.' + name
        package, _, attribute = full.rpartition('.')
        package = importlib.import_module(package)
        monkeypatch.setattr(package, attribute, getattr(package, attribute, None))
        monkeypatch.delitem(sys.modules, full, raising=False)
    loaded = {name: importlib.import_module('chainer_fast.' + name)
              for name in _MODULES}
    kinds.kinds['ChainerX'].load = load
    return types.SimpleNamespace(
        **{name.rpartition('.')[2]: module for name, module in loaded.items()})


@pytest.fixture
def gpus(monkeypatch):
    """The backend modules as they are on a machine with CuPy and three GPUs."""
    for name, module in fake_cupy.make().items():
        monkeypatch.setitem(sys.modules, name, module)
    return _load_afresh(monkeypatch)


@pytest.fixture
def broken_cupy(monkeypatch):
    """The backend modules where CuPy is installed but cannot be imported."""
    monkeypatch.setitem(sys.modules, 'cupy', None)
    return _load_afresh(monkeypatch)
