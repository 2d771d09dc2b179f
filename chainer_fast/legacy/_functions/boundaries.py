"""Gradients at points where the pieces of a function meet: old versions took the other.

Where there are such points, the difference of the slopes is added to the gradient by a
term whose value is zero.
"""
import functools

from chainer_fast.functions.array import where
from chainer_fast.legacy import _named, _report
from chainer_fast.legacy._functions import calls
from chainer_fast.variable import as_variable


def _leaky_relu(x, slope=0.2):
    return x == 0, 1 - slope


def _elu(x, alpha=1.0):
    return x == 0, 1 - alpha


def _clip(x, x_min, x_max):
    return (x == x_min) | (x == x_max), -1


# What returns, for the arguments of a function, where the points are, and by how much
# the slope differs there; and the last version of that slope. `selu` is made of `elu`.
_POINTS = {
    'leaky_relu': (_leaky_relu, 'v4'), 'elu': (_elu, 'v5'), 'clip': (_clip, 'v5')}


def _with_slope_of(points, today):
    """Return a function that has another slope at points."""
    what = 'chainer.functions.%s with its gradient where pieces meet' % today.__name__

    @functools.wraps(today)
    def call(x, *args, **kwargs):
        y = today(x, *args, **kwargs)
        x = as_variable(x)
        at, change = points(x.array, *args, **kwargs)
        if not change or not at.any():
            return y
        _report.adapted(what)
        # Infinite elements must not meet a zero.
        return y + where.where(at, x - x.array, y.xp.zeros_like(y.array)) * change
    return call


def install(patches):
    """Take the piece of the version that is named."""
    for name, (points, version) in _POINTS.items():
        if _named.is_named(patches, version):
            calls.replace(patches, name, functools.partial(_with_slope_of, points))
