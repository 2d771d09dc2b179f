"""Gradients where pieces of a function meet: old versions used the other piece.

At such points, the difference of the slopes is added to the gradient by a term whose
value is zero.
"""
import functools
import inspect

from chainer_fast._help.past.removed import functions_and_links as removed
from chainer_fast.functions.array import where
from chainer_fast.legacy import _named, _report
from chainer_fast.legacy._functions import calls
from chainer_fast.variable import as_variable


def _at_zero(x, slope):
    return x == 0, 1 - slope


def _at_bounds(x, x_min, x_max):
    return (x == x_min) | (x == x_max), -1


# Functions of the arguments of a function that return the points, and the difference of
# the slopes there.
_POINTS = {removed.AT_ZERO: _at_zero, removed.AT_BOUNDS: _at_bounds}


def _with_slope_of(points, today):
    """Return a function that has another slope at given points."""
    what = 'chainer.functions.%s with its gradient where pieces meet' % today.__name__
    signature = inspect.signature(today)

    @functools.wraps(today)
    def call(x, *args, **kwargs):
        y = today(x, *args, **kwargs)
        x = as_variable(x)
        given = signature.bind(x.array, *args, **kwargs)
        given.apply_defaults()
        at, change = points(*given.args)
        if not change or not at.any():
            return y
        _report.adapted(what)
        # Infinite elements must not be multiplied by zero.
        return y + where.where(at, x - x.array, y.xp.zeros_like(y.array)) * change
    return call


def install(patches):
    """Use the piece of the named version."""
    for name, _, version, place, _ in removed.MEETING_POINTS:
        if _named.is_named(patches, version):
            calls.replace(
                patches, name, functools.partial(_with_slope_of, _POINTS[place]))
