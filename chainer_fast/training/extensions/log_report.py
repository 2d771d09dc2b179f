"""Extension that writes reported values to a log."""
from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from chainer_fast import reporter
from chainer_fast import serializer as serializer_module
from chainer_fast._help import mistakes
from chainer_fast.serializer import AbstractSerializer
from chainer_fast.training import extension, util
from chainer_fast.training.extensions import _report_keys, _scratch
from chainer_fast.training.trainer import Trainer


class LogReport(extension.Extension):
    """Extension that averages reported values over a period and logs the means.

    It must be called at each iteration; ``trigger`` determines when a period ends. A
    call before the training makes an entry of the values observed so far. The log is a
    list of dicts, which is also written to a JSON file. Besides the values, a dict has
    the entries ``'epoch'``, ``'iteration'`` and ``'elapsed_time'``.

    Parameters
    ----------
    keys : iterable of str, optional
        Keys of the values to log; by default all.
    trigger : tuple or callable
        When to average and write.
    postprocess : callable, optional
        Called with each new dict; it may change it.
    filename : str, optional
        Name of the file in the folder of the trainer, ``'log'`` by default. It is
        formatted with the entries of the dict, e.g. ``'log_{epoch}'``.
    log_name : str or None, optional
        Former name of ``filename``; ``None`` writes no file.

    See Also
    --------
    chainer_fast.training.extensions.PrintReport

    Examples
    --------
    >>> from chainer_fast.testing import get_trainer_with_mock_updater
    >>> losses = iter([4, 2, 3, 1])
    >>> trainer = get_trainer_with_mock_updater((4, 'iteration'))
    >>> trainer.extend(
    ...     lambda trainer: trainer.observation.update(loss=next(losses)),
    ...     priority=chainer.training.PRIORITY_WRITER)
    >>> trainer.extend(
    ...     chainer.training.extensions.LogReport(trigger=(2, 'iteration')))
    >>> trainer.run()
    >>> [entry['loss'] for entry in trainer.get_extension('LogReport').log]
    [3.0, 2.0]
    """

    def __init__(
            self, keys: Iterable[str] | None = None,
            trigger: Sequence[Any] | Callable[..., Any] = (1, 'epoch'),
            postprocess: Callable[..., Any] | None = None,
            filename: str | None = None, *, log_name: str | None = 'log') -> None:
        self._log = []
        _report_keys.warn_of_letters(self, keys)
        self._keys, self._postprocess = keys, postprocess
        self._trigger = util.get_trigger(trigger)
        self._log_name = log_name if filename is None else filename
        self._init_summary()

    def _init_summary(self):
        self._summary = reporter.DictSummary()

    @property
    def log(self) -> list[dict[str, Any]]:
        """The list of dicts so far."""
        return self._log

    def __call__(self, trainer: Trainer) -> None:
        observation = trainer.observation
        if self._keys is not None:
            observation = {
                key: observation[key] for key in self._keys if key in observation}
        self._summary.add(observation)
        if not (trainer.is_before_training or self._trigger(trainer)):
            return

        entry = {key: float(mean) for key, mean in self._summary.compute_mean().items()}
        entry.update(epoch=trainer.updater.epoch, iteration=trainer.updater.iteration,
                     elapsed_time=trainer.elapsed_time)
        if self._postprocess is not None:
            self._postprocess(entry)
        self._log.append(entry)
        if self._log_name is not None:
            self._write(trainer.out, self._log_name.format(**entry))
        self._init_summary()

    def _write(self, folder, name):
        with _scratch.temporary_folder(folder, '_log') as temporary:
            partial = os.path.join(temporary, 'log')
            with open(partial, 'w', encoding='utf-8') as file:
                json.dump(self._log, file, indent=4)
            os.replace(partial, os.path.join(folder, name))

    @mistakes.explain_serializer
    def serialize(self, serializer: AbstractSerializer) -> None:
        reading = isinstance(serializer, serializer_module.Deserializer)
        if hasattr(self._trigger, 'serialize'):
            self._trigger.serialize(serializer['_trigger'])
        summary = self._summary
        try:
            summary.serialize(serializer['_summary'])
        except KeyError:
            warnings.warn('the snapshot lacks the values reported since the last '
                          'entry of the log')
        text = serializer('_log', '' if reading else json.dumps(self._log))
        if reading and text:  # a non-strict deserializer may return its argument
            self._log = json.loads(text)
