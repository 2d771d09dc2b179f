"""Base of families that shift and scale a standard distribution."""
from __future__ import annotations

from chainer_fast.distribution import Distribution
from chainer_fast.utils import cache
from chainer_fast.variable import Variable, VariableOrArray, as_variable


class LocationScale(Distribution):
    """Distribution of ``loc + scale * z``, where ``z`` has a standard distribution.

    Subclasses draw samples of ``z`` in ``_noise``.

    Parameters
    ----------
    loc : Variable or array
        Location.
    scale : Variable or array
        Scale, positive, of the shape and dtype of ``loc``.
    """

    def __init__(self, loc: VariableOrArray, scale: VariableOrArray) -> None:
        super().__init__()
        self._loc, self._scale = loc, scale

    @cache.cached_property
    def loc(self) -> Variable:
        """Variable: Location."""
        return as_variable(self._loc)

    @cache.cached_property
    def scale(self) -> Variable:
        """Variable: Scale."""
        return as_variable(self._scale)

    @property
    def params(self) -> dict[str, VariableOrArray]:
        return {'loc': self.loc, 'scale': self.scale}

    @property
    def batch_shape(self) -> tuple[int, ...]:
        return self.loc.shape

    @property
    def event_shape(self) -> tuple[int, ...]:
        return ()

    @property
    def support(self) -> str:
        return 'real'

    def _standardize(self, x):
        """Return ``z`` at given points."""
        return (x - self.loc) / self.scale

    def _noise(self, shape):
        """Draw an array of samples of ``z`` of any dtype; the caller casts it."""
        raise NotImplementedError

    def sample_n(self, n: int) -> Variable:
        return self.loc + self.scale * self._noise((n,) + self.batch_shape)
