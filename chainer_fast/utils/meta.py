"""Methods that a subclass must not override."""
from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, TypeVar, overload

_MARK = '__override_action'


_Method = TypeVar('_Method', bound=Callable[..., Any])


@overload
def final(method: _Method, /) -> _Method: ...
@overload
def final(
        *, action: type[Exception] = ...) -> Callable[[_Method], _Method]: ...
def final(*args: Any, **kwargs: Any) -> Callable[..., Any]:
    """Mark a method as final; its class must derive from :func:`enable_final`.

    Use it as ``@final`` or as ``@final(action=...)``.

    Parameters
    ----------
    action : type
        Reaction to an override: an exception class to raise, or a warning class to warn
        with. Default: ``TypeError``.

    Returns
    -------
    callable
        The method, or with ``action`` a decorator.

    Examples
    --------
    See :func:`enable_final`.
    """
    action = kwargs.pop('action', TypeError)
    if kwargs:
        raise TypeError('final() has no argument but action, got %s'
                        % ', '.join(map(repr, sorted(kwargs))))

    def mark(method):
        assert callable(method), 'expected a method, got %r' % (method,)
        setattr(method, _MARK, (action,))
        return method

    if not args:
        return mark
    method, = args
    return mark(method)


class _EnableFinal(type):

    def __new__(cls, name: str, bases, d):
        # The class returned by `enable_final` is only needed to set this metaclass.
        bases = tuple([
            b for base in bases
            for b in (base.__bases__ if '_enables_final' in vars(base) else (base,))])
        for attribute in d:
            for base in bases:
                _overridden(attribute, getattr(base, attribute, None))
        return super().__new__(cls, name, bases, d)


def _overridden(attribute, inherited):
    for action in getattr(inherited, _MARK, ()):
        if issubclass(action, Warning):
            warnings.warn("Overriding method '%s'." % (attribute,), action)
        else:
            raise action("method '%s' is final." % (attribute,))


def enable_final(
        base: tuple[type, ...] = (), meta_base: tuple[type, ...] = ()) -> Any:
    """Return a class to derive from in order to use :func:`final`.

    It is not among the bases of the derived class.

    Parameters
    ----------
    base : tuple of type
        Other classes to derive from.
    meta_base : tuple of type
        Additional metaclasses.

    Returns
    -------
    type
        The class.

    Examples
    --------
    >>> class Base(chainer.utils.enable_final()):
    ...     @chainer.utils.final
    ...     def name(self):
    ...         return 'base'
    >>> class Derived(Base):
    ...     def name(self):
    ...         return 'derived'
    Traceback (most recent call last):
        ...
    TypeError: method 'name' is final.
    """
    metaclass = type('base_metaclass', (_EnableFinal, *_as_tuple(meta_base)), {})
    return metaclass('enables_final', _as_tuple(base), {'_enables_final': True})


def _as_tuple(classes):
    return classes if isinstance(classes, tuple) else (classes,)
