"""What a static chain's call may change besides its results.

Plans and recordings change none of it, so that a call that does has neither.
"""
import contextlib
import typing as tp
import weakref

import numpy

from chainer_fast import reporter

# Attributes that belong to `static_graph` itself.
OWN = frozenset(['schedule_manager', 'static_schedule'])


class Unrecordable(Exception):
    """A call does something that cannot be repeated without the chain's code."""


class ChainState:
    """The attributes of a chain's links, and the arrays of its parameters.

    A recording uses the arrays that were there when it was made.
    """

    def __init__(self, chain):
        # Links hold their recordings, not the other way round.
        self._links = [(weakref.ref(link), _attributes(link)) for link in chain.links()]
        self._ids = [tuple(map(id, each.values())) for _, each in self._links]
        self.params = [p for p in chain.params() if p.raw_array is not None]
        self._arrays = [p.raw_array for p in self.params]
        # Arrays on the host may be changed in place.
        self._host = [(value, value.copy()) for _, each in self._links
                      for value in each.values() if isinstance(value, numpy.ndarray)]

    def holds(self):
        """Return whether all of them are still the same objects."""
        return all(p.raw_array is array for p, array in zip(
            self.params, self._arrays, strict=True)) and all(
                tuple(map(id, _attributes(link()).values())) == ids
                for (link, _), ids in zip(self._links, self._ids, strict=True))

    def host_arrays_hold(self):
        """Return whether arrays on the host have the same values."""
        return all(numpy.array_equal(now, then, equal_nan=now.dtype.kind in 'fc')
                   for now, then in self._host)

    def restore(self):
        """Undo what a call did to the attributes."""
        for link, attributes in self._links:
            current = vars(link())
            for name in set(current) - set(attributes) - OWN:
                del current[name]
            current.update(attributes)
        for now, then in self._host:
            now[...] = then


def _attributes(link):
    return {name: value for name, value in vars(link).items() if name not in OWN}


@contextlib.contextmanager
def forbidden(state):
    """Raise :class:`Unrecordable` if the ``with`` block changes anything on the host.

    Reported values, and the random numbers of NumPy, are looked at as well. In case of
    an error, attributes and random numbers are what they were before.

    Parameters
    ----------
    state : ChainState
        The state before.
    """
    drawn = numpy.random.get_state()
    observed: dict[tp.Any, tp.Any] = {}
    try:
        with _reports_to(observed):
            yield
        if observed:
            raise Unrecordable('values are reported: %s' % ', '.join(observed))
        if not state.holds() or not state.host_arrays_hold():
            raise Unrecordable('attributes of links change')
        if not _same_draws(drawn, numpy.random.get_state()):
            raise Unrecordable('random numbers are drawn on the host')
    except BaseException:
        state.restore()
        numpy.random.set_state(drawn)
        raise


@contextlib.contextmanager
def noted(chain, trace):
    """Note in a trace, if there is one, what else the ``with`` block changes."""
    if trace is None:
        yield
        return
    state = ChainState(chain)
    observed: dict[tp.Any, tp.Any] = {}
    try:
        with _reports_to(observed):
            yield
    finally:
        if observed:
            reporter.get_current_reporter().observation.update(observed)
            trace.refuse('values are reported: %s' % ', '.join(observed))
    if not state.holds() or not state.host_arrays_hold():
        trace.refuse('attributes of links change')


def _reports_to(observation):
    """Let the current reporter, if there is one, write to a dictionary."""
    try:
        reporter.get_current_reporter()
    except IndexError:
        return contextlib.nullcontext()
    return reporter.report_scope(observation)


def _same_draws(a, b):
    return a[2:] == b[2:] and numpy.array_equal(a[1], b[1])
