"""A function applied to the examples of a data set."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from chainer_fast._help import mistakes
from chainer_fast.dataset import dataset_mixin


class TransformDataset(dataset_mixin.DatasetMixin):
    """Data set of ``transform(example)``, computed at every access.

    Parameters
    ----------
    dataset : sequence
        The underlying data set.
    transform : callable
        Takes an example and returns another one. It may be random, e.g. for data
        augmentation.

    Examples
    --------
    >>> pairs = [(np.array([0, 255]), 3)]
    >>> dataset = chainer.datasets.TransformDataset(
    ...     pairs, lambda pair: (pair[0] / 255, pair[1]))
    >>> dataset[0]
    (array([0., 1.]), 3)
    """

    def __init__(
            self, dataset: Sequence[Any],
            transform: Callable[..., Any]) -> None:
        self._transform, self._dataset = transform, dataset

    def get_example(self, i: int) -> Any:
        """Return the transformed ``i``-th example."""
        try:
            example = self._dataset[i]
        except TypeError:
            dataset_mixin._check_length(self._dataset)
            raise
        try:
            return self._transform(example)
        except TypeError as error:
            trace = error.__traceback__     # that of the call itself
            if isinstance(example, tuple) and trace is not None and (
                    trace.tb_next is None):
                mistakes.tell(error, (
                    'the transform is called with one argument, the example, which is '
                    'a tuple of %d elements here: define it as f(example)'
                    % len(example)))
            raise

    def __len__(self) -> int:
        try:
            return len(self._dataset)
        except TypeError:
            dataset_mixin._check_length(self._dataset)
            raise
