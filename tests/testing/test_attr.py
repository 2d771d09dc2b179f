import unittest

import pytest

from chainer_fast.testing import attr, doctest_helper


def unmarked():
    # Not a lambda: pytest takes that for an argument of the mark.
    def f():
        pass

    return f


def marks_of(f):
    return [mark.name for mark in f.pytestmark]


@pytest.fixture
def gpu_limit(monkeypatch):
    def limit(n):
        monkeypatch.setattr(attr, '_gpu_limit', n)
        monkeypatch.setattr(doctest_helper, '_gpu_limit', n)
    return limit


@pytest.mark.parametrize('name', ['gpu', 'cudnn', 'ideep', 'chainerx', 'slow'])
def test_mark_function(name, gpu_limit):
    gpu_limit(-1)

    f = unmarked()
    assert getattr(attr, name)(f) is f
    assert marks_of(f) == [name]


@pytest.mark.parametrize('name', ['gpu', 'slow'])
def test_mark_class(name, gpu_limit):
    gpu_limit(-1)

    class Test(unittest.TestCase):
        pass

    assert getattr(attr, name)(Test) is Test
    assert marks_of(Test) == [name]


def test_mark_is_that_of_pytest(monkeypatch):
    # A conftest may replace a mark by another one after the import of this package.
    monkeypatch.setattr(pytest.mark, 'chainerx', pytest.mark.skip, raising=False)
    assert marks_of(attr.chainerx(unmarked())) == ['skip']


@pytest.mark.parametrize('limit, needed, skipped', [
    (-1, 1, False), (-1, 9, False), (0, 1, True), (1, 1, False), (1, 2, True),
    (2, 2, False), (0, 0, False),
])
def test_gpu_limit(limit, needed, skipped, gpu_limit):
    gpu_limit(limit)
    f = attr.multi_gpu(needed)(unmarked())
    assert marks_of(f) == ['gpu']
    if skipped:
        with pytest.raises(unittest.SkipTest, match='%d GPUs' % needed):
            f()
    else:
        f()
    assert doctest_helper.skipif_not_enough_cuda_devices(needed) == skipped


def test_gpu_needs_one(gpu_limit):
    gpu_limit(0)
    with pytest.raises(unittest.SkipTest):
        attr.gpu(unmarked())()
    gpu_limit(1)
    attr.gpu(unmarked())()


def test_available():
    attr.check_available()
    assert attr.is_available()
    assert attr.get_error() is None


def test_not_available(monkeypatch):
    monkeypatch.setattr(attr, '_error', ImportError('no pytest'))
    assert not attr.is_available()
    with pytest.raises(RuntimeError, match='no pytest'):
        attr.slow(lambda: None)


def test_doctest_conditions():
    assert doctest_helper.skipif(1) is True
    assert doctest_helper.skipif_requires_satisfied('numpy') is True
    assert doctest_helper.skipif_requires_satisfied('numpy>=999') is False


def test_stand_in_for_marks_of_programs(monkeypatch):
    with pytest.raises(RuntimeError, match='is installed'):
        attr._dummy_callable(lambda: None)
    monkeypatch.setattr(attr, '_error', ImportError('no pytest'))
    with pytest.raises(RuntimeError, match='no pytest'):
        attr._dummy_callable(lambda: None)
