"""A trainer for tests of extensions and triggers."""
from __future__ import annotations

from typing import Any
from unittest import mock

from chainer_fast.training import Trainer

_error = None


def is_available() -> bool:
    """Return whether :func:`get_trainer_with_mock_updater` can be used."""
    return True


def check_available() -> None:
    """Do nothing, since no library is missing."""


def get_error() -> None:
    """Return ``None``, since no library is missing."""
    return _error


def get_trainer_with_mock_updater(
        stop_trigger: Any = (10, 'iteration'), iter_per_epoch: float = 10,
        extensions: list[Any] | None = None) -> Trainer:
    """Return a trainer whose updater only counts iterations.

    Parameters
    ----------
    stop_trigger : trigger or tuple
        When the trainer stops.
    iter_per_epoch : int or float
        Number of iterations in an epoch, possibly fractional.
    extensions : list, optional
        Extensions of the trainer.

    Returns
    -------
    chainer_fast.training.Trainer
        The trainer. Its updater is a :class:`unittest.mock.Mock` whose ``update``
        advances ``iteration``, ``epoch``, ``epoch_detail``, ``previous_epoch_detail``
        and ``is_new_epoch`` by one iteration.

    Examples
    --------
    >>> from chainer_fast.testing import get_trainer_with_mock_updater
    >>> trainer = get_trainer_with_mock_updater((2, 'epoch'), iter_per_epoch=3)
    >>> trainer.run()
    >>> trainer.updater.iteration, trainer.updater.epoch
    (6, 2)
    """
    assert iter_per_epoch > 0, (
        'expected a positive number of iterations per epoch, not %r' % (
            iter_per_epoch,))
    updater = mock.Mock()
    # A trainer looks up optimizers by name; a mock cannot be iterated.
    updater.get_all_optimizers.return_value = {}

    def count(iteration):
        updater.iteration = iteration
        updater.epoch = int(iteration // iter_per_epoch)
        updater.epoch_detail = iteration / iter_per_epoch

    def update():
        previous_epoch = updater.epoch
        updater.previous_epoch_detail = updater.epoch_detail
        count(updater.iteration + 1)
        updater.is_new_epoch = updater.epoch != previous_epoch

    count(0)
    updater.previous_epoch_detail = None
    updater.is_new_epoch = True
    updater.update = update
    return Trainer(updater, stop_trigger, extensions=extensions or ())
