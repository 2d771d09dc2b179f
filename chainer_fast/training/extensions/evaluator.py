"""Extension that evaluates models on a validation set."""
from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from chainer_fast import configuration, function, iterators
from chainer_fast import reporter as reporter_module
from chainer_fast._backend import Device
from chainer_fast._help import mistakes
from chainer_fast.dataset import convert
from chainer_fast.dataset.iterator import Iterator
from chainer_fast.iterators import order_samplers
from chainer_fast.iterators._statemachine import AN_ITERATOR, NoExamples, part_of_epoch
from chainer_fast.link import Link
from chainer_fast.serializer import AbstractSerializer
from chainer_fast.training import extension
from chainer_fast.training.extensions import util
from chainer_fast.training.trainer import Trainer
from chainer_fast.types import DeviceSpec

# Iterators for which the meaning of ``repeat`` is known.
_REPEATING = (iterators.SerialIterator, iterators.MultiprocessIterator,
              iterators.MultithreadIterator)


class Evaluator(extension.Extension):
    """Extension that reports means of a model's reported values over a data set.

    The model is called in test mode (``config.train`` is false) and without building
    graphs. The values are reported under the name of the extension, ``'validation'`` by
    default, and that of the target: ``'validation/main/loss'``. To evaluate in another
    way, override :meth:`evaluate` in a subclass.

    Parameters
    ----------
    iterator : Iterator or dict of Iterator
        The data. It must end, so make it with ``repeat=False``.
    target : Link or dict of Link
        The models; one model is named ``'main'``.
    converter : callable
        ``converter(batch, device)`` makes the arguments of the model.
    device : device specifier, optional
        Device to which the converter sends the batch.
    eval_hook : callable, optional
        Called with the evaluator at the beginning.
    eval_func : callable, optional
        Function to call with the batches; the main target by default.
    progress_bar : bool
        Whether to show a progress bar.

    Attributes
    ----------
    converter, device, eval_hook, eval_func :
        The arguments; the device as a :class:`chainer_fast.backend.Device`.

    Raises
    ------
    KeyError
        If there is no iterator or target named ``'main'``.

    Examples
    --------
    >>> model = L.Classifier(L.Linear(3, 2))
    >>> data = [(np.ones(3, np.float32), np.int32(1))] * 10
    >>> iterator = chainer.iterators.SerialIterator(
    ...     data, 4, repeat=False, shuffle=False)
    >>> result = chainer.training.extensions.Evaluator(iterator, model)()
    >>> sorted(result)
    ['main/accuracy', 'main/loss']

    In a training: ::

        trainer.extend(extensions.Evaluator(iterator, model, device=device))
    """

    device: Device | None
    eval_func: Callable[..., Any] | None
    eval_hook: Callable[..., Any] | None

    default_name = 'validation'
    name = None
    trigger: Any = (1, 'epoch')
    priority = extension.PRIORITY_WRITER

    def __init__(
            self, iterator: Iterator | dict[str, Iterator],
            target: Link | dict[str, Link],
            converter: Callable[..., Any] = convert.concat_examples,
            device: DeviceSpec | None = None,
            eval_hook: Callable[..., Any] | None = None,
            eval_func: Callable[..., Any] | None = None, *,
            progress_bar: bool = False) -> None:
        self.converter, self.device = converter, convert._get_device(device)
        self.eval_func, self.eval_hook = eval_func, eval_hook
        self._progress_bar = progress_bar
        self._targets = target if isinstance(target, dict) else {'main': target}
        self._iterators = iterator if isinstance(iterator, dict) else {'main': iterator}
        for name, it in self._iterators.items():
            if isinstance(it, (list, tuple)):
                raise mistakes.WrongKind(
                    'the iterator %r of an Evaluator must be a chainer.dataset.'
                    'Iterator, but is a %s: make it with SerialIterator(dataset, '
                    'batch_size, repeat=False, shuffle=False), where the data set can '
                    'be TupleDataset(x, t)' % (name, type(it).__name__))
            if isinstance(it, _REPEATING) and it.repeat:
                warnings.warn('the iterator %r of an Evaluator repeats its data '
                              'forever, and the evaluation never ends: make it with '
                              'repeat=False, shuffle=False' % (name,))

    def get_all_iterators(self) -> dict[str, Iterator]:
        """Return a new dict of all iterators by name."""
        return {**self._iterators}

    def get_all_targets(self) -> dict[str, Link]:
        """Return a new dict of all targets by name."""
        return {**self._targets}

    def get_iterator(self, name: str) -> Iterator:
        """Return an iterator by its name; ``KeyError`` if there is none."""
        return self._iterators[name]

    def get_target(self, name: str) -> Link:
        """Return a target by its name; ``KeyError`` if there is none."""
        return self._targets[name]

    def __call__(self, trainer: Trainer | None = None) -> dict[str, Any]:
        """Evaluate and report.

        Parameters
        ----------
        trainer : Trainer, optional
            Not used: an evaluator can also be called outside of a trainer.

        Returns
        -------
        dict
            Means of the reported values, with the prefix of the extension.
        """
        reporter = reporter_module.Reporter()
        for name, target in self._targets.items():
            mistakes.require(
                None if isinstance(target, type) else target, 'namedlinks', (
                    'the target of an Evaluator must be a link or a dict of links, as '
                    'in Evaluator(iterator, model)'))
            path = name if self.name is None else '%s/%s' % (self.name, name)
            reporter.add_observer(path, target)
            reporter.add_observers(path, target.namedlinks(skipself=True))
        with reporter, self._mode():
            try:
                result = self.evaluate()
            except NoExamples as error:
                error.args = ('the extension %r: %s' % (
                    self.name or type(self).__name__, error),)
                raise
            except Exception as error:
                self._explain(error)
                raise
        reporter_module.report(result)
        return result

    def _explain(self, error):
        """Add a hint to an exception if an argument is of the wrong kind."""
        for it in self._iterators.values():
            if hasattr(it, '__getitem__') and not hasattr(it, 'next'):
                mistakes.tell(error, (
                    'the iterator of an Evaluator is a %s, whose elements are used as '
                    'batches: pass SerialIterator(dataset, batch_size, '
                    'repeat=False, shuffle=False)' % type(it).__name__))

    def _mode(self) -> AbstractContextManager[Any]:
        """Return the context in which models are called."""
        return configuration.using_config('train', False)

    def evaluate(self) -> dict[Any, Any]:
        """Evaluate the data once; subclasses may override this.

        Returns
        -------
        dict
            Means of the reported values, with equal weights for all batches.
        """
        if self.eval_hook:
            self.eval_hook(self)
        eval_func = self.eval_func or self._targets['main']
        iterator = _restart(self._iterators['main'])
        pbar = _IteratorProgressBar(iterator) if self._progress_bar else None
        summary = reporter_module.DictSummary()
        for batch in iterator:
            observation = {}
            with reporter_module.report_scope(observation):
                args, kwargs = convert._as_arguments(
                    convert._call_converter(self.converter, batch, self.device))
                with function.no_backprop_mode():
                    eval_func(*args, **kwargs)
            summary.add(observation)
            if pbar:
                pbar.update()
        if pbar:
            pbar.close()
        return summary.compute_mean()

    @mistakes.explain_serializer
    def serialize(self, serializer: AbstractSerializer) -> None:
        """Write or read the random states of the iterators' order samplers."""
        for name, iterator in self._iterators.items():
            sampler = getattr(iterator, 'order_sampler', None)
            if isinstance(sampler, order_samplers.ShuffleOrderSampler):
                sampler.serialize(serializer['iterator:' + name])

    def finalize(self) -> None:
        """Finalize all iterators."""
        for iterator in self._iterators.values():
            # Evaluators with another computation may be given None.
            if iterator is not None:
                iterator.finalize()


