"""Several data sets, one after the other."""
from __future__ import annotations

from typing import Any

from chainer_fast.dataset import dataset_mixin


class ConcatenatedDataset(dataset_mixin.DatasetMixin):
    """Data set that concatenates several others.

    Parameters
    ----------
    *datasets :
        Sequences or arrays; any of them may be empty.

    Raises
    ------
    IndexError
        When an example is read, if there is none at this position.

    Examples
    --------
    >>> dataset = chainer.datasets.ConcatenatedDataset([0, 1, 2], [10, 20])
    >>> len(dataset), dataset[3]
    (5, 10)
    """

    def __init__(self, *datasets: Any) -> None:
        self._datasets = datasets

    def get_example(self, i: int) -> Any:
        """Return the ``i``-th example; ``IndexError`` for a negative ``i``."""
        start = 0
        for part in self._datasets:
            try:
                size = len(part)
            except TypeError:
                dataset_mixin._check_length(part)
                raise
            if start <= i < start + size:
                return part[i - start]
            start += size
        raise IndexError('index %s is out of range: there are %s examples'
                         % (i, start))

    def __len__(self) -> int:
        try:
            return sum(map(len, self._datasets))
        except TypeError:
            for part in self._datasets:
                dataset_mixin._check_length(part)
            raise
