"""Iterator over the output of a pipeline of NVIDIA DALI."""
from __future__ import annotations

from typing import Any

from chainer_fast._help import mistakes
from chainer_fast.dataset.iterator import Iterator
from chainer_fast.serializer import AbstractSerializer
from chainer_fast.utils.experimental import experimental


class DaliIterator(Iterator):
    """Iterator over the output of a DALI pipeline (experimental).

    Batches are the outputs of ``pipeline.run()``, to be turned into arrays by a
    converter. The pipeline determines the order of the examples.

    Parameters
    ----------
    pipeline : nvidia.dali.pipeline.Pipeline
        The pipeline. It is built for the first batch; it needs ``batch_size``,
        ``build()``, ``epoch_size()`` and ``run()``.
    repeat : bool
        Whether to repeat the epochs forever.

    Warns
    -----
    FutureWarning
        Because the interface may change.

    See Also
    --------
    chainer_fast.iterators.MultiprocessIterator

    Examples
    --------
    With a class of pipelines that returns images and labels: ::

        iterator = chainer.iterators.DaliIterator(
            MyPipeline(batch_size=32, num_threads=4))
        updater = chainer.training.StandardUpdater(
            iterator, optimizer, converter=my_converter, device=0)
    """

    pipeline: Any
    epoch_size: Any
    current_position: int
    epoch: int
    is_new_epoch: bool

    def __init__(self, pipeline: Any, repeat: bool = True) -> None:
        experimental('DaliIterator')
        self.pipeline, self._repeat = pipeline, repeat
        self._is_build = False
        self.epoch_size = 1  # so that epoch_detail is 0; set by the pipeline later
        self.reset()

    def reset(self) -> None:
        """Set the position to the beginning; the pipeline itself is not reset."""
        self.current_position = self.epoch = 0
        self.is_new_epoch = False
        self._previous_epoch_detail = -1.

    def __next__(self) -> Any:
        if not self._is_build:
            self.pipeline.build()
            # A dictionary by names of readers; the first one is used.
            self.epoch_size = next(iter(self.pipeline.epoch_size().values()))
            self._is_build = True
        if self.epoch > 0 and not self._repeat:
            raise StopIteration
        outputs = self.pipeline.run()
        self._previous_epoch_detail = self.epoch_detail
        laps, position = divmod(
            self.current_position + self.batch_size, self.epoch_size)
        self.is_new_epoch = laps > 0
        if laps and not self._repeat:
            laps, position = 1, 0
        self.epoch += laps
        self.current_position = position
        return outputs

    next = __next__

    @property
    def batch_size(self) -> int:
        """Number of examples in a batch of the pipeline."""
        return self.pipeline.batch_size

    @property
    def repeat(self) -> bool:
        """Whether the iterator continues after the first epoch."""
        return self._repeat

    @property
    def epoch_detail(self) -> float:
        """Number of epochs, with the fraction of the current one."""
        return self.epoch + self.current_position / self.epoch_size

    @property
    def previous_epoch_detail(self) -> float | None:
        """``epoch_detail`` before the last batch; ``None`` before the first one."""
        detail = self._previous_epoch_detail
        return detail if detail >= 0 else None

    @mistakes.explain_serializer
    def serialize(self, serializer: AbstractSerializer) -> None:
        """Write or read the position; see the base class."""
        for name in ('current_position', 'epoch', 'is_new_epoch'):
            setattr(self, name, serializer(name, getattr(self, name)))
        try:
            previous = serializer('previous_epoch_detail', self._previous_epoch_detail)
        except KeyError:
            batch = self.batch_size / self.epoch_size
            previous = max(self.epoch_detail - batch, 0.)
        self._previous_epoch_detail = previous
