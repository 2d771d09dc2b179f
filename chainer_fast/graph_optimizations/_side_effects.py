"""Effects of a static chain's call besides its results.

Recordings have no such effects, so that a call with effects is not recorded. Plans set
attributes of links like the call, and let functions update arrays.
"""
import contextlib
import operator
import weakref
from typing import Any

import numpy

from chainer_fast import reporter
from chainer_fast.graph_optimizations._replay import MISSING, value_of
from chainer_fast.variable import Parameter, Variable

# Attributes that belong to `static_graph` itself.
OWN = frozenset(['schedule_manager', 'static_schedule'])


class Unrecordable(Exception):
    """A call does something that cannot be repeated without the chain's code."""


class ChainState:
    """The attributes of a chain's links, and the arrays of its parameters.

    A recording uses the arrays that existed when it was made.

    Attributes
    ----------
    links : list of weakref.ref
    params : list of Parameter
    host : list of [array, array]
        Arrays on the host, which may be changed in place, and copies of them.
    """

    def __init__(self, chain):
        # Links reference their recordings, not vice versa.
        self.links = [weakref.ref(link) for link in chain.links()]
        self._attributes = [_attributes(link()) for link in self.links]
        self._ids = [tuple(map(id, each.values())) for each in self._attributes]
        values = [value for each in self._attributes for value in each.values()]
        self._contents = [(value, _contents(value)) for value in values
                          if isinstance(value, (list, dict, set))]
        self._variables = [
            (value, value.raw_array, value.creator_node) for value in values
            if isinstance(value, Variable) and not isinstance(value, Parameter)]
        self.params = [p for p in chain.params() if p.raw_array is not None]
        self._arrays = [p.raw_array for p in self.params]
        self.host = [[value, value.copy()] for value in values
                     if isinstance(value, numpy.ndarray)]

    def holds(self):
        """Return whether all of them are still the same objects."""
        return self.contents_hold() and all(
            tuple(map(id, _attributes(link()).values())) == ids
            for link, ids in zip(self.links, self._ids, strict=True))

    def contents_hold(self):
        """Return whether lists, variables and parameters have the same parts."""
        return all(p.raw_array is array for p, array in zip(
            self.params, self._arrays, strict=True)) and all(
                len(now) == len(then) and all(map(operator.is_, now, then))
                for now, then in (
                    (_contents(value), then) for value, then in self._contents)
            ) and all(variable.raw_array is array and variable.creator_node is creator
                      for variable, array, creator in self._variables)

    def host_arrays_hold(self):
        """Return whether arrays on the host have the same values."""
        return all(same_array(now, then) for now, then in self.host)

    def changes(self):
        """Return which attributes are different objects now.

        Returns
        -------
        dict
            Previous and current value of each, by the position of the link and the
            name; ``MISSING`` for missing ones.
        """
        found = {}
        for i, (link, then) in enumerate(
                zip(self.links, self._attributes, strict=True)):
            for name in {**then, **_attributes(link())}:
                before = self.before(i, name)
                after = value_of(link(), name)
                if before is not after:
                    found[i, name] = before, after
        return found

    def before(self, i, name):
        """Return the previous value of an attribute of a link."""
        return self._attributes[i].get(
            name, getattr(type(self.links[i]()), name, MISSING))

    def name_of(self, i, name):
        """Return the name of an attribute in messages."""
        return 'attribute %s of %s' % (name, type(self.links[i]()).__name__)

    def restore(self):
        """Undo changes of a call to the attributes."""
        for link, attributes in zip(self.links, self._attributes, strict=True):
            current = vars(link())
            for name in set(current) - set(attributes) - OWN:
                del current[name]
            current.update(attributes)
        for now, then in self.host:
            now[...] = then


def _attributes(link):
    return {name: value for name, value in vars(link).items() if name not in OWN}


def _contents(value):
    """Return the parts of a list, dictionary or set, which may be changed in place."""
    if isinstance(value, dict):
        return [*value.keys(), *value.values()]
    return list(value)


def same_array(a, b):
    """Return whether two arrays have the same values."""
    return numpy.array_equal(a, b, equal_nan=a.dtype.kind in 'fc')


@contextlib.contextmanager
def forbidden(state):
    """Raise :class:`Unrecordable` if the ``with`` block changes anything on the host.

    Reported values and NumPy's random numbers are checked as well. In case of an error,
    attributes and random numbers are restored.

    Parameters
    ----------
    state : ChainState
        The state before.
    """
    drawn = numpy.random.get_state()
    observed: dict[Any, Any] = {}
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
def noted(trace):
    """Record in a trace, if any, what else the ``with`` block changes."""
    if trace is None:
        yield
        return
    observed: dict[Any, Any] = {}
    try:
        with _reports_to(observed):
            yield
    finally:
        if observed:
            reporter.get_current_reporter().observation.update(observed)
            trace.refuse('values are reported: %s' % ', '.join(observed))
    state = trace.state
    if not state.contents_hold():
        trace.refuse('parts of attributes of links change')
    # Updates by functions are recorded with the functions.
    if not state.host_arrays_hold():
        trace.refuse('arrays of links change outside of functions')
    trace.changes = state.changes()


def _reports_to(observation):
    """Let the current reporter, if any, write to a dictionary."""
    try:
        reporter.get_current_reporter()
    except IndexError:
        return contextlib.nullcontext()
    return reporter.report_scope(observation)


def _same_draws(a, b):
    return a[2:] == b[2:] and numpy.array_equal(a[1], b[1])
