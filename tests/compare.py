"""Comparisons of NumPy for arrays on any devices."""
import numpy as np

from tests.devices import to_cpu


def assert_array_equal(actual, expected):
    np.testing.assert_array_equal(to_cpu(actual), to_cpu(expected))


def assert_allclose(actual, expected, rtol=1e-7, atol=0, err_msg=''):
    np.testing.assert_allclose(
        to_cpu(actual), to_cpu(expected), rtol, atol, err_msg=err_msg)
