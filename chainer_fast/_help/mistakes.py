"""Hints that errors add: the name that was probably meant, or how to fix the call."""
from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Callable, Hashable, Iterable
from typing import Any, TypeVar, cast

from chainer_fast._help import pytorch

_warned: set[Any] = set()
_Serialize = TypeVar('_Serialize', bound=Callable[..., Any])


class WrongKind(TypeError, AttributeError):
    """Error for an object of the wrong kind, which lacks an attribute.

    It derives from ``AttributeError``, as Chainer reads the attribute and programs may
    catch that error.
    """


def require(value: Any, attribute: str, expected: str) -> None:
    """Raise :class:`WrongKind` for an object that lacks what it is needed for.

    Parameters
    ----------
    value : object
        The object that the program passed.
    attribute : str
        An attribute that every object of the right kind has.
    expected : str
        The argument and what it must be, as part of a sentence.
    """
    if not hasattr(value, attribute):
        raise WrongKind('%s, but is %r' % (expected, value))


def require_number(value: Any, name: str, kind: str = 'float') -> None:
    """Raise ``TypeError`` for a number that is given as a string.

    Parameters
    ----------
    value : object
        The argument.
    name : str
        The argument, as part of a sentence.
    kind : {'float', 'int'}
        The type to convert it to.
    """
    if isinstance(value, str):
        raise TypeError(
            '%s must be a number, but is the string %r: convert it with %s(); for an '
            'option of argparse, pass type=%s to add_argument()' % (
                name, value, kind, kind))


def explain_serializer(serialize: _Serialize) -> _Serialize:
    """Decorate a method ``serialize`` so that errors report a wrong argument.

    An argument that is no serializer fails only where the method calls it.
    """
    @functools.wraps(serialize)
    def explained(self: Any, serializer: Any) -> Any:
        try:
            return serialize(self, serializer)
        except TypeError as error:
            if callable(serializer):
                raise
            raise TypeError(
                'serialize() of %s needs a serializer, such as '
                'chainer.serializers.DictionarySerializer(), but got %r; to save to a '
                'file, or to load it, call chainer.serializers.save_npz(path, object) '
                'or load_npz' % (type(self).__name__, serializer)) from error
    return cast(_Serialize, explained)


def explain_backward(error: BaseException) -> None:
    """Add a hint to an exception of a backward pass if ``retain_inputs`` was forgotten.

    A method ``backward`` that unpacks the result of ``get_retained_inputs()`` fails
    with a message that does not mention ``retain_inputs``.
    """
    found = None
    trace = error.__traceback__
    while trace is not None:
        found, trace = trace.tb_frame, trace.tb_next
    if found is None or found.f_code.co_name != 'backward' or (
            not isinstance(error, (IndexError, TypeError, ValueError))):
        return
    function = found.f_locals.get('self')
    for what in 'inputs', 'outputs':
        if 'get_retained_' + what in found.f_code.co_names and not getattr(
                function, '_%s_indexes_to_retain' % what[:-1], True):
            tell(error, (
                '%s.backward() reads retained %s, but forward() has retained none: '
                'call self.retain_%s((0,)) there, with the indices that backward() '
                'needs'
                % (type(function).__name__, what, what)))


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that a name misspells, or None.

    A name that extends a known one is no misspelling.
    """
    others = [other for other in known if not (
        name.startswith(other) or name.endswith(other))]
    return _closest(name, others, 0.8)


def meant(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that was probably meant, or None."""
    known = [other for other in known if other != name]
    found = called_here(name, known)
    return _closest(name, known) if found is None else found


def called_here(name: str, known: Iterable[str]) -> str | None:
    """Return the known counterpart of another framework's name, or None."""
    names = set(known)
    return next((other for other in pytorch.called_here(name) if other in names), None)


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """Return a question for the name that was probably meant, or None."""
    found = meant(name, known)
    return None if found is None else 'did you mean %r?' % found


def on_argument(name: str, known: Iterable[str]) -> str | None:
    """Return a hint about an argument that a function does not have, or None.

    Parameters
    ----------
    name : str
        The argument.
    known : iterable of str
        The arguments of the function.
    """
    known = list(known)
    if called_here(name, known) is None and name in pytorch.OF_ARGUMENTS:
        return 'in its place, %s' % pytorch.OF_ARGUMENTS[name]
    return did_you_mean(name, known)


def _closest(name, known, least=0.6):
    import difflib  # needed only after a mistake
    found = difflib.get_close_matches(name, known, 1, least)
    return found[0] if found else None


def tell(error: BaseException, line: str, old: str | None = None) -> None:
    """Add a line to an exception, or replace an earlier line with it.

    The line is a note, which tracebacks show after the message; before Python 3.11,
    which added notes, it is appended to the message. Exceptions with a method ``_tell``
    handle the line themselves.
    """
    if hasattr(error, '_tell'):
        error._tell(line, old)
        return
    if sys.version_info < (3, 11) and _is_text(error):
        text = error.args[0]
        text = text + '\n' + line if old is None else text.replace(old, line)
        error.args = (text, *error.args[1:])
        return
    notes = error.__dict__.setdefault('__notes__', [])
    if old in notes:
        notes[notes.index(old)] = line
    else:
        notes.append(line)


def _is_text(error):
    return len(error.args) == 1 and isinstance(error.args[0], str) and (
        type(error).__str__ is Exception.__str__)


def levels_to_the_caller() -> int:
    """Return the ``stacklevel`` of the code that called this package.

    The level is that of a warning in the function that calls this one.
    """
    level, frame = 1, sys._getframe(1)
    # With a dot, as other libraries have names such as chainercv.
    while frame.f_back is not None and (
            frame.f_globals.get('__name__', '').startswith('chainer_fast.')):
        level, frame = level + 1, frame.f_back
    return level


def warn_once(key: Hashable, message: str) -> None:
    """Warn the code that called this package, once for each key.

    Parameters
    ----------
    key : hashable
        Identifies the warning.
    message : str
        The text of a ``UserWarning``.
    """
    if key not in _warned:
        _warned.add(key)
        warnings.warn(message, stacklevel=levels_to_the_caller())
