"""Methods that programs override."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, overload

_Self = TypeVar('_Self')
_First = TypeVar('_First')
_Second = TypeVar('_Second')
_Result = TypeVar('_Result')


@overload
def overridable(
        method: Callable[[_Self, _First], _Result],
        ) -> Callable[[_Self, _First], _Result]: ...
@overload
def overridable(
        method: Callable[[_Self, _First, _Second], _Result],
        ) -> Callable[[_Self, _First, _Second], _Result]: ...
def overridable(method: Any) -> Any:
    """Mark a method whose arguments are passed by position, and return it.

    For type checkers, its parameters have no names, so that derived classes can choose
    other names.
    """
    return method
