"""Marks for tests that need a device, a library or a long time."""
from __future__ import annotations

import os
import unittest
from collections.abc import Callable
from typing import Any, TypeVar

_error = None
try:
    import pytest
except ImportError as e:
    _error = e

_Test = TypeVar('_Test', bound=Callable[..., Any])

# Number of GPUs that tests may use; negative if there is no limit.
_gpu_limit = int(os.environ.get('CHAINER_TEST_GPU_LIMIT', '-1'))


def is_available() -> bool:
    """Return whether the marks can be used, that is, whether pytest is installed."""
    return _error is None


def check_available() -> None:
    """Raise ``RuntimeError`` if pytest is not installed."""
    if not is_available():
        raise RuntimeError(
            'chainer.testing needs pytest: install it, e.g. with '
            '"pip install pytest".\nReason: %s' % (_error,))


def get_error() -> ImportError | None:
    """Return the ``ImportError`` of pytest, or ``None`` if it is installed."""
    return _error


def _dummy_callable(*args, **kwargs):
    """Replace a mark of pytest in programs that define their own marks."""
    check_available()
    raise RuntimeError('pytest is installed: use its mark')


def cudnn(*args: Any, **kwargs: Any) -> Callable[..., Any]:
    """Mark a test that needs cuDNN; deselected by ``pytest -m 'not cudnn'``."""
    return _mark('cudnn')(*args, **kwargs)


def ideep(*args: Any, **kwargs: Any) -> Callable[..., Any]:
    """Mark a test that needs iDeep; deselected by ``pytest -m 'not ideep'``."""
    return _mark('ideep')(*args, **kwargs)


def chainerx(*args: Any, **kwargs: Any) -> Callable[..., Any]:
    """Mark a test that needs ChainerX; deselected by ``pytest -m 'not chainerx'``."""
    return _mark('chainerx')(*args, **kwargs)


def slow(*args: Any, **kwargs: Any) -> Callable[..., Any]:
    """Mark a slow test; deselected by ``pytest -m 'not slow'``."""
    return _mark('slow')(*args, **kwargs)


def gpu(f: _Test) -> _Test:
    """Mark a test that needs one GPU.

    It is deselected by ``pytest -m 'not gpu'``, and skipped if the environment variable
    ``CHAINER_TEST_GPU_LIMIT`` is 0.

    Parameters
    ----------
    f : function or class
        Test to mark.
    """
    return multi_gpu(1)(f)


def multi_gpu(gpu_num: int) -> Callable[[_Test], _Test]:
    """Return a decorator for a test that needs several GPUs.

    The test has the mark ``gpu``, and is skipped if the environment variable
    ``CHAINER_TEST_GPU_LIMIT`` is less than the number.

    Parameters
    ----------
    gpu_num : int
        Number of GPUs that the test needs.
    """
    mark = _mark('gpu')

    def deco(f):
        marked = mark(f)
        if 0 <= _gpu_limit < gpu_num:
            return unittest.skip('%d GPUs required' % gpu_num)(marked)
        return marked

    return deco


def _mark(name):
    check_available()
    # Looked up now, not at import: a conftest may have replaced the mark.
    return getattr(pytest.mark, name)
