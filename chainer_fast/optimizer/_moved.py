"""Hooks under the names that they had before Chainer 4."""
from __future__ import annotations

import warnings
from typing import Any

from chainer_fast._core.updates import update


def make_deprecation_message(module_name):
    """Return the warning for a hook that has moved to ``optimizer_hooks``."""
    return (
        'chainer.optimizer.%s is deprecated from v4. '
        'Use chainer.optimizer_hooks.%s instead.' % (module_name, module_name))


class MovedHook:
    """First base of a hook under its old name: warns when an instance is created."""

    _old_name: str

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if MovedHook not in cls.__bases__:
            return  # a user's class that is derived from one of these
        cls._old_name = cls.__name__
        if hasattr(cls, '_recipe'):
            update.register_hook(cls, type(cls._recipe)())

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(make_deprecation_message(self._old_name), DeprecationWarning)
        super().__init__(*args, **kwargs)
