"""Initializers that draw from uniform distributions."""
from __future__ import annotations

import typing as tp

from chainer_fast import initializer
from chainer_fast.initializers import _random
from chainer_fast.types import DTypeSpec, NdArray


def _fill(array, rng, bound):
    _random.fill(array, rng, 'uniform', low=-bound, high=bound)


class Uniform(initializer.Initializer):
    """Draws uniformly from the interval ``[-scale, scale]``.

    Parameters
    ----------
    scale : float
        Bound of the interval.
    dtype : dtype specifier or None
        See :class:`chainer_fast.Initializer`.
    rng : random generator or None
        An object with a method ``uniform(low, high, size)``, such as a
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


class LeCunUniform(initializer.Initializer):
    """Draws uniformly, with the variance of :class:`LeCunNormal`.

    The bound is ``scale * sqrt(3 / fan_in)``. After LeCun et al., *Efficient BackProp*,
    1998.

    Parameters
    ----------
    scale : float
        Factor of the bound.
    dtype : dtype specifier or None
        See :class:`chainer_fast.Initializer`.
    rng : random generator or None
        See :class:`Uniform`.
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
        _fill(array, self.rng, _random.spread(self.scale, 3., fan_in))


class GlorotUniform(initializer.Initializer):
    """Draws uniformly, with the variance of :class:`GlorotNormal`.

    The bound is ``scale * sqrt(6 / (fan_in + fan_out))``. After Glorot and Bengio,
    *Understanding the difficulty of training deep feedforward neural networks*,
    AISTATS 2010.

    Parameters
    ----------
    scale : float
        Factor of the bound.
    dtype : dtype specifier or None
        See :class:`chainer_fast.Initializer`.
    rng : random generator or None
        See :class:`Uniform`.
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
        _fill(array, self.rng, _random.spread(self.scale, 6., sum(fans)))


class HeUniform(initializer.Initializer):
    """Draws uniformly, with the variance of :class:`HeNormal` for inputs.

    The bound is ``scale * sqrt(6 / fan_in)``. After He et al., *Delving Deep into
    Rectifiers*, ICCV 2015.

    Parameters
    ----------
    scale : float
        Factor of the bound.
    dtype : dtype specifier or None
        See :class:`chainer_fast.Initializer`.
    rng : random generator or None
        See :class:`Uniform`.
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
        _fill(array, self.rng, _random.spread(self.scale, 6., fan_in))
