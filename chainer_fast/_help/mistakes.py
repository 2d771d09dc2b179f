"""What errors add for those who made a mistake: the name that was meant, a cure."""
from __future__ import annotations

import functools
import sys
import typing as tp
import warnings

# What other frameworks call arguments of links, functions and optimizers, and these
# themselves. Of several names the first one that is there counts.
_ELSEWHERE = {
    'alpha': 'lr', 'bias': 'nobias', 'dilation': 'dilate', 'dim': 'axis',
    'in_features': 'in_size', 'input_size': 'in_size', 'kernel_size': 'ksize',
    'learning_rate': 'lr alpha', 'lr': 'alpha', 'num_layers': 'n_layers',
    'out_features': 'out_size', 'p': 'ratio', 'padding': 'pad', 'rate': 'ratio',
    'strides': 'stride',
    'avg_pool2d': 'average_pooling_2d', 'batch_norm': 'batch_normalization',
    'binary_cross_entropy_with_logits': 'sigmoid_cross_entropy', 'cat': 'concat',
    'conv1d': 'convolution_1d', 'conv2d': 'convolution_2d',
    'conv_transpose2d': 'deconvolution_2d', 'cross_entropy': 'softmax_cross_entropy',
    'embedding': 'embed_id', 'l1_loss': 'mean_absolute_error',
    'max_pool2d': 'max_pooling_2d', 'mse_loss': 'mean_squared_error',
    'BatchNorm1d': 'BatchNormalization', 'BatchNorm2d': 'BatchNormalization',
    'Conv1d': 'Convolution1D', 'Conv2D': 'Convolution2D', 'Conv2d': 'Convolution2D',
    'ConvTranspose2d': 'Deconvolution2D', 'Dense': 'Linear', 'Embedding': 'EmbedID',
    'LayerNorm': 'LayerNormalization'}

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
    return next((other for other in _ELSEWHERE.get(name, '').split()
                 if other in names), None)


def did_you_mean(name: str, known: tp.Iterable[str]) -> str | None:
    """Return a question for the name that was probably meant, or None."""
    found = meant(name, known)
    return None if found is None else 'did you mean %r?' % found


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
