"""Checks of keyword arguments that a function receives as ``**kwargs``.

Prefer keyword-only parameters; this module is for functions that must reject arguments
of earlier versions.
"""
from __future__ import annotations

import inspect
import numbers
import sys
import warnings
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import numpy

from chainer_fast._help import mistakes

_Function = TypeVar('_Function', bound=Callable)


def check_unexpected_kwargs(kwargs: dict[Any, Any], **unexpected: Any) -> None:
    """Reject arguments that are no longer supported.

    Parameters
    ----------
    kwargs : dict
        Keyword arguments of the function.
    **unexpected : str
        Names of retired arguments, and the error messages for them.

    Raises
    ------
    ValueError
        If a retired argument is given.
    """
    for name, message in unexpected.items():
        if name in kwargs:
            raise ValueError(message)


def parse_kwargs(
        kwargs: Any, *name_and_values: Any,
        **unexpected: Any) -> tuple[Any, ...]:
    """Remove arguments from ``kwargs`` and return them.

    Parameters
    ----------
    kwargs : dict
        Keyword arguments of the function. The named ones are removed.
    *name_and_values : tuple of (str, object)
        Names and defaults of the arguments.
    **unexpected : str
        Retired arguments, see :func:`check_unexpected_kwargs`.

    Returns
    -------
    tuple
        The values of the arguments, in the order of ``name_and_values``.

    Raises
    ------
    ValueError
        If a retired argument is given.
    TypeError
        If any other argument is left.
    """
    check_unexpected_kwargs(kwargs, **unexpected)
    values = tuple([kwargs.pop(name, default) for name, default in name_and_values])
    _check_all_taken(kwargs, [name for name, _ in name_and_values])
    return values


def assert_kwargs_empty(kwargs: dict[Any, Any]) -> None:
    """Raise ``TypeError`` if any argument is left in ``kwargs``."""
    _check_all_taken(kwargs)


def refuse(kwargs: dict[Any, Any], *retired: Any) -> None:
    """Reject keyword arguments that only earlier versions accepted, and unknown ones.

    Parameters
    ----------
    kwargs : dict
        Keyword arguments that are left.
    *retired : str
        Names that raise a ``ValueError``; any other name raises a ``TypeError``.
    """
    for name in retired:
        if name in kwargs:
            raise ValueError('; '.join(filter(None, [
                '%s argument is not supported anymore' % (name,), _way_out(name)])))
    _check_all_taken(kwargs)


def take_renamed(
        kwargs: dict[Any, Any], old: str, new: str, value: Any) -> Any:
    """Remove the old name of an argument from ``kwargs``, and warn if it was given.

    Parameters
    ----------
    kwargs : dict
        Keyword arguments of the function.
    old, new : str
        Names of the argument.
    value : object
        Value under the new name.

    Returns
    -------
    object
        Value under the old name if it was given, otherwise ``value``.
    """
    if old not in kwargs:
        return value
    warnings.warn(
        'Argument `%s` is deprecated. Please use `%s` instead' % (old, new),
        DeprecationWarning)
    return kwargs.pop(old)


def hide_retired(function: _Function) -> _Function:
    """Hide ``**retired`` in the signature that tools show; for use as a decorator.

    It is for functions that are rarely called or that programs derive from, which
    accept retired arguments only to report what to write instead.
    """
    signature = inspect.signature(function)
    function.__signature__ = signature.replace(parameters=[  # type: ignore[attr-defined]
        parameter for parameter in signature.parameters.values()
        if parameter.kind is not parameter.VAR_KEYWORD])
    return function


def unexpected(
        function: str, names: Iterable[str], known: Iterable[str]) -> TypeError:
    """Return the error for keyword arguments that a function does not accept.

    Parameters
    ----------
    function : str
        Name of the function, with the name of its class.
    names : iterable of str
        The arguments.
    known : iterable of str
        Arguments that the function accepts.
    """
    names, known = sorted(names), list(known)
    return TypeError('; '.join(['%s() got unexpected keyword argument(s) %s' % (
        function, ', '.join(map(repr, names))), *filter(None, [
            _way_out(name) or mistakes.on_argument(name, known) for name in names])]))


def _check_all_taken(kwargs, others=()):
    if kwargs:
        name, known = _name_and_arguments(_called())
        raise unexpected(name, kwargs, [*known, *others])


def _name_and_arguments(frame):
    """Return the name, with the class, and the arguments of a running function."""
    code = frame.f_code
    name = code.co_name
    for owner in _classes(frame):
        if getattr(vars(owner).get(name), '__code__', None) is code:
            name = '%s.%s' % (owner.__name__, name)
            break
    names = code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]
    return name, [each for each in names if each != 'self']


def _classes(frame):
    return type(frame.f_locals['self']).__mro__ if 'self' in frame.f_locals else ()


def _called():
    """Return the frame of the public function that was called with the arguments."""
    frame = sys._getframe(1)
    while frame.f_back is not None and (
            frame.f_globals is globals() or _is_private(frame.f_code.co_name)):
        frame = frame.f_back
    return frame


def _is_private(name):
    return name.startswith('_') and not name.endswith('__')


def _way_out(name):
    """Return what to write instead of an argument of earlier versions, or None."""
    from chainer_fast._help.past.removed import messages
    frame = _called()
    function = frame.f_code.co_name
    return messages.argument(
        [f'{owner.__name__}.{function}' for owner in _classes(frame)] or [function],
        name)


def check_nobias(nobias: bool) -> None:
    """Warn about a number or an array as ``nobias``: its position was ``wscale``'s.

    There is no warning for 0 and 1, which may mean False and True.
    """
    if isinstance(nobias, (bool, numpy.bool_)) or nobias is None:
        return
    if isinstance(nobias, numbers.Integral) and nobias in (0, 1):
        return
    if isinstance(nobias, numbers.Real) or hasattr(nobias, 'dtype'):
        from chainer_fast._help.past.removed import messages
        warnings.warn(
            'nobias specifies whether to omit the bias, but is %s; instead, %s' % (
                nobias if isinstance(nobias, numbers.Real) else type(nobias),
                messages.argument(['links.Linear'], 'wscale')),
            stacklevel=mistakes.levels_to_the_caller())
