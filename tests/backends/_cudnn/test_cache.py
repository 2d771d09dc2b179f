"""Plans on disk, which other processes read."""
import math
import os
import pathlib
import threading

import pytest

import chainer_fast
from chainer_fast.backends import _cudnn, cuda
from chainer_fast.backends._cudnn import batch_normalization, cache, sessions
from tests.backends._cudnn.calls import convolve, short_of_memory

pytestmark = pytest.mark.gpu


@pytest.fixture
def folder(frontend, tmp_path, monkeypatch):
    found = tmp_path / 'a' / 'plans'
    monkeypatch.setenv('CHAINER_CUDNN_CACHE_DIR', str(found))
    return found


def normalize(*args):
    """Normalize as a process does that has just started."""
    sessions._local = threading.local()
    normalize_here(*args)


def normalize_here(shape=(2, 3, 4, 4), dtype='f'):
    x = cuda.cupy.arange(math.prod(shape)).reshape(shape).astype(dtype)
    parameter = cuda.cupy.ones(shape[1], 'f')
    y, mean, *_, inv_std = batch_normalization.batch_forward(
        x, parameter, parameter, (0, 2, 3), .1)
    assert abs(y.mean() - 1) < 1e-2
    gx, *_ = batch_normalization.batch_backward(
        x, parameter, x, mean, inv_std, (0, 2, 3), False)
    assert abs(gx).max() < .1


def test_plans_are_read(frontend, folder):
    for _ in range(3):
        normalize()
    assert (frontend.planned, len(frontend.ran)) == (2, 6)
    assert len(list(folder.iterdir())) == 2
    normalize((3, 3, 4, 4))
    normalize((2, 3, 4, 4), 'e')
    with chainer_fast.using_config('cudnn_deterministic', True):
        normalize()
    cuda.set_max_workspace_size(0)
    normalize()
    assert frontend.planned == 10
    assert {len(path.name) for path in folder.iterdir()} == {64}


def test_other_operations_are_not_written(frontend, folder):
    convolve()
    assert not folder.exists()


@pytest.mark.parametrize('what, value', [
    ('frontend', '1.99'), ('backend', 91003), ('code', b'edited'), ('card', b'another'),
    ('driver', 13000)])
def test_another_machine(frontend, folder, monkeypatch, what, value):
    runtime = cuda.cupy.cuda.runtime
    normalize()
    if what == 'frontend':
        monkeypatch.setattr(frontend, '__version__', value)
    elif what == 'backend':
        monkeypatch.setattr(frontend, 'backend_version', lambda: value)
    elif what == 'code':
        monkeypatch.setattr(cache, '_code', lambda: value)
    elif what == 'card':
        monkeypatch.setattr(runtime, 'getDeviceProperties', lambda _: {'name': value})
    else:
        monkeypatch.setattr(runtime, 'driverGetVersion', lambda: value)
    normalize()
    assert frontend.planned == 4


@pytest.mark.parametrize('damage', [
    lambda data: b'', lambda data: data[:20], lambda data: data[:-1],
    lambda data: data + b'.', lambda data: data[:99] + b'?' + data[100:]])
def test_damaged_files(frontend, folder, damage):
    normalize()
    for path in folder.iterdir():
        path.write_bytes(damage(path.read_bytes()))
    normalize()
    assert frontend.planned == 4
    normalize()                         # They have been written anew.
    assert frontend.planned == 4


def test_files_of_other_plans(frontend, folder):
    normalize()
    first, second = folder.iterdir()
    second.write_bytes(first.read_bytes())
    normalize()
    assert frontend.planned == 3


def test_plans_that_the_frontend_refuses(frontend, folder, monkeypatch):
    normalize()

    def refuse(self, *args):
        raise RuntimeError('CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH')
    monkeypatch.setattr(frontend.pygraph, 'deserialize', refuse)
    normalize()
    assert frontend.planned == 4


def test_plans_that_do_not_run(frontend, folder, monkeypatch):
    normalize()
    run = frontend.pygraph._run

    def fail(self, *args):
        if self.barred is None:
            raise RuntimeError('CUDNN_STATUS_EXECUTION_FAILED')
        run(self, *args)
    deserialize = frontend.pygraph.deserialize

    def load(self, *args):
        deserialize(self, *args)
        self.barred = None
    monkeypatch.setattr(frontend.pygraph, '_run', fail)
    monkeypatch.setattr(frontend.pygraph, 'deserialize', load)
    normalize()
    assert (frontend.planned, len(frontend.ran)) == (4, 4)


def test_workspaces_of_plans_that_are_read(frontend, folder, monkeypatch):
    monkeypatch.setattr(_cudnn, '_WORKSPACE', 8 << 30)
    normalize()
    short_of_memory(monkeypatch, 1 << 20)
    normalize()
    assert [index for index, *_ in frontend.ran] == [1, 1, 2, 2]


def test_frontends_that_do_not_serialize(frontend, folder, monkeypatch):
    def fail(self):
        raise RuntimeError('not supported')
    monkeypatch.setattr(frontend.pygraph, 'serialize', fail)
    normalize()
    assert not folder.exists()


def test_folders_that_cannot_be_written(frontend, folder):
    folder.parent.mkdir()
    folder.write_text('a file')
    normalize()
    assert folder.read_text() == 'a file'


def test_number_of_files(frontend, folder, monkeypatch):
    monkeypatch.setattr(cache, 'LIMIT', 8)
    for n in range(2, 6):
        normalize((n, 3, 4, 4))
    for age, path in enumerate(folder.iterdir()):
        os.utime(path, (age, age))
    oldest = min(folder.iterdir(), key=os.path.getmtime)
    normalize((9, 3, 4, 4))
    assert len(list(folder.iterdir())) == 8
    assert not oldest.exists()


def test_threads(frontend, folder):
    threads = [threading.Thread(target=normalize_here) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    planned = frontend.planned
    normalize()
    assert (frontend.planned, len(frontend.ran)) == (planned, 18)
    assert len(list(folder.iterdir())) == 2


@pytest.mark.parametrize('variables, expected', [
    ({}, '~/.cupy/cudnn_plans'), ({'CUPY_CACHE_DIR': '/a/kernels/'}, '/a/cudnn_plans'),
    ({'CUPY_CACHE_IN_MEMORY': '1'}, None), ({'CHAINER_CUDNN_CACHE_DIR': ''}, None),
    ({'CHAINER_CUDNN_CACHE_DIR': '/b', 'CUPY_CACHE_DIR': '/a/kernels'}, '/b')])
def test_folder(monkeypatch, variables, expected):
    for name in 'CUPY_CACHE_DIR', 'CUPY_CACHE_IN_MEMORY', 'CHAINER_CUDNN_CACHE_DIR':
        monkeypatch.delenv(name, raising=False)
    for item in variables.items():
        monkeypatch.setenv(*item)
    found = cache.folder()
    assert found == (expected and str(pathlib.Path(expected).expanduser()))


def test_switched_off(frontend, folder, monkeypatch):
    monkeypatch.setenv('CHAINER_CUDNN_CACHE_DIR', '')
    normalize()
    assert not folder.exists()