def _restart(iterator):
    if hasattr(iterator, 'reset'):
        iterator.reset()
        return iterator
    if iterator is None:
        mistakes.require(iterator, 'reset', AN_ITERATOR)
    warnings.warn(
        'an iterator without reset() is copied for each evaluation, which is '
        'deprecated: add a method reset() to '
        '%s' % type(iterator).__name__, DeprecationWarning)
    return copy.copy(iterator)


class _IteratorProgressBar(util.ProgressBar):

    def __init__(self, iterator) -> None:
        missing = [name for name in ('current_position', 'epoch_detail')
                   if not hasattr(type(iterator), name)
                   and not hasattr(iterator, name)]
        if missing:
            raise TypeError('the progress bar needs attributes that %s lacks: %s'
                            % (type(iterator).__name__, ', '.join(missing)))
        super().__init__()
        self._iterator = iterator
        self._n_done = 0
        self._n_all = 0

    def get_lines(self) -> list[str]:
        position = self._iterator.current_position
        epoch = part_of_epoch(self._iterator, 'epoch_detail')
        # The position is 0 again at the end.
        if position:
            self._n_done = position
            self._n_all = round(position / epoch)
        else:
            self._n_done = self._n_all
        speed, epochs_per_second = self.update_speed(self._n_done, epoch)
        return [
            self._bar('validation', min(epoch, 1.)),
            f'{self._n_done:10} / {self._n_all} iterations\n',
            self._speed(speed, util.seconds_left(1 - epoch, epochs_per_second)),
        ]
