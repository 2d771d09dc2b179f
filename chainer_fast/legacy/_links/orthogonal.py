"""Orthogonal matrices as Chainer 1 to 5 drew them."""
import functools
import math

from chainer_fast.initializers.orthogonal import Orthogonal
from chainer_fast.legacy import _named, _report


def _sample(today):
    @functools.wraps(today)
    def sample(self, shape, rng, xp):
        columns = math.prod(shape[1:])
        if shape[0] > columns:
            # These versions refused the shape.
            return today(self, shape, rng, xp)
        _report.adapted('chainer.initializers.Orthogonal by singular vectors')
        samples = xp.asarray(rng.normal(size=(shape[0], columns)))
        left, _, right = xp.linalg.svd(samples, full_matrices=False)
        return left if left.shape == samples.shape else right
    return sample


def install(patches):
    """Draw the matrices as before if the version is named."""
    if _named.is_named(patches, 'v5'):
        patches.set(Orthogonal, '_sample', _sample(Orthogonal._sample))
