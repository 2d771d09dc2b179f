"""Interface of data sets in columns, with their views."""
from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy

from chainer_fast import backend
from chainer_fast.backends.arrays import get_array_types
from chainer_fast.dataset import dataset_mixin, tabular
from chainer_fast.types import NdArray
from chainer_fast.utils import _ragged

if TYPE_CHECKING:
    from chainer_fast.dataset.tabular._slice import _SliceHelper


class TabularDataset(dataset_mixin.DatasetMixin):
    """Base class of data sets that are tables: examples are rows, and columns have
    keys.

    A subclass defines :meth:`__len__`, :attr:`keys`, :attr:`mode` and
    :meth:`get_examples`; everything else is built on these. The methods that return a
    data set copy nothing: they return views, which fetch only the rows and columns that
    are needed.

    Examples
    --------
    >>> import numpy
    >>> from chainer_fast.dataset import tabular
    >>> dataset = tabular.from_data({'x': numpy.arange(5), 'y': [0, 1, 0, 1, 0]})
    >>> dataset[3]['y']
    1
    >>> dataset.slice[1:4, ('y', 'x')].astuple().fetch()
    ([1, 0, 1], array([1, 2, 3]))
    """

    def __len__(self) -> int:
        """Return the number of examples."""
        raise NotImplementedError('%s has to define __len__()' % type(self).__name__)

    @property
    def keys(self) -> tuple[str, ...]:
        """tuple of str: Names of the columns."""
        raise NotImplementedError('%s has to define keys' % type(self).__name__)

    @property
    def mode(self) -> type | None:
        """Type of an example: ``tuple``, ``dict``, or ``None`` for a single value.

        ``None`` is for data sets with one column.
        """
        raise NotImplementedError('%s has to define mode' % type(self).__name__)

    def get_examples(
            self, indices: Any,
            key_indices: Sequence[int] | None) -> tuple[list[Any] | NdArray, ...]:
        """Return columns; subclasses implement this.

        Parameters
        ----------
        indices : list of int, slice or None
            The rows; ``None`` means all of them.
        key_indices : tuple of int or None
            Positions of the columns in :attr:`keys`; ``None`` means all of them.

        Returns
        -------
        tuple of lists or arrays
            One for each requested column, of the length of ``indices``, regardless
            of :attr:`mode`.
        """
        raise NotImplementedError(
            '%s has to define get_examples(indices, key_indices)' % type(self).__name__)

    @property
    def slice(self) -> _SliceHelper:
        """View of some rows and columns: ``dataset.slice[indices, keys]``.

        ``indices`` is a slice, a list or array of integers, or a list or array of
        booleans as long as the data set. The optional ``keys`` is a key, the position
        of one, or a tuple of these. With a single key the view has the mode ``None``.

        An integer out of range raises ``IndexError``, an unknown key ``KeyError``, a
        wrong number of booleans ``ValueError``.
        """
        return tabular._slice._SliceHelper(self)

    def fetch(self) -> Any:
        """Return all columns, arranged by :attr:`mode`.

        Returns
        -------
        tuple, dict, list or array
            The lists or arrays of :meth:`get_examples` as a tuple, as a dict by key, or
            the only column itself.
        """
        columns = self.get_examples(None, None)
        return self._arrange(columns)

    def convert(
            self, data: Sequence[Any] | dict[Any, Any] | NdArray) -> Any:
        """Turn what :meth:`fetch` returns into arrays.

        :meth:`with_converter` replaces this method.

        Parameters
        ----------
        data : tuple, dict, list or array
            Columns; none of them may be an empty list.

        Returns
        -------
        tuple, dict or array
            Lists become arrays on the device of their first element. Arrays are kept.
        """
        if isinstance(data, tuple):
            return tuple([_as_array(column) for column in data])
        if isinstance(data, dict):
            return {key: _as_array(column) for key, column in data.items()}
        return _as_array(data)

    def astuple(self) -> TabularDataset:
        """Return a view whose examples are tuples.

        Returns
        -------
        TabularDataset
            The view.
        """
        return tabular._asmode._Astuple(self)

    def asdict(self) -> TabularDataset:
        """Return a view whose examples are dicts.

        Returns
        -------
        TabularDataset
            The view.
        """
        return tabular._asmode._Asdict(self)

    def concat(self, *datasets: TabularDataset) -> TabularDataset:
        """Return a view of this data set followed by the rows of others.

        Parameters
        ----------
        *datasets : TabularDataset
            Data sets with the same keys in the same order.

        Returns
        -------
        TabularDataset
            Mode and converter are those of this data set.

        Raises
        ------
        ValueError
            If keys differ.
        """
        return tabular._concat._Concat(self, *datasets)

    def join(self, *datasets: TabularDataset) -> TabularDataset:
        """Return a view of this data set with the columns of others added.

        Parameters
        ----------
        *datasets : TabularDataset
            Data sets of the same length with different keys.

        Returns
        -------
        TabularDataset
            The converter is that of this data set. The mode is the first that is not
            ``None``, or ``tuple``.

        Raises
        ------
        ValueError
            If lengths differ, or if two data sets share a key.
        """
        return tabular._join._Join(self, *datasets)

    def transform(
            self, keys: str | Sequence[str],
            transform: Callable[..., Any]) -> TabularDataset:
        """Return a view with a function applied to each example.

        Parameters
        ----------
        keys : str or tuple of str
            Keys of the result.
        transform : callable
            Called with the elements of one example, by key if the mode is ``dict``. It
            returns a tuple, a dict, or a value of another type. All results must be of
            the same of these three kinds, which is the mode of the view.

        Returns
        -------
        TabularDataset
            Fetching raises ``ValueError`` if the type of result changes.
        """
        return tabular._transform._Transform(self, keys, transform)

    def transform_batch(
            self, keys: str | Sequence[str],
            transform_batch: Callable[..., Any]) -> TabularDataset:
        """Return a view with a function applied to many examples at once.

        Parameters
        ----------
        keys : str or tuple of str
            Keys of the result.
        transform_batch : callable
            As in :meth:`transform`, with columns instead of elements. The columns
            returned are as long as those passed.

        Returns
        -------
        TabularDataset
            Fetching raises ``ValueError`` if the type of result changes, or if a column
            has another length.
        """
        return tabular._transform._TransformBatch(self, keys, transform_batch)

    def with_converter(self, converter: Callable[..., Any]) -> TabularDataset:
        """Return a view with another :meth:`convert`.

        Parameters
        ----------
        converter : callable
            Called with the columns, by key if they are in a dict.

        Returns
        -------
        TabularDataset
            The view.
        """
        return tabular._with_converter._WithConverter(self, converter)

    def get_example(self, i: int) -> Any:
        """Return the ``i``-th example, arranged by :attr:`mode`."""
        columns = self.get_examples([i], None)
        return self._arrange(tuple([column[0] for column in columns]))

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the examples, fetching them one by one."""
        return (self.get_example(i) for i in range(len(self)))

    def _arrange(self, columns):
        mode = self.mode
        if mode is tuple:
            return columns
        if mode is dict:
            return dict(zip(self.keys, columns, strict=False))
        if mode is None:
            return columns[0]
        raise ValueError('the mode of a data set must be tuple, dict or None; that of '
                         '%s is %r' % (type(self).__name__, mode))


def _as_array(column):
    if isinstance(column, get_array_types()):
        return column
    device = backend.get_device_from_array(column[0])
    if device.xp is numpy:
        return _ragged.as_numpy(column)
    with backend.using_device(device):
        return device.xp.asarray(column)
