"""Whether CuPy is imported, by what there is: CuPy itself, and a driver."""
import ctypes
import os
import runpy
import sys
import types

import pytest

from chainer_fast.backends import _cupy


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """A machine with CuPy installed, without a driver.

    It stands for the search for a driver and for an import of CuPy; a driver that is
    there but broken is not known to it.
    """
    (tmp_path / 'cupy').mkdir()
    (tmp_path / 'cupy' / '__init__.py').write_text('from . import cuda\n')
    (tmp_path / 'cupy' / 'cuda.py').write_text(
        'import types\nruntime = types.SimpleNamespace(is_hip=False)\n')
    monkeypatch.setattr(sys, 'path', [str(tmp_path), *sys.path])
    for name in list(sys.modules):
        if name.partition('.')[0] == 'cupy':
            monkeypatch.delitem(sys.modules, name)
    machine = types.SimpleNamespace(
        libraries=set(), devices=set(), folder=tmp_path / 'cupy')

    def load(name):
        if name not in machine.libraries:
            raise OSError('%s: cannot open shared object file' % name)
        return object()

    exists = os.path.exists
    monkeypatch.setattr(ctypes, 'CDLL', load)
    monkeypatch.setattr(
        os.path, 'exists',
        lambda path: path in machine.devices or path != '/dev/kfd' and exists(path))
    yield machine
    for name in ('cupy.cuda', 'cupy'):
        sys.modules.pop(name, None)


def load():
    """Return the names of a fresh copy of the module."""
    return runpy.run_path(_cupy.__file__)


def test_cupy_is_not_imported_without_a_driver(machine):
    found = load()
    assert not found['available']
    assert isinstance(found['error'], ImportError)
    assert str(found['error']).startswith(
        'CuPy is installed, but not a CUDA driver: libcuda.so.1')
    assert 'cupy' not in sys.modules


def test_with_a_driver(machine):
    machine.libraries = {'libcuda.so.1'}
    found = load()
    assert found['available']
    assert found['cupy'] is sys.modules['cupy']
    assert found['error'] is None


def test_windows(machine, monkeypatch):
    monkeypatch.setattr(sys, 'platform', 'win32')
    machine.libraries = {'libcuda.so.1'}
    assert not load()['available']
    machine.libraries = {'nvcuda.dll'}
    assert load()['available']


def test_a_program_that_imported_cupy_itself(machine):
    import cupy  # noqa: F401
    found = load()
    assert not found['available']
    assert 'CuPy is installed, but not a CUDA driver' in str(found['error'])


@pytest.mark.parametrize('for_rocm', [True, False])
def test_amd(machine, for_rocm):
    machine.devices = {'/dev/kfd'}
    if for_rocm:
        (machine.folder / 'cuda.py').write_text(
            'import types\nruntime = types.SimpleNamespace(is_hip=True)\n')
    assert load()['available'] is for_rocm


def test_without_cupy(machine, monkeypatch):
    monkeypatch.setattr(sys, 'path', sys.path[1:])
    monkeypatch.setitem(sys.modules, 'cupy', None)
    error = load()['error']
    assert isinstance(error, ModuleNotFoundError)
    assert error.name == 'cupy'


def test_any_error_inside_cupy(machine):
    machine.libraries = {'libcuda.so.1'}
    (machine.folder / '__init__.py').write_text('1 / 0\n')
    assert isinstance(load()['error'], ZeroDivisionError)


def test_check_names_the_diagnosis(machine):
    with pytest.raises(RuntimeError, match='python -m chainer_fast --doctor'):
        load()['check_available']()
