"""Gradients of the gradients of normalizing functions.

Batch, layer and group normalization are one formula with different axes,

.. math::

    y = \\gamma \\hat x + \\beta, \\qquad \\hat x = s (x - \\bar x), \\qquad
    s = (\\mathrm{var}(x) + \\epsilon)^{-1/2}.

With the projection :math:`P(v) = v - \\bar v - \\hat x \\overline{v \\hat x}`, which is
its own adjoint, a gradient :math:`h` of :math:`\\hat x` is :math:`s P(h)` for
:math:`x`, and :math:`\\mathrm d s / \\mathrm d x = -s^2 \\hat x / m` for averages over
:math:`m` elements. The formulas below follow from these two.
"""
from chainer_fast.functions.array import broadcast, cast, reshape
from chainer_fast.functions.math import average, sqrt
from chainer_fast.functions.math import sum as sum_mod
from chainer_fast.variable import Variable


def mean(x, axes):
    """Return the average of a variable along axes, which are kept with length one."""
    return average.average(x, axis=axes, keepdims=True)


def zeros(like):
    """Return a variable of zeros with the shape and dtype of another one."""
    return Variable(like.xp.zeros(like.shape, like.dtype))


def standardize(x, axes, eps):
    """Normalize to mean zero and variance one.

    Parameters
    ----------
    x : Variable
        Values.
    axes : tuple of int
        Axes over which the moments are computed.
    eps : float
        Constant added to the variance.

    Returns
    -------
    tuple of Variable
        The result, and the reciprocal of the standard deviation.
    """
    centered = x - mean(x, axes)
    inv_std = sqrt.rsqrt(mean(centered * centered, axes) + eps)
    return centered * inv_std, inv_std


def gradients(x, gamma, gy, ggx, gggamma, ggbeta, axes, eps):
    """Differentiate the gradients of a normalizing function.

    Parameters
    ----------
    x : Variable
        Values before normalization.
    gamma : Variable
        Factors, of a shape that broadcasts to that of ``x``.
    gy : Variable
        Gradient of the function's output.
    ggx, gggamma, ggbeta : Variable or None
        Gradients of the gradients of ``x``, of ``gamma``, and of the offset, which has
        the shape of ``gamma``.
    axes : tuple of int
        Axes over which moments are computed.
    eps : float
        Constant added to the variance.

    Returns
    -------
    tuple of Variable or None
        Gradients of ``x``, ``gamma`` and ``gy``.
    """
    if x.size == 0:
        return (None if ggx is gggamma is None else zeros(x),
                None if ggx is None else zeros(gamma), zeros(gy))
    shape = gamma.shape
    x_hat, inv_std = standardize(x, axes, eps)

    def projected(v):
        return v - mean(v, axes) - x_hat * mean(v * x_hat, axes)

    by_x = by_gamma = by_gy = None
    if ggx is not None:
        g = gamma * gy
        back = inv_std * projected(ggx)
        by_gy = gamma * back
        by_gamma = sum_mod.sum_to(gy * back, shape)
        # Both factors of gx = s P(g) depend on x; P depends on it through x_hat.
        along = mean(ggx * x_hat, axes)
        by_x_hat = -inv_std * (along * g + mean(g * x_hat, axes) * ggx)
        size = mean(ggx * projected(g), axes)
        by_x = -size * inv_std * inv_std * x_hat
    if gggamma is not None:
        term = gggamma * gy
        by_x_hat = term if by_x is None else by_x_hat + term
        term = gggamma * x_hat
        by_gy = term if by_gy is None else by_gy + term
    if by_x is not None or gggamma is not None:
        term = inv_std * projected(by_x_hat)
        by_x = term if by_x is None else by_x + term
    if ggbeta is not None:
        # The gradient of the offset is just a sum of gy.
        term = broadcast.broadcast_to(ggbeta, gy.shape)
        by_gy = term if by_gy is None else by_gy + term
    return by_x, by_gamma, by_gy


def parameter_view(v, shape):
    """Reshape a variable that belongs to a parameter; return None for None."""
    return v if v is None or v.shape == shape else reshape.reshape(v, shape)


def fit(gradient, operand):
    """Convert a gradient to the shape and dtype of its variable; None stays None."""
    return cast.as_type(parameter_view(gradient, operand.shape), operand.dtype)
