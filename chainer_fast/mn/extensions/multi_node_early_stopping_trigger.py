"""Stop trigger that ends the training on all processes at once."""
from __future__ import annotations

from typing import Any

from chainer_fast.mn.communicators.communicator_base import CommunicatorBase
from chainer_fast.mn.extensions.observation_aggregator import ObservationAggregator
from chainer_fast.serializer import AbstractSerializer
from chainer_fast.training import _state
from chainer_fast.training.trainer import Trainer
from chainer_fast.training.triggers.early_stopping_trigger import EarlyStoppingTrigger


class MultiNodeEarlyStoppingTrigger:
    """Trigger that fires when a mean over all processes has stopped improving.

    It is :class:`~chainer_fast.training.triggers.EarlyStoppingTrigger` on the mean of
    all values that all processes observed since the last check, so that they all stop
    in the same iteration. The mean is put into the observation.

    Parameters
    ----------
    comm : CommunicatorBase
        The processes.
    check_trigger : tuple or callable
        When to compare the mean with the best one.
    monitor : str
        Key of the value in the observation.
    patience : int, optional
        Number of checks without improvement to allow, 3 by default.
    mode : {'auto', 'max', 'min'}
        Direction of improvement.
    verbose : bool
        Whether to print a message when it stops the training.
    max_trigger : tuple or callable
        When to stop in any case.
    suffix : str
        Suffix of ``monitor`` in the key of the mean.
    patients : int, optional
        Former name of ``patience``.

    Examples
    --------
    ::

        trigger = chainermn.extensions.MultiNodeEarlyStoppingTrigger(
            comm, monitor='validation/main/loss', patience=3, max_trigger=(30, 'epoch'))
        trainer = chainer.training.Trainer(updater, trigger)
    """

    def __init__(
            self, comm: CommunicatorBase, *, check_trigger: Any = (1, 'epoch'),
            monitor: str = 'main/loss', patience: int | None = None, mode: str = 'auto',
            verbose: bool = False, max_trigger: Any = (100, 'epoch'),
            suffix: str = '_aggregated', **kwargs: Any) -> None:
        self.actual_trigger: EarlyStoppingTrigger = EarlyStoppingTrigger(
            check_trigger=check_trigger, monitor=monitor + suffix, patience=patience,
            mode=mode, verbose=verbose, max_trigger=max_trigger, **kwargs)
        self.aggregator: ObservationAggregator = ObservationAggregator(
            comm, monitor, monitor + suffix, comm_trigger=check_trigger)

    def __call__(self, trainer: Trainer) -> bool:
        """Return whether the training should stop."""
        self.aggregator(trainer)
        return self.actual_trigger(trainer)

    def _stop_condition(self):
        return self.actual_trigger._stop_condition()

    def _init_summary(self):
        self.actual_trigger._init_summary()

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Write or read the state, which snapshots of Chainer lack."""
        for name in 'actual_trigger', 'aggregator':
            _state.serialize_late_addition(getattr(self, name), serializer, name)

    def get_training_length(self) -> tuple[float, str]:
        """Return period and unit of ``max_trigger``."""
        return self.actual_trigger.get_training_length()
