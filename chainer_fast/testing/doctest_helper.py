"""Conditions under which the examples of a manual are skipped.

Each function returns true where the example is to be skipped.
"""
from chainer_fast.testing.attr import _gpu_limit
from chainer_fast.testing.helper import _are_satisfied


def skipif(condition):
    """Skip under a condition."""
    return bool(condition)


def skipif_requires_satisfied(*requirements):
    """Skip if distributions are installed, given as for ``with_requires``."""
    return _are_satisfied(requirements)


def skipif_not_enough_cuda_devices(device_count):
    """Skip if ``CHAINER_TEST_GPU_LIMIT`` allows fewer GPUs than this."""
    return 0 <= _gpu_limit < device_count
