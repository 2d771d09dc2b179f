"""Evaluation on all processes."""
from __future__ import annotations

import copy
import types
from collections.abc import Callable
from typing import Any

from chainer_fast import backend, function
from chainer_fast._backend import Device
from chainer_fast.dataset import convert
from chainer_fast.dataset.iterator import Iterator
from chainer_fast.mn.communicators.communicator_base import CommunicatorBase
from chainer_fast.training import extension
from chainer_fast.training.extensions.evaluator import Evaluator
from chainer_fast.training.trainer import Trainer
from chainer_fast.types import DeviceSpec
from chainer_fast.utils import argument

# Number of results gathered before all processes check whether more follow.
_ROUND = 8


class GenericMultiNodeEvaluator(extension.Extension):
    """Extension that evaluates a model on all processes and gathers all results.

    It serves metrics that are not means over batches, such as the BLEU score. The data
    sets of the processes may have different lengths. It reports nothing: call
    ``report`` in :meth:`aggregate`.

    Parameters
    ----------
    comm : CommunicatorBase
        The processes.
    iterator : Iterator
        The data of this process. It must end, so make it with ``repeat=False``.
    target : callable
        The model.
    device : device specifier, optional
        Device to which the converter sends the batch.
    converter : callable
        ``converter(batch, device)`` makes the arguments of :meth:`calc_local`.
    root : int
        Rank of the process that gets the results.
    progress_hook : callable, optional
        Called with each batch of the process ``root``.

    Examples
    --------
    An evaluator of translations: ::

        class BleuEvaluator(chainermn.extensions.GenericMultiNodeEvaluator):

            def calc_local(self, sources, references):
                return list(zip(self.target.translate(sources), references))

            def aggregate(self, results):
                pairs = [pair for batch in results for pair in batch]
                chainer.report({'bleu': bleu(pairs)}, self.target)

        trainer.extend(BleuEvaluator(comm, iterator, model), trigger=(1, 'epoch'))
    """

    comm: CommunicatorBase
    iterator: Iterator
    device: Device | None

    trigger: Any = 1, 'epoch'
    default_name = 'validation'
    priority = extension.PRIORITY_WRITER
    name = None

    def __init__(
            self, comm: CommunicatorBase, iterator: Iterator,
            target: Callable[..., Any], device: DeviceSpec | None = None,
            converter: Callable[..., Any] = convert.concat_examples,
            root: int = 0, **kwargs: Any) -> None:
        self._progress_hook, = argument.parse_kwargs(kwargs, ('progress_hook', None))
        self.comm, self.iterator, self.converter = comm, iterator, converter
        self.root = root
        self.device = None if device is None else backend.get_device(device)
        self._targets = {'main': target}

    def __call__(self, trainer: Trainer) -> Any:
        """Evaluate.

        Returns
        -------
        object
            Result of :meth:`aggregate` on process ``root``, None on others.
        """
        if hasattr(self.iterator, 'reset'):
            self.iterator.reset()
            iterator = self.iterator
        else:
            iterator = copy.copy(self.iterator)

        results, done = [], False
        local = self._evaluate_local(iterator)
        while not done:
            for _ in range(_ROUND):
                gathered = self.comm.gather_obj(next(local, None), root=self.root)
                if gathered is not None:
                    results += [result for result in gathered if result is not None]
                    done = all(result is None for result in gathered)
            done = self.comm.bcast_obj(
                done if self.comm.rank == self.root else None, root=self.root)
        return self.aggregate(results) if self.comm.rank == self.root else None

    def calc_local(self, *args: Any, **kwargs: Any) -> Any:
        """Return the result for one batch; may be overridden.

        By default it is the result of the model. No graph is built.

        Parameters
        ----------
        *args, **kwargs
            Result of the converter: a tuple as several arguments, a dict as keyword
            arguments, anything else as one argument.

        Returns
        -------
        object
            An object that can be pickled. None is omitted.
        """
        return self._targets['main'](*args, **kwargs)

    def aggregate(self, results: list[Any]) -> Any:
        """Return the metric for all results; may be overridden.

        It is called on process ``root`` only. By default it returns the list.

        Parameters
        ----------
        results : list
            Results of the first batches of all processes by rank, of the second ones,
            and so on.
        """
        return results

    def _evaluate_local_single(self, batch):
        arguments = convert._call_converter(self.converter, batch, self.device)
        with function.no_backprop_mode():
            if isinstance(arguments, tuple):
                return self.calc_local(*arguments)
            if isinstance(arguments, dict):
                return self.calc_local(**arguments)
            return self.calc_local(arguments)

    def _evaluate_local(self, iterator):
        """Yield the results of this process."""
        # The data set may have fewer examples than the job has processes.
        if len(getattr(iterator, 'dataset', [()])) == 0:
            return
        for batch in iterator:
            result = self._evaluate_local_single(batch)
            if self.comm.rank == self.root and self._progress_hook is not None:
                self._progress_hook(batch)
            if result is not None:
                yield result


class _Summand:
    """Value of one process; adding such values sums them by key."""

    def __init__(self, value, keys) -> None:
        self.value, self.keys, self.differing = value, keys, None

    def __add__(self, other):
        total = _Summand(None, self.keys)
        total.differing = self.differing or other.differing
        if total.differing is None and self.keys != other.keys:
            total.differing = self.keys, other.keys
        if total.differing is None:
            total.value = self.value + other.value
        return total


def create_multi_node_evaluator(
        actual_evaluator: Evaluator, communicator: CommunicatorBase) -> Evaluator:
    """Make an evaluator return the means of the results of all processes.

    With data sets of different lengths, the mean of means differs from the mean over
    all examples.

    Parameters
    ----------
    actual_evaluator : Evaluator
        The method ``evaluate`` of the object is replaced.
    communicator : CommunicatorBase
        The processes.

    Returns
    -------
    Evaluator
        The same object.

    Notes
    -----
    ``evaluate`` raises :class:`ValueError` on all processes if their results have
    different keys.

    Examples
    --------
    ::

        evaluator = extensions.Evaluator(test_iterator, model, device=device)
        trainer.extend(chainermn.create_multi_node_evaluator(evaluator, comm))
    """
    original = actual_evaluator.evaluate
    actual_evaluator._mn_original_evaluate = original  # type: ignore[attr-defined]
    actual_evaluator._mn_communicator = communicator  # type: ignore[attr-defined]

    def new_evaluate(self):
        local = original()
        keys = sorted(local)
        means = {}
        # A process without results participates, to find out whether others have
        # results.
        for key in keys or [None]:
            total = communicator.allreduce_obj(_Summand(local.get(key, 0), keys))
            if total.differing is not None:
                raise ValueError(
                    'processes evaluated different values: %s and %s; give each '
                    'process a part of the data (scatter_dataset(..., '
                    'force_equal_length=True)) and '
                    'report the same values' % total.differing)
            if key is not None:
                means[key] = total.value / communicator.size
        return means

    actual_evaluator.evaluate = types.MethodType(new_evaluate, actual_evaluator)
    return actual_evaluator
