"""Hooks of optimizers and of update rules, by name and by timing."""
from __future__ import annotations

import collections
import warnings
from collections.abc import Callable
from typing import Any

from chainer_fast._help import mistakes

_TIMINGS = ('pre', 'post')


class _Hookable:
    """Named hooks to call before and after an update.

    If a hook has no attribute ``timing``, ``timing='auto'`` means before the update. A
    hook whose ``timing`` is neither ``'pre'`` nor ``'post'`` is called after it;
    optimizers warn and call it before.
    """

    __module__ = 'chainer_fast.optimizer'

    # Attributes of an instance, in this order; compiled code reads them by these names.
    _fields = ('_pre_update_hooks', '_post_update_hooks')

    def __init__(self) -> None:
        self._pre_update_hooks = collections.OrderedDict()
        self._post_update_hooks = collections.OrderedDict()

    def add_hook(
            self, hook: Callable[..., Any], name: str | None = None,
            timing: str = 'auto') -> None:
        """Register a hook under its own name or under a given one."""
        if not callable(hook):
            raise TypeError('hook function must be callable, not %r' % (hook,))
        if isinstance(hook, type):
            mistakes.warn_once((hook, 'hook'), (
                'the hook is the class %s, which an update would call like a function: '
                'pass an object, %s()' % (hook.__name__, hook.__name__)))
        if type(hook).__module__.startswith('chainer_fast.optimizer_hooks.'):
            for attribute, value in vars(hook).items():
                mistakes.require_number(value, attribute)
        if timing not in (*_TIMINGS, 'auto'):
            raise ValueError(
                "timing must be one of ('pre', 'post', 'auto'), not %r" % (timing,))
        if timing == 'auto':
            timing = self._timing_of(hook)
        if name is None:
            name = _name_of(hook)
        early, late = self._pre_update_hooks, self._post_update_hooks
        if name in early or name in late:
            raise KeyError('hook "%s" already exists' % (name,))
        (early if timing == 'pre' else late)[name] = hook

    def remove_hook(self, name: str) -> None:
        """Remove the hook of that name, or raise KeyError if there is none."""
        hooks = self._pre_update_hooks
        if name not in hooks:
            hooks = self._post_update_hooks
        del hooks[name]

    def hooks(self, timing):
        """Return the hooks with a timing, ``'pre'`` or ``'post'``, in order."""
        if timing not in _TIMINGS:
            raise ValueError("timing must be either 'pre' or 'post', not %r" % (
                timing,))
        if timing == 'pre':
            return self._pre_update_hooks.values()
        return self._post_update_hooks.values()

    def _timing_of(self, hook):
        timing = getattr(hook, 'timing', 'pre')
        if timing in _TIMINGS:
            return timing
        return 'post'


class _OptimizerHookable(_Hookable):
    """Hooks of an optimizer."""

    __module__ = 'chainer_fast.optimizer'

    def __init__(self, optimizer) -> None:
        super().__init__()
        self.optimizer = optimizer

    def _timing_of(self, hook):
        timing = getattr(hook, 'timing', 'pre')
        if timing not in _TIMINGS:
            warnings.warn(
                "Hook timing attribute not in ('pre', 'post'), defaulting timing to "
                "'pre'.")
            return 'pre'
        return timing


def _name_of(hook):
    name = getattr(hook, 'name', getattr(hook, '__name__', None))
    if name is None:
        raise ValueError(
            'the name of the hook function is not specified: pass name, or give the '
            'hook an attribute of that name')
    return name
