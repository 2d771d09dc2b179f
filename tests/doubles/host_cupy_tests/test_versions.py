"""Which tests are noted since they meet a difference between versions of CuPy."""
import contextlib
import gc
import os
import types

import numpy as np
import pytest

from tests.doubles.host_cupy import versions

FILE = 'tests/functions/test_add.py'
TEST = FILE + '::test_values[1 - (2)]'


@pytest.fixture
def noted(tmp_path, monkeypatch):
    """Return a function that returns what was noted so far."""
    path = tmp_path / 'notes'
    path.touch()
    monkeypatch.setenv('HOST_CUPY_NOTES', str(path))
    monkeypatch.setattr(versions, '_noted', set())
    return lambda: path.read_text().splitlines()


@pytest.mark.parametrize('call', [
    lambda cp, x: x + x,
    lambda cp, x: x * 2.5,
    lambda cp, x: cp.add(x, 1, dtype='d'),
    lambda cp, x: cp.asarray(x, dtype='d'),
    lambda cp, x: x.reshape(-1).sort(axis=0),
    lambda cp, x: x.sum(),
    lambda cp, x: hasattr(cp, 'no_such_function'),
])
def test_the_same_course(cupy, noted, call):
    call(cupy, cupy.ones((2, 3), 'f'))
    assert noted() == []


def use_memory_without_its_pool(cupy, x):
    pool = cupy.cuda.MemoryPool()
    with cupy.cuda.using_allocator(pool.malloc):
        array = cupy.ones(3)
    del pool
    gc.collect()
    del array


# What one of the versions refuses raises there.
@pytest.mark.parametrize('call', [
    lambda cp, x: x * np.float64(2.5),
    lambda cp, x: cp.ceil(cp.ones(3, 'b')),
    lambda cp, x: cp.ones(3, 'B') + 300,
    lambda cp, x: cp.subtract.at(cp.zeros(3, 'l'), cp.zeros(1, 'i'), cp.ones(1, 'l')),
    lambda cp, x: cp.concat([x, x]),
    lambda cp, x: x.sort(axis=0, kind='stable'),
    lambda cp, x: cp.asarray(x, copy=None),
    lambda cp, x: cp.cuda.nccl.get_unique_id(),
    use_memory_without_its_pool,
])
def test_another_course(cupy, noted, call):
    with contextlib.suppress(AttributeError, OverflowError, TypeError):
        call(cupy, cupy.ones((2, 3), 'f'))
    assert noted() == [os.environ['PYTEST_CURRENT_TEST'].removesuffix(' (call)')]


@pytest.mark.parametrize('phase', ['setup', 'teardown'])
def test_fixtures_may_be_those_of_other_tests(noted, monkeypatch, phase):
    monkeypatch.setenv('PYTEST_CURRENT_TEST', '%s (%s)' % (TEST, phase))
    versions.note()
    versions.note()
    assert noted() == [FILE]


def test_noted_tests_alone_run(noted, monkeypatch):
    items = [types.SimpleNamespace(nodeid=nodeid) for nodeid in (
        TEST, FILE + '::test_others', 'tests/a.py::test', 'tests/b.py::test')]
    assert versions.chosen(items) == items
    monkeypatch.setenv('PYTEST_CURRENT_TEST', TEST + ' (call)')
    versions.note()
    monkeypatch.setenv('PYTEST_CURRENT_TEST', 'tests/b.py::test_other (setup)')
    versions.note()
    monkeypatch.setenv('HOST_CUPY_ONLY', os.environ['HOST_CUPY_NOTES'])
    assert versions.chosen(items) == [items[0], items[3]]
