"""Conditions for skipping examples of a manual.

Each function returns true if the example should be skipped.
"""
from __future__ import annotations

from typing import Any

from chainer_fast.testing.attr import _gpu_limit
from chainer_fast.testing.helper import _are_satisfied


def skipif(condition: Any) -> bool:
    """Skip if a condition is true."""
    return bool(condition)


def skipif_requires_satisfied(*requirements: Any) -> bool:
    """Skip if distributions, given as for ``with_requires``, are installed."""
    return _are_satisfied(requirements)


def skipif_not_enough_cuda_devices(device_count: int) -> bool:
    """Skip if ``CHAINER_TEST_GPU_LIMIT`` allows fewer GPUs than this."""
    return 0 <= _gpu_limit < device_count
