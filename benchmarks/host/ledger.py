"""The calls of the null device: names, recorded by a list's ``append``."""
import collections

launches, calls = [], []
launch, call = launches.append, calls.append


def clear():
    launches.clear()
    calls.clear()


def counts():
    """Return how often each name was launched, and how often called."""
    return dict(collections.Counter(launches)), dict(collections.Counter(calls))


class Capture:
    """Whether a stream records its launches in a graph."""

    going_on = False


def refuse_capture(what):
    """Raise what CuPy raises for something that it does not let a graph have."""
    if Capture.going_on:
        raise RuntimeError('%s is not supported while a stream is capturing' % what)
