"""Calls of a model that change neither the model nor the state of random numbers."""
from __future__ import annotations

import collections
import contextlib
import copy
from typing import Any

from chainer_fast.backends.arrays import get_array_types
from chainer_fast.initializers import constant
from chainer_fast.utils import _random_state

_CONTAINERS = (list, dict, set, collections.OrderedDict, collections.deque)


@contextlib.contextmanager
def unchanged(model):
    """Undo changes to the links of a model inside a ``with`` block.

    The attributes of links are restored. In the block, containers and persistent arrays
    are copies, and uninitialized parameters are replaced by others filled with zeros.
    Initialized parameters are copied only in links that have uninitialized ones as
    well: a link that initializes one, such as an LSTM, may write into the others. The
    states of random number generators are restored, too.

    Parameters
    ----------
    model : chainer_fast.Link
        The model.
    """
    fields = [vars(link) for link in model.links()]
    saved = [dict(each) for each in fields]
    stand_ins = _StandIns(not all(param.is_initialized for param in model.params()))
    with _random_state.unchanged_global(), _same_generator(model.xp):
        try:
            for each in fields:
                each.update(stand_ins.of(each))
            yield
        finally:
            for each, before in zip(fields, saved, strict=True):
                each.clear()
                each.update(before)


class _StandIns:
    """Replacements of values; links that share a value share its replacement."""

    def __init__(self, is_lazy) -> None:
        self._made = {}
        self._is_lazy = is_lazy

    def of(self, fields):
        """Return the replacements for the attributes of a link."""
        found = {}
        for name, value in fields.items():
            make = self._maker(name, value, fields)
            if make is not None:
                if id(value) not in self._made:
                    self._made[id(value)] = make(value)
                found[name] = self._made[id(value)]
        return found

    def _maker(self, name, value, fields):
        if name in fields['_params']:
            return _copied if self._is_lazy else None
        if type(value) in _CONTAINERS:
            return copy.copy
        if name in fields['_persistent'] and isinstance(value, get_array_types()):
            return lambda array: array.copy()
        return None


def _copied(param):
    # A shallow copy and its original share every array assigned later.
    shared = param.update_rule, param._grad
    stand_in = copy.deepcopy(param, {id(each): each for each in shared})
    if not param.is_initialized:
        stand_in.initializer = constant.Zero(getattr(param.initializer, 'dtype', None))
    return stand_in


@contextlib.contextmanager
def _same_generator(xp):
    """Replace CuPy's random number generator temporarily."""
    random: Any = getattr(xp, 'random', None)
    if not hasattr(random, 'set_random_state'):
        yield
        return
    generator = random.get_random_state()
    random.set_random_state(random.RandomState(0))
    try:
        yield
    finally:
        random.set_random_state(generator)
