"""Values of the variables of the fixture ``xw``, and what zero means."""
import numpy as np

from tests import compare

X, W = np.array([1., 2., 3.]), np.array([4., 5., 6.])


def assert_zero(gradient, x):
    compare.assert_array_equal(gradient.array, np.zeros(x.shape))
    assert gradient.dtype == x.dtype
    assert gradient.creator is None
    assert not gradient.requires_grad
    assert gradient.device == x.device
