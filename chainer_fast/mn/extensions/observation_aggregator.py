"""Means of observed values over all processes."""
from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy

from chainer_fast import backend
from chainer_fast.backends import arrays
from chainer_fast.mn.communicators.communicator_base import CommunicatorBase
from chainer_fast.serializer import AbstractSerializer, Deserializer
from chainer_fast.training import _state, extension, util
from chainer_fast.training.trainer import Trainer
from chainer_fast.variable import Variable


class ObservationAggregator(extension.Extension):
    """Extension that collects an observed value of all processes.

    Each process gets the same result. Other extensions with a lower priority can use
    it; add this one before them.

    Parameters
    ----------
    comm : CommunicatorBase
        The processes.
    original_key : str
        Key of the value in the observation. Variables and arrays of GPUs are copied to
        the processor.
    aggregated_key : str, optional
        Key of the result, which replaces the value by default.
    comm_trigger : tuple or callable
        When to communicate. It must fire in the same iterations on all processes.
    aggregator : callable, optional
        Function of a list with, for each process, the list of the values observed
        since the last communication. By default the result is the mean of all values.
        The first process calls it.

    Examples
    --------
    ::

        trainer.extend(chainermn.extensions.ObservationAggregator(comm, 'main/loss'))
        trainer.extend(extensions.LogReport())
    """

    comm: CommunicatorBase
    original_key: str
    aggregated_key: str
    aggregator: Callable[..., Any]

    trigger: Any = 1, 'iteration'
    priority = extension.PRIORITY_EDITOR
    name = None

    def __init__(
            self, comm: CommunicatorBase, original_key: str,
            aggregated_key: str | None = None, *,
            comm_trigger: Any = (1, 'iteration'),
            aggregator: Callable[..., Any] | None = None) -> None:
        self.comm, self.original_key = comm, original_key
        self.aggregated_key = original_key if aggregated_key is None else aggregated_key
        self.comm_trigger: Any = util.get_trigger(comm_trigger)
        self.observation_history: list[Any] = []
        self.aggregator = _average_2d if aggregator is None else aggregator

    def __call__(self, trainer: Trainer) -> None:
        if self.original_key in trainer.observation:
            self.observation_history.append(
                _on_host(trainer.observation[self.original_key]))
        if not self.comm_trigger(trainer):
            return
        summary = self.compute_summary(trainer)
        if summary is not None:
            trainer.observation[self.aggregated_key] = summary

    def compute_summary(self, trainer: Trainer) -> Any:
        """Return the result for the values since the last communication.

        All processes call it together. The result is None if no process has a value.
        """
        history, self.observation_history = self.observation_history, []
        histories = self.comm.gather_obj(history)
        summary = None
        # Without values an aggregator may fail, while other processes wait.
        if histories is not None and any(histories):
            summary = self.aggregator(histories)
        return self.comm.bcast_obj(summary)

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Write or read the values of an unfinished period.

        Snapshots of Chainer lack them.
        """
        _state.serialize_late_addition(self.comm_trigger, serializer, 'comm_trigger')
        history = None
        if not isinstance(serializer, Deserializer):
            history = numpy.array(self.observation_history)
            if history.dtype.kind not in 'biuf':
                return
        with contextlib.suppress(KeyError):
            history = serializer('history', history)
            self.observation_history = list(history)


def _on_host(value):
    if isinstance(value, Variable):
        value = value.array
    if isinstance(value, arrays.get_array_types()):
        value = backend.CpuDevice().send(value)
    return value


def _average_2d(xs):
    """Return the mean of the elements of all lists."""
    values = [_wide(value) for part in xs for value in part]
    return sum(values) / len(values)


def _wide(value):
    """Return a single value with enough digits for sums."""
    single = isinstance(value, (numpy.ndarray, numpy.generic)) and value.ndim == 0
    return numpy.float64(value) if single else value
