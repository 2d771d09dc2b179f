"""Initializers that draw from normal distributions."""
from __future__ import annotations

import typing as tp

import numpy

from chainer_fast import backend, initializer
from chainer_fast.initializers import _random
from chainer_fast.types import DTypeSpec, NdArray


def _fill(array, rng, deviation):
    parameters = {'loc': 0.0, 'scale': deviation}
    if rng is None and backend.get_array_module(array) is not numpy:
        # A GPU draws float32 much faster than float64, and cannot draw float16.
        double = array.dtype == numpy.float64
        parameters['dtype'] = numpy.float64 if double else numpy.float32
    _random.fill(array, rng, 'normal', **parameters)


class Normal(initializer.Initializer):
    """Draws from a normal distribution of mean zero.

    Parameters
    ----------
    scale : float
        Standard deviation.
    dtype : dtype specifier or None
        See :class:`chainer_fast.Initializer`.
    rng : random generator or None
        An object with a method ``normal(loc, scale, size)``, such as a
        :class:`numpy.random.RandomState`. None stands for the global generator.
    """

    def __init__(
            self, scale: float = 0.05, dtype: DTypeSpec | None = None, *,
            rng: tp.Any = None) -> None:
        self.scale = scale
        self.rng = rng
        super().__init__(dtype)

    def __call__(self, array: NdArray) -> None:
        self._check_dtype(array)
        _fill(array, self.rng, self.scale)


class LeCunNormal(initializer.Initializer):
    """Draws from a normal distribution that keeps the variance of the inputs.

    The standard deviation is ``scale * sqrt(1 / fan_in)``. After LeCun et al.,
    *Efficient BackProp*, 1998. It is the default for the weights of links.

    Parameters
    ----------
    scale : float
        Factor of the standard deviation.
    dtype : dtype specifier or None
        See :class:`chainer_fast.Initializer`.
    rng : random generator or None
        See :class:`Normal`.
    """

    def __init__(
            self, scale: float = 1.0, dtype: DTypeSpec | None = None, *,
            rng: tp.Any = None) -> None:
        self.scale = scale
        self.rng = rng
        super().__init__(dtype)

    def __call__(self, array: NdArray) -> None:
        self._check_dtype(array)
        fan_in, _ = initializer.get_fans(array.shape)
        _fill(array, self.rng, _random.spread(self.scale, 1., fan_in))


class GlorotNormal(initializer.Initializer):
    """Draws from a normal distribution that balances outputs and gradients.

    The standard deviation is ``scale * sqrt(2 / (fan_in + fan_out))``. After Glorot and
    Bengio, *Understanding the difficulty of training deep feedforward neural networks*,
    AISTATS 2010.

    Parameters
    ----------
    scale : float
        Factor of the standard deviation.
    dtype : dtype specifier or None
        See :class:`chainer_fast.Initializer`.
    rng : random generator or None
        See :class:`Normal`.
    """

    def __init__(
            self, scale: float = 1.0, dtype: DTypeSpec | None = None, *,
            rng: tp.Any = None) -> None:
        self.scale = scale
        self.rng = rng
        super().__init__(dtype)

    def __call__(self, array: NdArray) -> None:
        self._check_dtype(array)
        fans = initializer.get_fans(array.shape)
        _fill(array, self.rng, _random.spread(self.scale, 2., sum(fans)))


class HeNormal(initializer.Initializer):
    """Draws from a normal distribution made for rectifiers.

    The standard deviation is ``scale * sqrt(2 / fan)``. After He et al., *Delving Deep
    into Rectifiers*, ICCV 2015.

    Parameters
    ----------
    scale : float
        Factor of the standard deviation.
    dtype : dtype specifier or None
        See :class:`chainer_fast.Initializer`.
    fan_option : {'fan_in', 'fan_out'}
        Fan to divide by: ``'fan_in'`` keeps the variance of the outputs, ``'fan_out'``
        that of the gradients.
    rng : random generator or None
        See :class:`Normal`.

    Raises
    ------
    ValueError
        When called, if ``fan_option`` is neither of the two.
    """

    def __init__(
            self, scale: float = 1.0, dtype: DTypeSpec | None = None,
            fan_option: str = 'fan_in', *, rng: tp.Any = None) -> None:
        self.scale = scale
        self.fan_option = fan_option
        self.rng = rng
        super().__init__(dtype)

    def __call__(self, array: NdArray) -> None:
        self._check_dtype(array)
        fans = dict(zip(
            ('fan_in', 'fan_out'), initializer.get_fans(array.shape), strict=True))
        if self.fan_option not in fans:
            raise ValueError(
                "fan_option has to be 'fan_in' or 'fan_out', not %r" % self.fan_option)
        _fill(
            array, self.rng, _random.spread(self.scale, 2., fans[self.fan_option]))
