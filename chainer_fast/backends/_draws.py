"""Random numbers on a GPU that recorded functions take.

A graph of CUDA cannot draw them. What a function draws while it is recorded is drawn
before each launch instead, to where the graph expects it. The numbers are those that
the function would draw if it ran, as long as it draws on the GPU alone.
"""
import contextlib
import threading

from chainer_fast.backends._cupy import cupy


class _Source(threading.local):
    current = None


_source = _Source()


@contextlib.contextmanager
def taken_from(source):
    """Have the functions that are called take their numbers from a source.

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
    """Return what a function draws, or a place for it.

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
        """Draw all anew."""
        for place, function in self._drawn:
            place[...] = function()

    def again(self):
        """Return a source of the numbers that were drawn last."""
        return _Again([place for place, _ in self._drawn])


class _Again:
    """The numbers of a launch, for a function that is called again."""

    def __init__(self, places):
        self._places = iter(places)

    def take(self, shape, dtype, function):
        return next(self._places).copy()
