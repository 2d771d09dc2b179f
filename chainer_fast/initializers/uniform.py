"""Initializers that draw from uniform distributions."""
from __future__ import annotations

from typing import Any

import numpy

from chainer_fast import backend, initializer
from chainer_fast.backends.kernels import noise
from chainer_fast.initializers import _random
from chainer_fast.types import DTypeSpec, NdArray


def _fill(array, rng, bound):
    array = backend.from_chx(array)
    if rng is None and backend.get_array_module(array) is numpy:
        array[...] = noise.uniform(array, -bound, bound)
        return
    _random.fill(array, rng, 'uniform', low=-bound, high=bound)


class Uniform(initializer.Initializer):
    """Draws uniformly from the interval ``[-scale, scale]``.

    .. math:: w \\sim U(-s, s)

    Parameters
    ----------
    scale : float
        Bound of the interval.
    dtype : dtype specifier or None
        See :class:`chainer_fast.Initializer`.
    rng : random generator or None
        An object with a method ``uniform(low, high, size)``, such as a
        :class:`numpy.random.RandomState`. None means the global generator.

    Raises
    ------
    AssertionError
        When called, if the dtype of the array is not the given one.

    Examples
    --------
    >>> rng = np.random.RandomState(0)
    >>> W = np.empty((100, 50), np.float32)
    >>> chainer.initializers.Uniform(0.5, rng=rng)(W)
    >>> round(float(abs(W).max()), 2)
    0.5
    """

    def __init__(
            self, scale: float = 0.05, dtype: DTypeSpec | None = None, *,
            rng: Any = None) -> None:
        self.scale = scale
        self.rng = rng
        super().__init__(dtype)

    def __call__(self, array: NdArray) -> None:
        self._check_dtype(array)
        _fill(array, self.rng, self.scale)


class LeCunUniform(initializer.Initializer):
    """Draws uniformly, with the variance of :class:`LeCunNormal`.

    .. math:: w \\sim U(-b, b), \\quad b = s \\sqrt{\\frac{3}{n_\\text{in}}}

    with the fan-in :math:`n_\\text{in}` as for :class:`LeCunNormal`.

    Parameters
    ----------
    scale : float
        Factor of the bound.
    dtype : dtype specifier or None
        See :class:`chainer_fast.Initializer`.
    rng : random generator or None
        See :class:`Uniform`.

    Raises
    ------
    AssertionError
        When called, if the dtype of the array is not the given one.
    ValueError
        When called, if the array has fewer than two axes.

    References
    ----------
    Y. LeCun et al. `Efficient backprop <https://doi.org/10.1007/3-540-49430-8_2>`__.
    1998.

    Examples
    --------
    >>> rng = np.random.RandomState(0)
    >>> W = np.empty((100, 50), np.float32)
    >>> chainer.initializers.LeCunUniform(rng=rng)(W)
    >>> round(float(W.std() * 50 ** 0.5), 1)
    1.0
    """

    def __init__(
            self, scale: float = 1.0, dtype: DTypeSpec | None = None, *,
            rng: Any = None) -> None:
        self.scale = scale
        self.rng = rng
        super().__init__(dtype)

    def __call__(self, array: NdArray) -> None:
        self._check_dtype(array)
        fan_in, _ = initializer.get_fans(array.shape)
        _fill(array, self.rng, _random.spread(self.scale, 3., fan_in))


class GlorotUniform(initializer.Initializer):
    """Draws uniformly, with the variance of :class:`GlorotNormal`.

    .. math::

        w \\sim U(-b, b), \\quad b = s \\sqrt{\\frac{6}{n_\\text{in} + n_\\text{out}}}

    with the fans as for :class:`GlorotNormal`.

    Parameters
    ----------
    scale : float
        Factor of the bound.
    dtype : dtype specifier or None
        See :class:`chainer_fast.Initializer`.
    rng : random generator or None
        See :class:`Uniform`.

    Raises
    ------
    AssertionError
        When called, if the dtype of the array is not the given one.
    ValueError
        When called, if the array has fewer than two axes.

    References
    ----------
    X. Glorot and Y. Bengio. `Understanding the difficulty of training deep feedforward
    neural networks <https://proceedings.mlr.press/v9/glorot10a.html>`__. AISTATS 2010.

    Examples
    --------
    >>> rng = np.random.RandomState(0)
    >>> W = np.empty((100, 50), np.float32)
    >>> chainer.initializers.GlorotUniform(rng=rng)(W)
    >>> round(float(W.std() * 75 ** 0.5), 1)
    1.0
    """

    def __init__(
            self, scale: float = 1.0, dtype: DTypeSpec | None = None, *,
            rng: Any = None) -> None:
        self.scale = scale
        self.rng = rng
        super().__init__(dtype)

    def __call__(self, array: NdArray) -> None:
        self._check_dtype(array)
        fans = initializer.get_fans(array.shape)
        _fill(array, self.rng, _random.spread(self.scale, 6., sum(fans)))


class HeUniform(initializer.Initializer):
    """Draws uniformly, with the variance of :class:`HeNormal` for inputs.

    .. math:: w \\sim U(-b, b), \\quad b = s \\sqrt{\\frac{6}{n_\\text{in}}}

    with the fan-in :math:`n_\\text{in}` as for :class:`HeNormal`.

    Parameters
    ----------
    scale : float
        Factor of the bound.
    dtype : dtype specifier or None
        See :class:`chainer_fast.Initializer`.
    rng : random generator or None
        See :class:`Uniform`.

    Raises
    ------
    AssertionError
        When called, if the dtype of the array is not the given one.
    ValueError
        When called, if the array has fewer than two axes.

    References
    ----------
    K. He, X. Zhang, S. Ren and J. Sun. `Delving deep into rectifiers
    <https://arxiv.org/abs/1502.01852>`__. ICCV 2015.

    Examples
    --------
    >>> rng = np.random.RandomState(0)
    >>> W = np.empty((100, 50), np.float32)
    >>> chainer.initializers.HeUniform(rng=rng)(W)
    >>> round(float(W.std() * 25 ** 0.5), 1)
    1.0
    """

    def __init__(
            self, scale: float = 1.0, dtype: DTypeSpec | None = None, *,
            rng: Any = None) -> None:
        self.scale = scale
        self.rng = rng
        super().__init__(dtype)

    def __call__(self, array: NdArray) -> None:
        self._check_dtype(array)
        fan_in, _ = initializer.get_fans(array.shape)
        _fill(array, self.rng, _random.spread(self.scale, 6., fan_in))
