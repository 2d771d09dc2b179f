"""Tables made of arrays, lists and functions."""
from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from chainer_fast.backends.arrays import get_array_types
from chainer_fast.dataset.tabular import tabular_dataset
from chainer_fast.types import NdArray

if TYPE_CHECKING:
    from chainer_fast.dataset.tabular.tabular_dataset import TabularDataset

_unnamed = itertools.count()


def from_data(
        data: NdArray | Sequence[Any] | dict[Any, Any], *,
        size: int | None = None) -> TabularDataset:
    """Make a data set of columns.

    Parameters
    ----------
    data : array, list, tuple or dict
        One of

        - a column: an array or a list with an element per example;
        - ``(key, column)``, the same with a name;
        - a tuple of these: the examples are tuples;
        - a dict of columns by key: the examples are dicts.

        A column with a key may also be a function, which is called with the position of
        an example whenever that example is fetched. With a tuple of keys, it returns
        the elements for all of them, as a tuple or a dict. Columns without a key get a
        unique one.
    size : int, optional
        Number of examples. It is needed if all columns are functions; otherwise it is
        the length of the others.

    Returns
    -------
    TabularDataset
        The data set, which refers to the arrays and lists without copying.

    Raises
    ------
    ValueError
        If a function has no key or no known size, if lengths differ, or if keys repeat.
    IndexError
        If ``data`` is an empty tuple or dict.
    TypeError
        If a column is neither an array nor a list nor a function.

    Examples
    --------
    >>> from chainer_fast.dataset import tabular
    >>> dataset = tabular.from_data((('x', [2, 7, 1]), (('y', 'z'), lambda i: (i, -i))))
    >>> dataset.keys
    ('x', 'y', 'z')
    >>> dataset[1]
    (7, 1, -1)
    """
    if isinstance(data, tuple) and not (len(data) == 2 and _is_key(data[0])):
        columns = [column if isinstance(column, tuple) else (None, column)
                   for column in data]
        return _join(columns, size).astuple()
    if isinstance(data, dict):
        return _join(list(data.items()), size).asdict()
    key, column = data if isinstance(data, tuple) else (None, data)
    return _make_dataset(key, column, size)


def _is_key(x):
    return isinstance(x, str) or (
        isinstance(x, tuple) and all(isinstance(name, str) for name in x))


def _join(columns, size):
    if not columns:
        raise IndexError('a data set needs a column, but data is empty')
    if size is None:
        size = next((len(column) for _, column in columns if _is_stored(column)), None)
    first, *others = [_make_dataset(key, column, size) for key, column in columns]
    return first.join(*others)


def _is_stored(column):
    return isinstance(column, (list, *get_array_types()))


def _make_dataset(key, column, size):
    if _is_stored(column):
        if key is None:
            key = '_%d' % next(_unnamed)
        return (_List if isinstance(column, list) else _Array)(key, column)
    if not callable(column):
        raise TypeError('a column must be an array, a list or a function, but got %s'
                        % type(column))
    if key is None:
        raise ValueError('a function as a column needs a key: (key, function)')
    if size is None:
        raise ValueError('functions do not determine the number of examples: pass the '
                         'argument size')
    return _Index(size).transform(key, column)


class _Array(tabular_dataset.TabularDataset):
    """One column, an array."""

    mode = None
    keys = property(lambda self: (self._key,))

    def __init__(
            self, key,
            data: NdArray | Sequence[Any] | dict[Any, Any]) -> None:
        self._data = data
        self._key = key

    def get_examples(
            self, indices: Any,
            key_indices: Any) -> tuple[Any, ...]:
        column = self._data if indices is None else self._rows(indices)
        return (column,) * (1 if key_indices is None else len(key_indices))

    def _rows(self, indices):
        return self._data[indices]

    def __len__(self) -> int:
        return len(self._data)


class _List(_Array):
    """One column, a list."""

    def _rows(self, indices):
        if isinstance(indices, slice):
            return self._data[indices]
        return [self._data[i] for i in indices]


class _Index(tabular_dataset.TabularDataset):
    """One column of positions, the arguments of functions.

    Requested rows are returned without checking the size.
    """

    mode = None
    keys = ('index',)

    def __init__(self, size: int | None) -> None:
        self._len: Any = size

    def __len__(self) -> int:
        return self._len

    def get_examples(
            self, indices: Any,
            key_indices: Any) -> tuple[list[Any] | NdArray, ...]:
        if indices is None:
            indices = range(len(self))
        elif isinstance(indices, slice):
            indices = range(*indices.indices(len(self)))
        return (indices,) * (1 if key_indices is None else len(key_indices))
