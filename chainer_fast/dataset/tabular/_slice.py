"""View of some rows and columns."""
from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any

import numpy

from chainer_fast.dataset.tabular import delegate_dataset

if TYPE_CHECKING:
    from chainer_fast.dataset.tabular.tabular_dataset import TabularDataset


class _SliceHelper:
    """Value of ``dataset.slice``, to be indexed."""

    def __init__(self, dataset: TabularDataset) -> None:
        self._dataset = dataset

    def __getitem__(self, args: Any) -> TabularDataset:
        indices, keys = args if isinstance(args, tuple) else (args, None)
        return _Slice(self._dataset, indices, keys)


class _Slice(delegate_dataset._View):

    def __init__(self, dataset, indices, keys):
        super().__init__(dataset)
        self._indices = _row_numbers(indices, len(dataset))
        self._unary = keys is not None and not isinstance(keys, tuple)
        self._key_indices = None
        if keys is not None:
            names = dataset.keys
            self._key_indices = tuple([
                _column_number(key, names)
                for key in (keys if isinstance(keys, tuple) else (keys,))])

    def __len__(self):
        return len(self._rows())

    @property
    def keys(self):
        names = self.dataset.keys
        if self._key_indices is None:
            return names
        return tuple([names[k] for k in self._key_indices])

    @property
    def mode(self):
        if self._unary:
            return None
        mode = self.dataset.mode
        return mode if self._key_indices is None else mode or tuple

    def get_examples(self, indices, key_indices):
        if key_indices is None:
            key_indices = self._key_indices
        elif self._key_indices is not None:
            key_indices = tuple([self._key_indices[k] for k in key_indices])
        return self.dataset.get_examples(self._select(indices), key_indices)

    def _rows(self):
        """Return the rows as a sequence."""
        if isinstance(self._indices, slice):
            return range(*self._indices.indices(len(self.dataset)))
        return self._indices

    def _select(self, indices):
        """Return the rows of the underlying data set for rows of this one."""
        if indices is None:
            return self._indices
        rows = self._rows()
        if not isinstance(indices, slice):
            return [rows[i] for i in indices]
        rows = rows[indices]
        return _as_slice(rows) if isinstance(rows, range) else rows


def _as_slice(rows):
    if not rows:
        return slice(0, 0)
    # A stop of -1 is before the first row, but a slice would count it from the end.
    return slice(rows.start, rows.stop if rows.stop >= 0 else None, rows.step)


def _row_numbers(indices, length):
    if isinstance(indices, slice):
        return indices
    if not hasattr(indices, '__len__'):
        raise TypeError('examples of a view are selected by a slice or a list, but '
                        'got %r; dataset[i] is a single example' % (indices,))
    if len(indices) == 0:
        return []
    if all(isinstance(i, (bool, numpy.bool_)) for i in indices):
        if len(indices) != length:
            raise ValueError('a list of booleans must have one for each example, but '
                             'there are %d booleans and %s examples'
                             % (len(indices), length))
        return [i for i, chosen in enumerate(indices) if chosen]
    return [_position(int(i), length, 'example') for i in indices]


def _column_number(key, names):
    if isinstance(key, numbers.Integral):
        return _position(int(key), len(names), 'key')
    try:
        return names.index(key)
    except ValueError:
        raise KeyError('there is no key %r; the keys are %s'
                       % (key, ', '.join(map(repr, names)))) from None


def _position(i, length, what):
    if not -length <= i < length:
        raise IndexError('there is no %s %s: the data set has %s' % (what, i, length))
    return i % length
