"""Names of files that are formatted with the trainer."""
from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from chainer_fast._help import mistakes

if TYPE_CHECKING:
    from chainer_fast.training.trainer import Trainer

# The first attribute of each replacement field without a name, such as `epoch` of
# `{.epoch}`.
_FIELD = re.compile(r'\{\.(\w+)')


def formatted(filename: str | Callable[[Any], str], trainer: Trainer) -> str:
    """Return the name of a file.

    Parameters
    ----------
    filename : str or callable
        A format string, or a function that returns the name for the trainer.
    trainer : Trainer
        The trainer.

    Returns
    -------
    str
        The name.

    Raises
    ------
    AttributeError
        If the trainer does not have an attribute of the format string.
    """
    if callable(filename):
        return filename(trainer)
    try:
        return filename.format(trainer)
    except AttributeError as error:
        for name in _FIELD.findall(filename):
            if not hasattr(trainer, name) and hasattr(trainer.updater, name):
                mistakes.tell(error, (
                    '%r is formatted with the trainer, and %s is an attribute of its '
                    'updater: write {.updater.%s}' % (filename, name, name)))
        raise
