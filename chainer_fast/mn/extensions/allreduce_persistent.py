"""Means of the statistics of models."""
from __future__ import annotations

from typing import Any

from chainer_fast import backend
from chainer_fast.backends import arrays
from chainer_fast.link import Link
from chainer_fast.mn.communicators.communicator_base import CommunicatorBase
from chainer_fast.training import extension
from chainer_fast.training.trainer import Trainer


class AllreducePersistent(extension.Extension):
    """Extension that replaces persistent arrays by their means over all processes.

    Batch normalizations of different processes see different data, so that their
    running means and variances differ. The extension makes them equal before models
    are evaluated and saved. Only arrays of floating-point numbers are averaged;
    integers and values that are not arrays do not change.

    Parameters
    ----------
    model : Link
        The model.
    comm : CommunicatorBase
        The processes.

    Examples
    --------
    ::

        trainer.extend(
            chainermn.extensions.AllreducePersistent(model, comm), trigger=(1, 'epoch'))
    """

    model: Link
    comm: CommunicatorBase

    trigger: Any = 1, 'epoch'
    priority = extension.PRIORITY_WRITER + 1

    def __init__(self, model: Link, comm: CommunicatorBase) -> None:
        self.model, self.comm = model, comm

    def __call__(self, trainer: Trainer | None = None) -> None:
        for _, value in sorted(_namedpersistents(self.model)):
            if isinstance(value, arrays.get_array_types()) and value.dtype.kind in 'fc':
                value = backend.from_chx(value)     # which shares its memory
                value[...] = self.comm.allreduce(value) / self.comm.size


def _namedpersistents(model):
    """Yield paths and values of all persistent values."""
    for path, link in model.namedlinks():
        for name in link._persistent:
            yield path + '/' + name, getattr(link, name)
