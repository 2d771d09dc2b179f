"""Functions that several distributions share."""
from __future__ import annotations

import warnings

import numpy

from chainer_fast import backend, utils
from chainer_fast.backends import cuda
from chainer_fast.backends.kernels import noise
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions.array.where import where
from chainer_fast.functions.math import exponential
from chainer_fast.types import NdArray
from chainer_fast.variable import GradOutputs, Variable, as_array, as_variable


class ModifiedXLogX(FunctionNode):
    """Product of a number and its logarithm, which is zero at zero.

    Parameters
    ----------
    logx : Variable
        Logarithms of the inputs, connected to them; zero where an input is not
        positive.
    """

    x_zero: NdArray

    def __init__(self, logx: Variable) -> None:
        super().__init__()
        self._logx = logx

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x, = inputs
        self.x_zero = utils.force_array(x == 0)
        return utils.force_array(x * self._logx.array, x.dtype),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        gy, = grad_outputs
        slope = self._logx + 1
        if self.x_zero.any():
            # The derivative at zero is minus infinity, which an optimizer cannot use.
            warnings.warn(
                'x * log(x) has no gradient at x = 0; zero is used instead.',
                RuntimeWarning, stacklevel=2)
            xp = backend.get_array_module(self.x_zero)
            slope = where(self.x_zero, xp.zeros_like(slope.array), slope)
        return slope * gy,


def _modified_xlogx(x):
    """Return ``x * log(x)``, which is zero at zero.

    Parameters
    ----------
    x : Variable or array
        Non-negative values. At zero the gradient is zero, with a warning.

    Returns
    -------
    Variable
        Array of the shape and dtype of ``x``.
    """
    x = as_variable(x)
    array = as_array(x)
    xp = backend.get_array_module(array)
    # With ones, the logarithm and its derivative are finite where they are not used.
    logx = exponential.log(where(
        utils.force_array(array > 0), x, xp.ones_like(array)))
    return ModifiedXLogX(logx).apply((x,))[0]


def _standard_normal(xp, shape, dtype):
    """Return an array of samples of the standard normal distribution."""
    if xp is numpy:
        return noise.normals(
            shape, dtype, None, lambda: numpy.random.standard_normal(shape))
    if xp is not cuda.cupy:
        return xp.random.standard_normal(shape).astype(dtype)
    # CuPy cannot draw float16, and draws float64 slowly.
    drawn = dtype if numpy.dtype(dtype).itemsize > 4 else numpy.float32
    return xp.random.standard_normal(shape, dtype=drawn).astype(dtype, copy=False)


def _standard_uniform(xp, shape, dtype):
    """Return an array of samples from the interval [0, 1)."""
    return xp.random.random_sample(shape).astype(dtype)


def _check_probabilities(p):
    """Raise ``ValueError`` for rows that are not probabilities of categories."""
    if (p < 0).any():
        raise ValueError('the probabilities p must not be negative, their minimum is '
                         '%s' % p.min())
    totals = p.sum(axis=-1, dtype=numpy.float64)
    off = abs(totals - 1).max()
    floating = p.dtype if p.dtype.kind == 'f' else numpy.float64
    tolerance = float(numpy.finfo(floating).eps) ** 0.5
    # This form of the comparison also catches NaN.
    if not off <= tolerance:
        raise ValueError('the probabilities p must sum up to 1 along the last axis, '
                         'a sum is off by %s' % (off,))


def _expect_last_axis(x, name):
    """Raise ``IndexError`` for a single number instead of a vector."""
    if x.ndim == 0:
        raise IndexError(
            '%s must have at least one axis with a number for each category, but its '
            'shape is ()' % (name,))


def _random_categories(p, n):
    """Draw categories by inverting their distribution function.

    The stream of random numbers is that of ``numpy.random.choice`` with ``n`` samples
    of each row, one row after the other.

    Parameters
    ----------
    p : array
        Probabilities, with the categories along the last axis.
    n : int
        Number of samples.

    Returns
    -------
    array
        Integers of the shape ``(n,) + p.shape[:-1]``.

    Raises
    ------
    ValueError
        If probabilities are negative or do not sum up to one.
    """
    device = backend.get_device_from_array(p)
    p = backend.from_chx(p)
    xp = backend.get_array_module(p)
    _expect_last_axis(p, 'p')
    batch_shape, n_categories = p.shape[:-1], p.shape[-1]
    if p.size > 0:
        _check_probabilities(p)
    rows = p.reshape(-1, n_categories) if p.size > 0 else p.reshape(0, n_categories)
    limits = xp.cumsum(rows, axis=-1, dtype=numpy.float64)
    limits /= limits[:, -1:]
    points = xp.random.random_sample((len(rows), n))
    if len(rows) < n_categories:
        chosen = xp.empty(points.shape, numpy.int64)
        for i in range(len(rows)):
            chosen[i] = xp.searchsorted(limits[i], points[i], side='right')
    else:
        # The number of steps depends on the categories, not on the rows.
        chosen = xp.zeros(points.shape, numpy.int64)
        for i in range(n_categories):
            chosen += limits[:, i:i + 1] <= points
    return device.send(chosen.T.reshape((n,) + batch_shape))
