"""Random numbers on a GPU for recorded functions.

A CUDA graph cannot draw them. Random numbers that a function draws while it is
recorded are instead drawn before each launch, into the memory that the graph reads.
They are the numbers that the function would draw itself, provided that it only draws
on the GPU.
"""
import contextlib
import threading

from chainer_fast.backends._cupy import cupy


class _Source(threading.local):
    current = None


_source = _Source()


@contextlib.contextmanager
def taken_from(source):
    """Make called functions read their numbers from a source.

    Parameters
    ----------
    source : Draws, or what its method ``again`` returns
    """
    before, _source.current = _source.current, source
    try:
        yield
    finally:
        _source.current = before


def draw(shape, dtype, function):
    """Return the numbers that a function draws, or an array for them.

    Parameters
    ----------
    shape : int or tuple of int
    dtype : dtype
    function : callable
        Returns an array of this shape and dtype.
    """
    source = _source.current
    return function() if source is None else source.take(shape, dtype, function)


class Draws:
    """The draws of a recorded function."""

    def __init__(self):
        self._drawn = []

    def __bool__(self):
        return bool(self._drawn)

    def take(self, shape, dtype, function):
        place = cupy.empty(shape, dtype)
        self._drawn.append((place, function))
        return place

    def repeat(self):
        """Draw all numbers again."""
        for place, function in self._drawn:
            place[...] = function()

    def again(self):
        """Return a source of the most recently drawn numbers."""
        return _Again([place for place, _ in self._drawn])


class _Again:
    """The numbers of a launch, for a function that is called again."""

    def __init__(self, places):
        self._places = iter(places)

    def take(self, shape, dtype, function):
        return next(self._places).copy()
