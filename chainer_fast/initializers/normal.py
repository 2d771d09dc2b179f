"""Initializers that draw from normal distributions."""
from __future__ import annotations

from typing import Any

import numpy

from chainer_fast import backend, initializer
from chainer_fast.backends.kernels import noise
from chainer_fast.initializers import _random
from chainer_fast.types import DTypeSpec, NdArray


def _fill(array, rng, deviation):
    array = backend.from_chx(array)
    parameters = {'loc': 0.0, 'scale': deviation}
    if rng is None and backend.get_array_module(array) is numpy:
        array[...] = noise.normals(
            array.shape, array.dtype, deviation,
            lambda: numpy.random.normal(size=array.shape, **parameters))
        return
    if rng is None:
        # A GPU draws float32 much faster than float64, and cannot draw float16.
        double = array.dtype == numpy.float64
        parameters['dtype'] = numpy.float64 if double else numpy.float32
    _random.fill(array, rng, 'normal', **parameters)


class Normal(initializer.Initializer):
    """Draws from a normal distribution of mean zero.

    .. math:: w \\sim N(0, s^2)

    Parameters
    ----------
    scale : float
        Standard deviation.
    dtype : dtype specifier or None
        See :class:`chainer_fast.Initializer`.
    rng : random generator or None
        An object with a method ``normal(loc, scale, size)``, such as a
        :class:`numpy.random.RandomState`. None means the global generator.

    Raises
    ------
    AssertionError
        When called, if the dtype of the array is not the given one.

    Examples
    --------
    >>> rng = np.random.RandomState(0)
    >>> W = np.empty((100, 50), np.float32)
    >>> chainer.initializers.Normal(0.1, rng=rng)(W)
    >>> round(float(W.std()), 2)
    0.1
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


class LeCunNormal(initializer.Initializer):
    """Draws from a normal distribution that preserves the variance of the inputs.

    .. math:: w \\sim N\\left(0, \\frac{s^2}{n_\\text{in}}\\right)

    where the fan-in :math:`n_\\text{in}` is the number of inputs of a unit: for a
    weight of shape ``(out, in, ...)``, the product of all axes except the first one. It
    is the default initializer of the weights of links.

    Parameters
    ----------
    scale : float
        Factor of the standard deviation.
    dtype : dtype specifier or None
        See :class:`chainer_fast.Initializer`.
    rng : random generator or None
        See :class:`Normal`.

    Raises
    ------
    AssertionError
        When called, if the dtype of the array is not the given one.
    ValueError
        When called, if the array has fewer than two axes.

    See Also
    --------
    chainer_fast.initializers.LeCunUniform

    References
    ----------
    Y. LeCun et al. `Efficient backprop <https://doi.org/10.1007/3-540-49430-8_2>`__.
    1998.

    Examples
    --------
    >>> rng = np.random.RandomState(0)
    >>> W = np.empty((100, 50), np.float32)
    >>> chainer.initializers.LeCunNormal(rng=rng)(W)
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
        _fill(array, self.rng, _random.spread(self.scale, 1., fan_in))


class GlorotNormal(initializer.Initializer):
    """Draws from a normal distribution that balances outputs and gradients.

    .. math:: w \\sim N\\left(0, \\frac{2 s^2}{n_\\text{in} + n_\\text{out}}\\right)

    For a weight of shape ``(out, in, ...)`` the fan-in :math:`n_\\text{in}` is the
    product of all axes except the first one, and the fan-out that of all axes except
    the second one.

    Parameters
    ----------
    scale : float
        Factor of the standard deviation.
    dtype : dtype specifier or None
        See :class:`chainer_fast.Initializer`.
    rng : random generator or None
        See :class:`Normal`.

    Raises
    ------
    AssertionError
        When called, if the dtype of the array is not the given one.
    ValueError
        When called, if the array has fewer than two axes.

    See Also
    --------
    chainer_fast.initializers.GlorotUniform

    References
    ----------
    X. Glorot and Y. Bengio. `Understanding the difficulty of training deep feedforward
    neural networks <https://proceedings.mlr.press/v9/glorot10a.html>`__. AISTATS 2010.

    Examples
    --------
    >>> rng = np.random.RandomState(0)
    >>> W = np.empty((100, 50), np.float32)
    >>> chainer.initializers.GlorotNormal(rng=rng)(W)
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
        _fill(array, self.rng, _random.spread(self.scale, 2., sum(fans)))


class HeNormal(initializer.Initializer):
    """Draws from a normal distribution for layers with rectifiers.

    .. math:: w \\sim N\\left(0, \\frac{2 s^2}{n}\\right)

    For a weight of shape ``(out, in, ...)`` the fan :math:`n` is the product of all
    axes except the first one or, with ``fan_option='fan_out'``, except the second one.

    Parameters
    ----------
    scale : float
        Factor of the standard deviation.
    dtype : dtype specifier or None
        See :class:`chainer_fast.Initializer`.
    fan_option : {'fan_in', 'fan_out'}
        Fan to divide by: ``'fan_in'`` preserves the variance of the outputs,
        ``'fan_out'`` that of the gradients.
    rng : random generator or None
        See :class:`Normal`.

    Raises
    ------
    AssertionError
        When called, if the dtype of the array is not the given one.
    ValueError
        When called, if ``fan_option`` is neither of the two, or the array has fewer
        than two axes.

    See Also
    --------
    chainer_fast.initializers.HeUniform

    References
    ----------
    K. He, X. Zhang, S. Ren and J. Sun. `Delving deep into rectifiers
    <https://arxiv.org/abs/1502.01852>`__. ICCV 2015.

    Examples
    --------
    >>> rng = np.random.RandomState(0)
    >>> W = np.empty((100, 50), np.float32)
    >>> chainer.initializers.HeNormal(rng=rng)(W)
    >>> round(float(W.std() * 25 ** 0.5), 1)
    1.0
    """

    def __init__(
            self, scale: float = 1.0, dtype: DTypeSpec | None = None,
            fan_option: str = 'fan_in', *, rng: Any = None) -> None:
        self.scale = scale
        self.fan_option = fan_option
        self.rng = rng
        super().__init__(dtype)

    def __call__(self, array: NdArray) -> None:
        self._check_dtype(array)
        fans = dict(zip(
            ('fan_in', 'fan_out'), initializer.get_fans(array.shape), strict=True))
        if self.fan_option not in tuple(fans):   # it may not be hashable
            raise ValueError(
                "fan_option must be 'fan_in' or 'fan_out', not %r" % (
                    self.fan_option,))
        _fill(
            array, self.rng, _random.spread(self.scale, 2., fans[self.fan_option]))
