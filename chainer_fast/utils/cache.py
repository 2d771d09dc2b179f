"""Values that are computed once."""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from chainer_fast.configuration import config

_Value = TypeVar('_Value')


class cached_property(Generic[_Value]):
    """A property whose value is computed at the first access and cached.

    There are separate values with and without ``config.enable_backprop``: a value
    computed without a graph cannot be differentiated.

    Parameters
    ----------
    func : callable
        The method that computes the value.
    """

    __name__: str

    def __init__(self, func: Callable[[Any], _Value]) -> None:
        self.func = func
        # Copies the name and the docstring; mypy expects a function to copy them from.
        functools.update_wrapper(self, func)  # type: ignore[arg-type]

    def __get__(self, obj: Any, cls: type | None) -> _Value:
        if obj is None:
            return self  # type: ignore[return-value]
        values = vars(obj).setdefault(self.__name__, {})
        has_graph = config.enable_backprop
        if has_graph not in values:
            values[has_graph] = self.func(obj)
        return values[has_graph]

    # With it, the property also takes precedence over the object's dict.
    def __set__(self, obj: Any, cls: Any) -> None:
        raise AttributeError('%s.%s is computed and cannot be set'
                             % (type(obj).__name__, self.__name__))
