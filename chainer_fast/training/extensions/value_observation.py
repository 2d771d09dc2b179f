"""Extensions that add a chosen value to the observation."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from chainer_fast.training import extension


def observe_value(
        observation_key: str,
        target_func: Callable[..., Any]) -> Callable[..., Any]:
    """Make an extension that reports the result of a function.

    Parameters
    ----------
    observation_key : str
        Key of the value.
    target_func : callable
        Takes the trainer and returns the value.

    Returns
    -------
    callable
        The extension. By default it is called once an epoch.

    Examples
    --------
    >>> from chainer_fast.testing import get_trainer_with_mock_updater
    >>> trainer = get_trainer_with_mock_updater((2, 'iteration'))
    >>> trainer.extend(chainer.training.extensions.observe_value(
    ...     'double', lambda trainer: 2 * trainer.updater.iteration),
    ...     trigger=(1, 'iteration'))
    >>> trainer.extend(lambda trainer: print(trainer.observation['double']))
    >>> trainer.run()
    2
    4
    """
    def _observe_value(trainer):
        trainer.observation.update({observation_key: target_func(trainer)})

    as_extension = extension.make_extension(
        priority=extension.PRIORITY_WRITER, trigger=(1, 'epoch'))
    return as_extension(_observe_value)


def observe_lr(
        optimizer_name: str = 'main',
        observation_key: str = 'lr') -> Callable[..., Any]:
    """Make an extension that reports the learning rate.

    Parameters
    ----------
    optimizer_name : str
        Name of the optimizer.
    observation_key : str
        Key of the value.

    Returns
    -------
    callable
        The extension. By default it is called once an epoch.

    Examples
    --------
    >>> extension = chainer.training.extensions.observe_lr()

    With ``trainer.extend(extension)`` the log has an entry ``'lr'``.
    """
    def learning_rate(trainer):
        optimizer = trainer.updater.get_optimizer(optimizer_name)
        return optimizer.lr

    return observe_value(observation_key, learning_rate)
