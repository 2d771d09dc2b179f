"""Trigger of signals: an addition of this package, which Chainer does not have."""
from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from chainer_fast._help import mistakes
from chainer_fast.serializer import AbstractSerializer
from chainer_fast.training import _state
from chainer_fast.training.triggers import _short_forms

if TYPE_CHECKING:
    from chainer_fast.training.trainer import Trainer

# For each signal that triggers wait for, its handler before them, and the triggers.
_waiting: dict[int, tuple[Any, list[SignalTrigger]]] = {}
_owner: int | None = None


class SignalTrigger:
    """Trigger that fires after a signal of the system. Chainer does not have it.

    It fires in the iteration that is running, or at the end of it, and so an extension
    or the end of the training comes between two iterations. One object may be the
    trigger of extensions and the stop trigger at the same time: all see the signal in
    the same iteration. Several signals during an iteration count as one.

    The signal has no other effect from the time when the trigger is made until the end
    of :meth:`Trainer.run`, when the former handlers are put back.

    Parameters
    ----------
    signals : str, int, signal.Signals, or sequence of them
        The signals, such as ``'SIGTERM'`` or ``('SIGTERM', 'SIGUSR1')``.
    max_trigger : tuple or callable, optional
        When to fire in any case, for the ``stop_trigger`` of the trainer. By default
        never.

    Attributes
    ----------
    signals : tuple of signal.Signals
        The signals.

    Raises
    ------
    ValueError
        If there is no such signal, or if it is made in another thread than the main
        one, where Python cannot set handlers.
    OSError
        If the signal cannot be handled, such as ``'SIGKILL'``.

    Notes
    -----
    Worker processes that are forked do not handle the signal, and may be ended by it.
    Send it to the main process alone.

    Examples
    --------
    A job that receives SIGTERM saves its state, and continues when it is started again:
    ::

        trigger = triggers.SignalTrigger('SIGTERM', max_trigger=(20, 'epoch'))
        trainer = training.Trainer(updater, trigger)
        trainer.extend(extensions.snapshot(autoload=True), trigger=trigger)
        trainer.run()

    >>> import signal
    >>> from chainer_fast.testing import get_trainer_with_mock_updater
    >>> trigger = chainer.training.triggers.SignalTrigger(
    ...     'SIGTERM', max_trigger=(10, 'iteration'))
    >>> trainer = get_trainer_with_mock_updater(trigger)
    >>> trainer.extend(
    ...     lambda trainer: signal.raise_signal(signal.SIGTERM),
    ...     trigger=lambda trainer: trainer.updater.iteration == 3)
    >>> trainer.run()
    >>> trainer.updater.iteration
    3
    """

    signals: tuple[signal.Signals, ...]

    # The iteration of the last call, and whether the trigger fired then.
    _decided: tuple[int | None, bool] = None, False
    _received = False
    _trainer: Trainer | None = None

    def __init__(
            self, signals: str | int | Sequence[str | int] = 'SIGTERM',
            max_trigger: Sequence[Any] | Callable[
                ..., Any] | None = None) -> None:
        if isinstance(signals, (str, int)):
            signals = [signals]
        self.signals = tuple(map(_signal, signals))
        self._max_trigger = _short_forms.get_trigger(max_trigger)
        for number in self.signals:
            _listen(number, self)

    def __call__(self, trainer: Trainer) -> bool:
        """Return whether the trigger fires."""
        if self._trainer is not trainer:
            self._trainer = trainer
            trainer._at_end = (*getattr(trainer, '_at_end', ()), self._end)
        iteration = trainer.updater.iteration
        # A signal between two calls of an iteration is for the next iteration, so that
        # no training stops without the snapshot.
        if self._decided[0] != iteration:
            received, self._received = self._received, False
            self._decided = iteration, self._max_trigger(trainer) or received
        return self._decided[1]

    def _end(self):
        self._trainer, self._decided = None, (None, False)
        for number in self.signals:
            _ignore(number, self)

    @mistakes.explain_serializer
    def serialize(self, serializer: AbstractSerializer) -> None:
        """Write or read the state of ``max_trigger``."""
        _state.serialize_late_addition(self._max_trigger, serializer, 'max_trigger')

    def get_training_length(self) -> tuple[float, str]:
        """Return period and unit of ``max_trigger``."""
        return self._max_trigger.get_training_length()


def _signal(name):
    try:
        return signal.Signals[name] if isinstance(name, str) else signal.Signals(name)
    except (KeyError, ValueError):
        raise ValueError('this system has no signal %r; it has %s' % (
            name, ', '.join([each.name for each in signal.Signals]))) from None


def _listen(number, trigger):
    """Add a trigger to those that wait for a signal."""
    global _owner
    if threading.current_thread() is not threading.main_thread():
        raise ValueError(
            'a signal trigger must be made in the main thread, which receives signals')
    if _owner != os.getpid():
        # Those of the process that this one was forked from wait there.
        _waiting.clear()
        _owner = os.getpid()
    if number not in _waiting:
        _waiting[number] = signal.signal(number, _handle), []
    _waiting[number][1].append(trigger)


def _ignore(number, trigger):
    """Remove a trigger; the last one puts the former handler back."""
    former, triggers = _waiting.get(number, (None, []))
    if trigger not in triggers or _owner != os.getpid():
        return
    triggers.remove(trigger)
    if not triggers:
        del _waiting[number]
        # A program may have set another handler since.
        if signal.getsignal(number) is _handle:
            signal.signal(number, signal.SIG_DFL if former is None else former)


def _handle(number, frame):
    former, triggers = _waiting[number]
    if _owner != os.getpid():
        # A forked process has inherited the handler, but is not what trains.
        signal.signal(number, signal.SIG_DFL if former is None else former)
        signal.raise_signal(number)
        return
    for trigger in triggers:
        trigger._received = True
