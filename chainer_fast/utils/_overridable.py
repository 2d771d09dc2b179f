"""Methods that programs override."""
from __future__ import annotations

import typing as tp

_Self = tp.TypeVar('_Self')
_First = tp.TypeVar('_First')
_Second = tp.TypeVar('_Second')
_Result = tp.TypeVar('_Result')


@tp.overload
def overridable(
        method: tp.Callable[[_Self, _First], _Result],
        ) -> tp.Callable[[_Self, _First], _Result]: ...
@tp.overload
def overridable(
        method: tp.Callable[[_Self, _First, _Second], _Result],
        ) -> tp.Callable[[_Self, _First, _Second], _Result]: ...
def overridable(method: tp.Any) -> tp.Any:
    """Mark a method whose arguments are passed by position, and return it.

    For type checkers, its parameters have no names, so that derived classes can choose
    other names.
    """
    return method
