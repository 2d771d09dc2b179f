"""What errors add for those who made a mistake: the name that was meant, a cure."""
from __future__ import annotations

import functools
import sys
import typing as tp
import warnings

from chainer_fast._help import pytorch

_warned: set[tp.Any] = set()
_Serialize = tp.TypeVar('_Serialize', bound=tp.Callable[..., tp.Any])


class WrongKind(TypeError, AttributeError):
    """An object of the wrong kind, which has no such attribute.

    Chainer asks for the attribute, and programs may catch that.
    """


def require(value: tp.Any, attribute: str, expected: str) -> None:
    """Raise :class:`WrongKind` for an object that lacks what it is needed for.

    Parameters
    ----------
    value : object
        What a program gave.
    attribute : str
        Attribute of every object that is right.
    expected : str
        Which argument it is, and what it has to be: a part of a sentence.
    """
    if not hasattr(value, attribute):
        raise WrongKind('%s, but is %r' % (expected, value))


def explain_serializer(serialize: _Serialize) -> _Serialize:
    """Decorate a method ``serialize``, so that its errors report what it was given.

    What a program passes instead of a serializer fails where the method calls it.
    """
    @functools.wraps(serialize)
    def explained(self: tp.Any, serializer: tp.Any) -> tp.Any:
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
    return tp.cast(_Serialize, explained)


def explain_backward(error: BaseException) -> None:
    """Add to an exception of a backward pass what a function forgot to do, if it did.

    A method ``backward`` that unpacks what ``get_retained_inputs()`` returns fails with
    words that say nothing of ``retain_inputs``.
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
                '%s.backward() takes retained %s, and forward() has retained none: '
                'call self.retain_%s((0,)) there, with the numbers of what is needed'
                % (type(function).__name__, what, what)))


def nearest(name: str, known: tp.Iterable[str]) -> str | None:
    """Return the known name of which another one is a misspelling, or None.

    A name that extends a known one is no misspelling.
    """
    others = [other for other in known if not (
        name.startswith(other) or name.endswith(other))]
    return _closest(name, others, 0.8)


def meant(name: str, known: tp.Iterable[str]) -> str | None:
    """Return the known name that was probably meant, or None."""
    known = [other for other in known if other != name]
    found = called_here(name, known)
    return _closest(name, known) if found is None else found


def called_here(name: str, known: tp.Iterable[str]) -> str | None:
    """Return the known name of what other frameworks call so, or None."""
    names = set(known)
    return next((other for other in pytorch.called_here(name) if other in names), None)


def did_you_mean(name: str, known: tp.Iterable[str]) -> str | None:
    """Return a question for the name that was probably meant, or None."""
    found = meant(name, known)
    return None if found is None else 'did you mean %r?' % found


def on_argument(name: str, known: tp.Iterable[str]) -> str | None:
    """Return what to say of an argument that a function does not have, or None.

    Parameters
    ----------
    name : str
        The argument.
    known : iterable of str
        Those that the function has.
    """
    known = list(known)
    if called_here(name, known) is None and name in pytorch.OF_ARGUMENTS:
        return 'in its place, %s' % pytorch.OF_ARGUMENTS[name]
    return did_you_mean(name, known)


def _closest(name, known, least=0.6):
    import difflib  # for mistakes alone, which most programs do not make
    found = difflib.get_close_matches(name, known, 1, least)
    return found[0] if found else None


def tell(error: BaseException, line: str, old: str | None = None) -> None:
    """Add a line to an exception, or put it in the place of an old one.

    It is a note, which tracebacks show after the message; before Python 3.11, which has
    no notes, the message itself takes it. Exceptions with a method ``_tell`` decide on
    their own.
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

    It is counted for a warning of the function that calls this one.
    """
    level, frame = 1, sys._getframe(1)
    # With a dot, as other libraries have names such as chainercv.
    while frame.f_back is not None and (
            frame.f_globals.get('__name__', '').startswith('chainer_fast.')):
        level, frame = level + 1, frame.f_back
    return level


def warn_once(key: tp.Hashable, message: str) -> None:
    """Warn the code that called this package, if there was no such warning yet.

    Parameters
    ----------
    key : hashable
        What the warning is about.
    message : str
        The text of a ``UserWarning``.
    """
    if key not in _warned:
        _warned.add(key)
        warnings.warn(message, stacklevel=levels_to_the_caller())
