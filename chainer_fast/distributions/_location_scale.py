"""Base of families that move and stretch one standard distribution."""
from chainer_fast.distribution import Distribution
from chainer_fast.utils import cache
from chainer_fast.variable import as_variable


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

    def __init__(self, loc, scale):
        super().__init__()
        self._loc, self._scale = loc, scale

    @cache.cached_property
    def loc(self):
        """Variable: Location."""
        return as_variable(self._loc)

    @cache.cached_property
    def scale(self):
        """Variable: Scale."""
        return as_variable(self._scale)

    @property
    def params(self):
        return {'loc': self.loc, 'scale': self.scale}

    @property
    def batch_shape(self):
        return self.loc.shape

    @property
    def event_shape(self):
        return ()

    @property
    def support(self):
        return 'real'

    def _standardize(self, x):
        """Return the ``z`` of points."""
        return (x - self.loc) / self.scale

    def _noise(self, shape):
        """Draw an array of ``z`` of any dtype; the caller casts it."""
        raise NotImplementedError

    def sample_n(self, n):
        return self.loc + self.scale * self._noise((n,) + self.batch_shape)
