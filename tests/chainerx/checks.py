"""What routines with a gradient have in common."""
import numpy as np

from chainer_fast import chainerx, gradient_check
from chainer_fast.chainerx import _array, _contexts
from tests.devices import to_cpu


def array(values):
    """Return an array on the default device."""
    device = _contexts.get_device()
    return _array.plain(device.xp.asarray(values), device)


def values(y):
    """Return the array of NumPy with the values of an array."""
    return to_cpu(y._array)


def uniform(*shape, seed=0):
    """Return numbers between -1 and 1."""
    return np.random.default_rng(seed).uniform(-1, 1, shape)


def results(function, *arrays):
    """Return what a routine makes of arrays, as a list."""
    found = function(*arrays)
    return list(found) if isinstance(found, (tuple, list)) else [found]


def check(function, *operands):
    """Check that a routine is the same in a graph and outside, and its gradients.

    Parameters
    ----------
    function : callable
        Takes arrays of ChainerX, and returns one or several.
    *operands : numpy.ndarray of float64
    """
    outside = results(function, *map(array, operands))
    inside = results(function, *[array(x).require_grad() for x in operands])
    for y, z in zip(outside, inside, strict=True):
        assert not y._is_connected()
        assert z.is_backprop_required()
        assert (y.dtype, y.shape, y.strides) == (z.dtype, z.shape, z.strides)
        np.testing.assert_allclose(values(y), values(z), rtol=1e-6, atol=1e-12)

    def of_variables(*variables):
        device = _contexts.get_device()
        return tuple([y._v for y in results(
            function, *[_array.wrap(v, device) for v in variables])])

    xp = outside[0].device.xp
    operands = [xp.asarray(x) for x in operands]
    gradients = [xp.asarray(uniform(*y.shape, seed=1)) for y in outside]
    gradient_check.check_backward(
        of_variables, operands, gradients, atol=1e-4, rtol=1e-3)
    directions = [xp.asarray(uniform(*x.shape, seed=2)) for x in operands]
    gradient_check.check_double_backward(
        of_variables, operands, gradients, directions, atol=1e-3, rtol=1e-3)


def same(routine, reference, *operands, rtol=2e-6):
    """Check that a routine returns what one of NumPy or Chainer does."""
    found = results(routine, *map(array, operands))
    expected = results(reference, *operands)
    for y, z in zip(found, expected, strict=True):
        assert isinstance(y, chainerx.ndarray)
        np.testing.assert_allclose(values(y), getattr(z, 'array', z), rtol=rtol)
