"""State that snapshots of Chainer do not contain."""
import contextlib
import json
import warnings

from chainer_fast import variable
from chainer_fast.serializer import Deserializer


def serialize_late_addition(target, serializer, name):
    """Write or read a state; if a snapshot lacks it, the target is not changed.

    Without the state of its trigger, an extension would treat a resumed training as new
    and fire at once. Other programs ignore the additional entries. Warnings of triggers
    about missing entries are suppressed.

    Parameters
    ----------
    target : object
        An object with a method ``serialize``; others are ignored.
    serializer : AbstractSerializer
        Serializer of the owner.
    name : str
        Name of the entry.
    """
    if not hasattr(target, 'serialize'):
        return
    with warnings.catch_warnings(), contextlib.suppress(KeyError):
        warnings.simplefilter('ignore')
        target.serialize(serializer[name])


def serialize_late_values(target, serializer, names):
    """Write or read attributes; those that a snapshot lacks are not changed.

    Parameters
    ----------
    target : object
        The owner.
    serializer : AbstractSerializer
    names : iterable of str
        Names of the attributes and of the entries.
    """
    for name in names:
        with contextlib.suppress(KeyError):
            setattr(target, name, serializer(name, getattr(target, name)))


def serialize_observation(trainer, serializer):
    """Write or read the scalars observed in the current iteration.

    Stop triggers read them at the beginning of the next iteration.

    Parameters
    ----------
    trainer : Trainer
    serializer : AbstractSerializer
    """
    name = '_observation'
    if not isinstance(serializer, Deserializer):
        numbers = {
            key: number for key, value in trainer.observation.items()
            if isinstance(key, str) and (number := as_number(value)) is not None}
        serializer(name, json.dumps(numbers))
        return
    with contextlib.suppress(KeyError):
        text = serializer(name, '')
        if text:
            trainer.observation = json.loads(text)


def as_number(value):
    """Return a real scalar of any kind as a Python number, else ``None``."""
    if isinstance(value, variable.Variable):
        value = value.array
    if getattr(value, 'ndim', None) == 0:
        value = value.item()
    return value if isinstance(value, (bool, int, float)) else None
