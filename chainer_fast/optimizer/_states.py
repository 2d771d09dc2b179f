"""States of update rules: the values that they keep from one update to the next."""
from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy

from chainer_fast import variable
from chainer_fast._help import mistakes
from chainer_fast.backends.arrays import get_array_types
from chainer_fast.serializer import AbstractSerializer, Deserializer

# Name in files of the float32 copy of a parameter, which Chainer's files lack.
_FP32_PARAM = '_fp32_param'


def are_without_counts(deserializers):
    """Return whether no rule in a file has an update count, as before Chainer 3.

    Parameters
    ----------
    deserializers : iterable of AbstractSerializer
        Deserializers, one for each rule.
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
    """Deserializer of the states of a rule for which the file has no update count.

    Parameters
    ----------
    deserializer : Deserializer
        Deserializer of the states.
    t : int
        The update count of the optimizer, which used to apply to all rules.
    """

    def __init__(self, deserializer: AbstractSerializer, t: int) -> None:
        self._deserializer = deserializer
        self._t = t

    def __call__(self, key, value):
        return self._t if key == 't' else self._deserializer(key, value)

    def __getitem__(self, key):
        return self._deserializer[key]


class NoStates(KeyError):
    """The file has no states of a rule at all, although it has an update count."""


def read_optional(deserializer, name):
    """Return a value, or None if the file lacks it."""
    try:
        return deserializer(name, None)
    except KeyError:
        return None


def serialize_rules(link, ruled, parts):
    """Save or load the rules of parameters.

    Parameters
    ----------
    link : chainer_fast.Link
        The link that has the parameters.
    ruled : list of tuple of str and Parameter
        Paths and parameters.
    parts : dict of AbstractSerializer
        Serializers of the rules by path.

    Warns
    -----
    UserWarning
        If a file has the update count of a parameter but no states: Chainer saves such
        files for uninitialized parameters.
    """
    without = {}
    for path, param in ruled:
        rule = param.update_rule
        try:
            rule.serialize(parts[path])
        except NoStates as error:
            if param.is_initialized:
                raise
            without[path] = error
        except KeyError:
            if (read_optional(parts[path], 't') is not None
                    or not _is_of_a_hook(link, param)):
                raise
            # The parameter did not exist yet, or Chainer has no rule for it.
            rule.t, rule._state = 0, None
        rule._check_states(param, path)
    if without and not any(param.update_rule._state for _, param in ruled):
        raise next(iter(without.values()))      # the file is of another optimizer
    for path in without:
        warnings.warn(
            'the file has no states for %s, although it counts updates: they are '
            'initialized again'
            % (path,))


def _is_of_a_hook(link, param):
    """Return whether a hook of a link has added a parameter."""
    return any(vars(each).get(name) is param
               for each in link.links() for name in each._late)


class Stateful:
    """Base of update rules with states, which :meth:`init_state` of a rule creates."""

    t: int
    enabled: bool
    init_state: Callable[..., None]
    _state: Any
    _use_fp32_update: bool
    _fp32_param: Any

    @property
    def state(self) -> dict[str, Any] | Any:
        """Dictionary of the states; None before the first update."""
        return self._state

    @mistakes.explain_serializer
    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the count of updates and the states.

        A rule for which the file has no states, since it was saved before its first
        update, has none afterwards.

        Parameters
        ----------
        serializer : AbstractSerializer
        """
        self.t = serializer('t', self.t)
        if isinstance(serializer, Deserializer):
            self._state = self.__load_states(serializer)
            if self._use_fp32_update:
                # Kept as an array; the next update checks whether it matches the
                # parameter.
                self._fp32_param = read_optional(serializer, _FP32_PARAM)
            return
        state = self._state
        if state is None and self.t:
            # Updates were counted but states were not created: the parameter was
            # uninitialized, or the rule disabled.
            state = dict.fromkeys(self.__state_names())
        for name, value in (state or {}).items():
            state[name] = serializer(name, value)
        if getattr(self._fp32_param, 'array', None) is not None:
            serializer(_FP32_PARAM, self._fp32_param.array)

    def __state_names(self):
        """Return the names of the states of a rule before they are created."""
        try:
            self._state = {}
            self.init_state(variable.Variable(numpy.zeros(1, numpy.float32)))
            return list(self._state)
        finally:
            self._state = None

    def __load_states(self, deserializer):
        """Read the states; None if they are None in the file or need not be in it."""
        present = self._state or dict.fromkeys(self.__state_names())
        loaded, missing = {}, None
        for name, value in present.items():
            try:
                loaded[name] = deserializer(name, value)
            except KeyError as error:
                missing = missing or error
        if missing is not None:
            # The file may have been saved before the rule was used or while it was
            # disabled.
            if self.enabled and loaded:
                raise missing
            if self.enabled and self.t:
                self._state = None
                raise NoStates(*missing.args) from missing
            return None
        if any(value is None for value in loaded.values()):
            return None
        return loaded

    def _check_states(self, param, path):
        """Raise an error if loaded states do not match the parameter."""
        array, states = param.array, self._state
        if array is None or states is None or all(
                getattr(state, 'shape', None) == array.shape
                and state.dtype.kind in 'biufc' for state in states.values()):
            return
        # Some rules have states of other shapes: compare with newly created states.
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
                    'state %r of %s has shape %s instead of %s, which the parameter '
                    'requires'
                    % (name, path, numpy.shape(state), shape))
            if getattr(state, 'dtype', array.dtype).kind not in 'biufc':
                raise TypeError(
                    'state %r of %s has dtype %s, which is not numeric'
                    % (name, path, state.dtype))

    def _init_states(self, param):
        """Create the states if there are none; keep them on the parameter's device."""
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
