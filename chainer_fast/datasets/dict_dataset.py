"""Data sets of equal length, combined into dicts."""
from __future__ import annotations

from typing import Any, overload

from chainer_fast.dataset import dataset_mixin


class DictDataset:
    """Data set whose ``i``-th example is a dict of the ``i``-th examples of others.

    Parameters
    ----------
    **datasets :
        Sequences or arrays of equal length.

    Raises
    ------
    ValueError
        If there is no data set, or if the lengths differ.

    Examples
    --------
    >>> dataset = chainer.datasets.DictDataset(x=[0, 1, 2], t=['a', 'b', 'c'])
    >>> dataset[1]
    {'x': 1, 't': 'b'}
    """

    def __init__(self, **datasets: Any) -> None:
        if not datasets:
            raise ValueError('no datasets are given')
        for dataset in datasets.values():
            dataset_mixin._check_length(dataset)
        lengths = {key: len(dataset) for key, dataset in datasets.items()}
        if len(set(lengths.values())) > 1:
            raise ValueError('the datasets have different lengths: %s' % ', '.join(
                ['%s %d' % item for item in lengths.items()]))
        self._datasets = datasets
        self._length = lengths.popitem()[1]

    @overload
    def __getitem__(self, index: slice) -> list[dict[str, Any]]: ...
    @overload
    def __getitem__(self, index: Any) -> dict[str, Any]: ...
    def __getitem__(
            self, index: Any) -> dict[str, Any] | list[dict[str, Any]]:
        columns = {key: dataset[index] for key, dataset in self._datasets.items()}
        if not isinstance(index, slice):
            return columns
        return [dict(zip(columns, row, strict=True))
                for row in zip(*columns.values(), strict=True)]

    def __len__(self) -> int:
        return self._length
