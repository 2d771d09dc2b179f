"""Random masks and numbers.

On the host they draw from NumPy's global generator, exactly as ``numpy.random.rand``,
``uniform`` and ``gumbel`` do.
"""
import numpy

from chainer_fast.backends import arrays
from chainer_fast.backends.cuda import get_array_module
from chainer_fast.backends.kernels import kernel
from chainer_fast.backends.kernels.noise import compiled as _compiled
from chainer_fast.backends.kernels.noise import cuda as _device


@kernel(compiled=_compiled.kept)
def kept(x, shape, ratio):
    """Draw flags that are false with a given probability.

    Parameters
    ----------
    x : array
        Any array on the device.
    shape : tuple of int
        Shape of the flags.
    ratio : float
        The probability.

    Returns
    -------
    array
        Booleans.
    """
    xp = get_array_module(x)
    return xp.asarray(xp.random.rand(*shape) >= ratio)


@kernel(compiled=_compiled.uniform)
def uniform(x, lower, upper):
    """Draw numbers between two bounds.

    Parameters
    ----------
    x : array
        Gives shape, dtype and device.
    lower, upper : float
        The bounds.

    Returns
    -------
    array
        Numbers of the shape and dtype of ``x``.
    """
    xp = get_array_module(x)
    drawn = xp.random.uniform(lower, upper, x.shape)
    return arrays.force_array(drawn, x.dtype)


@kernel(compiled=_compiled.gumbel)
def gumbel(x):
    """Draw numbers of the standard Gumbel distribution, as many as ``x`` has.

    Parameters
    ----------
    x : array
        Gives shape, dtype and device.

    Returns
    -------
    array
        Numbers of the shape and dtype of ``x``.
    """
    xp = get_array_module(x)
    return arrays.force_array(xp.random.gumbel(size=x.shape), x.dtype)


@kernel(compiled=_compiled.dropout, device=_device.dropout)
def dropout(x, ratio):
    """Zero random elements and scale up the others.

    Parameters
    ----------
    x : array
        Values of a floating dtype.
    ratio : float
        Probability that an element is dropped, in ``[0, 1)``.

    Returns
    -------
    y, mask : array
        ``x * mask``, and the mask of zeros and ``1 / (1 - ratio)``.
    """
    scale = x.dtype.type(1. / (1 - float(ratio)))
    mask = numpy.asarray(scale * (numpy.random.rand(*x.shape) >= ratio))
    return numpy.asarray(x * mask), mask
