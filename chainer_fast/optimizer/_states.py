"""States of update rules: what they remember of one update until the next."""
from __future__ import annotations

import typing as tp

import numpy

from chainer_fast import variable
from chainer_fast.backends.arrays import get_array_types
from chainer_fast.serializer import AbstractSerializer, Deserializer


def are_without_counts(deserializers):
    """Return whether none of the rules in a file has a count, as before Chainer 3.

    Parameters
    ----------
    deserializers : iterable of AbstractSerializer
        One for each rule.
    """
    found = False
    for deserializer in deserializers:
        if not isinstance(deserializer, Deserializer):
            return False
        try:
            if deserializer('t', None) is not None:
                return False
        except KeyError:
            pass
        found = True
    return found


class Counted(Deserializer):
    """Reads the states of a rule where the file has no count of its updates.

    Parameters
    ----------
    deserializer : Deserializer
        Reads the states.
    t : int
        The count: that of the optimizer, which was that of all rules.
    """

    def __init__(self, deserializer: AbstractSerializer, t: int) -> None:
        self._deserializer = deserializer
        self._t = t

    def __call__(self, key, value):
        return self._t if key == 't' else self._deserializer(key, value)

    def __getitem__(self, key):
        return self._deserializer[key]


class Stateful:
    """Base of update rules; :meth:`init_state` of a rule makes its states."""

    t: int
    enabled: bool
    init_state: tp.Callable[..., None]
    _state: tp.Any

    @property
    def state(self) -> dict[str, tp.Any] | tp.Any:
        """Dictionary of the states; None before the first update."""
        return self._state

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the count of updates and the states.

        Parameters
        ----------
        serializer : AbstractSerializer
        """
        self.t = serializer('t', self.t)
        if self._state is not None:
            for name, value in self._state.items():
                self._state[name] = serializer(name, value)
        elif isinstance(serializer, Deserializer):
            self._state = self.__load_states(serializer)

    def __load_states(self, deserializer):
        """Read the states of a rule that has none yet; None if any is missing."""
        self._state = {}
        try:
            self.init_state(variable.Variable(numpy.zeros(1, numpy.float32)))
            names = list(self._state)
        finally:
            self._state = None
        loaded = {}
        for name in names:
            try:
                loaded[name] = deserializer(name, None)
            except KeyError:
                # The file may be of a time when the rule was disabled.
                if self.enabled:
                    raise
                return None
        if any(value is None for value in loaded.values()):
            return None
        return loaded

    def _check_states(self, param, path):
        """Raise an error if states that were loaded are not those of the parameter."""
        array, states = param.array, self._state
        if array is None or states is None or all(
                getattr(state, 'shape', None) == array.shape
                and state.dtype.kind in 'biufc' for state in states.values()):
            return
        # Some rules have states of other shapes: compare with states made anew.
        try:
            self._state = {}
            self.init_state(variable.Variable(array))
            expected = self._state
        finally:
            self._state = states
        for name, state in states.items():
            shape = numpy.shape(expected.get(name))
            if name in expected and numpy.shape(state) != shape:
                raise ValueError(
                    'state %r of %s has shape %s, and not %s as the parameter needs it'
                    % (name, path, numpy.shape(state), shape))
            if getattr(state, 'dtype', array.dtype).kind not in 'biufc':
                raise TypeError(
                    'state %r of %s has dtype %s, which is none of numbers'
                    % (name, path, state.dtype))

    def _init_states(self, param):
        """Make the states if there are none, and keep them where the parameter is."""
        if self._state is None:
            self._state = {}
            self.init_state(param)
        device = param.device
        on_cpu = device.xp is numpy
        for name, value in self._state.items():
            if on_cpu and isinstance(value, numpy.ndarray):
                continue
            if isinstance(value, get_array_types()):
                self._state[name] = device.send(value)
