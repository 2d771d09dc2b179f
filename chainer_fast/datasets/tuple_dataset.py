"""Data sets of equal length, combined into tuples."""
from __future__ import annotations

from typing import Any, overload

import numpy

from chainer_fast._core.arrays import batching
from chainer_fast.dataset import dataset_mixin
from chainer_fast.types import NdArray


class TupleDataset:
    """Data set whose ``i``-th example is a tuple of the ``i``-th examples of others.

    Parameters
    ----------
    *datasets :
        Sequences or arrays of equal length.

    Raises
    ------
    ValueError
        If there is no data set, or if the lengths differ.

    Examples
    --------
    >>> dataset = chainer.datasets.TupleDataset([0, 1, 2], ['a', 'b', 'c'])
    >>> dataset[1]
    (1, 'b')
    >>> dataset[:2]
    [(0, 'a'), (1, 'b')]
    """

    def __init__(self, *datasets: Any) -> None:
        if not datasets:
            raise ValueError('no datasets are given')
        for dataset in datasets:
            dataset_mixin._check_length(dataset)
        lengths = [len(dataset) for dataset in datasets]
        if len(set(lengths)) > 1:
            raise ValueError('the datasets have different lengths: %s'
                             % ', '.join(map(str, lengths)))
        self._datasets = datasets
        self._length = lengths[0]

    @overload
    def __getitem__(self, index: slice) -> list[tuple[Any, ...]]: ...
    @overload
    def __getitem__(self, index: Any) -> tuple[Any, ...]: ...
    def __getitem__(
            self, index: Any) -> tuple[Any, ...] | list[tuple[Any, ...]]:
        columns = [dataset[index] for dataset in self._datasets]
        if isinstance(index, slice):
            return list(zip(*columns, strict=True))
        return tuple(columns)

    def __len__(self) -> int:
        return self._length


def read_example(dataset: Any, index: Any) -> Any:
    """Return an example; a ``StopIteration`` of the data set is a ``RuntimeError``.

    It would be mistaken for the end of the iterator, or of a loop around this call.
    """
    try:
        return dataset[index]
    except StopIteration as error:
        raise _stopped(dataset) from error


def _stopped(dataset):
    return RuntimeError(
        'a %s raised StopIteration while an example was read, which would end the '
        'loop over the iterator; use next(iterator, default) there, or raise another '
        'exception' % type(dataset).__name__)


def read_examples(dataset: Any, indices: NdArray) -> list[Any]:
    """Return a list of the examples of a data set.

    Parameters
    ----------
    dataset : sequence
        It is indexed by integers of NumPy, or by those of Python, which are faster,
        if it does not distinguish them.
    indices : numpy.ndarray of int
        Positions of the examples.
    """
    try:
        # A subclass may return other examples.
        if getattr(type(dataset), '__getitem__', None) is TupleDataset.__getitem__:
            columns = dataset._datasets
            same = all(type(column) in _SAME_FOR_ALL_INTEGERS for column in columns)
            return batching.tuples(
                columns, indices.tolist() if same else list(indices))
        if type(dataset) in _SAME_FOR_ALL_INTEGERS:
            indices = indices.tolist()
        return [dataset[i] for i in indices]
    except StopIteration as error:
        raise _stopped(dataset) from error


_SAME_FOR_ALL_INTEGERS = {list, tuple, numpy.ndarray, range, str}
