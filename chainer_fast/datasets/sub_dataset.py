"""Parts of data sets, for splits and cross validation."""
from __future__ import annotations

import numbers
import operator
from collections.abc import Sequence
from typing import Any

import numpy

from chainer_fast import _numbers
from chainer_fast._help import mistakes
from chainer_fast.dataset import dataset_mixin
from chainer_fast.utils import argument


class SubDataset(dataset_mixin.DatasetMixin):
    """Range of a data set, which may be permuted first.

    Parameters
    ----------
    dataset : sequence
        The whole data set.
    start, finish : int
        First position of the range, and the position after its last.
    order : sequence of int, optional
        Permutation of the data set; positions then refer to the permuted one.

    Raises
    ------
    ValueError
        If the range is not inside the data set, or if ``order`` has the wrong length.

    Examples
    --------
    >>> dataset = chainer.datasets.SubDataset(range(10, 20), 2, 5)
    >>> len(dataset), dataset[0], dataset[-1]
    (3, 12, 14)
    """

    def __init__(
            self, dataset: Sequence[Any], start: int, finish: int,
            order: Sequence[int] | None = None) -> None:
        start, finish = _numbers.plain_all((start, finish))
        dataset_mixin._check_length(dataset)
        for number in start, finish:
            if not isinstance(number, numbers.Real):
                raise TypeError('the first and the last position of a SubDataset must '
                                'be integers, but one is %r' % (number,))
        if start < 0 or len(dataset) < finish:
            raise ValueError('subset overruns the base dataset: [%s, %s) of %d examples'
                             % (start, finish, len(dataset)))
        if order is not None:
            mistakes.require(order, '__len__', 'the order must be a list of positions')
        if order is not None and len(order) != len(dataset):
            raise ValueError(
                'order has to have the same length as the base dataset: it has %d '
                'elements while the dataset has %d' % (len(order), len(dataset)))
        self._dataset, self._order = dataset, order
        self._start, self._finish = start, finish
        self._size = finish - start

    def __len__(self) -> int:
        return self._size

    def get_example(self, i: int) -> Any:
        """Return the ``i``-th example of the range; -1 is the last one."""
        if type(i) is not int:
            i = _as_index(i)
        if not -self._size <= i < self._size:
            raise IndexError('dataset index out of range: %s, of %s examples'
                             % (i, self._size))
        position = (self._start if i >= 0 else self._finish) + i
        return self._dataset[
            position if self._order is None else self._order[position]]


def _permutation(dataset, seed):
    return numpy.random.RandomState(_numbers.plain(seed)).permutation(len(dataset))


def _as_index(i):
    """Return the index of an example as an integer of Python.

    A small integer type of NumPy cannot hold every position.
    """
    i = _numbers.plain(i)
    if not isinstance(i, numbers.Real):
        raise TypeError('the index of an example must be an integer, but is %r' % (i,))
    return i


def split_dataset(
        dataset: Sequence[Any], split_at: int,
        order: Sequence[int] | None = None) -> tuple[SubDataset, SubDataset]:
    """Split a data set in two.

    Parameters
    ----------
    dataset : sequence
        Data set to split.
    split_at : int
        Number of examples in the first part; the second part has the rest.
    order : sequence of int, optional
        Permutation to apply first, see :class:`SubDataset`.

    Returns
    -------
    tuple of two SubDataset
        The first ``split_at`` examples, and the rest.

    Raises
    ------
    TypeError
        If ``split_at`` is not an integer.
    ValueError
        If it is negative or exceeds the size of the data set.

    Examples
    --------
    >>> train, test = chainer.datasets.split_dataset(list('abcde'), 3)
    >>> train[:], test[:]
    (['a', 'b', 'c'], ['d', 'e'])
    """
    try:
        split_at = operator.index(_numbers.plain(split_at))
    except TypeError:
        words = 'split_at must be int, got %s instead' % type(split_at)
        if isinstance(split_at, float) and 0 < split_at < 1:
            words += ': it is a number of examples, int(%s * len(dataset))' % split_at
        raise TypeError(words)
    dataset_mixin._check_length(dataset)
    size = len(dataset)
    if split_at < 0:
        raise ValueError('split_at must be non-negative, got %s' % (split_at,))
    if split_at > size:
        raise ValueError('split_at exceeds the dataset size: %s > %s'
                         % (split_at, size))
    return (SubDataset(dataset, 0, split_at, order),
            SubDataset(dataset, split_at, size, order))


def split_dataset_random(
        dataset: Sequence[Any], first_size: int,
        seed: int | None = None) -> tuple[SubDataset, SubDataset]:
    """Split a data set in two at random.

    Parameters
    ----------
    dataset : sequence
        Data set to split.
    first_size : int
        Number of examples in the first part.
    seed : int, optional
        Seed of the permutation; by default it differs from call to call.

    Returns
    -------
    tuple of two SubDataset
        Two parts that together have every example once.

    Raises
    ------
    TypeError
        If ``first_size`` is not an integer.
    ValueError
        If it is negative or exceeds the size of the data set.

    Examples
    --------
    >>> train, test = chainer.datasets.split_dataset_random(list('abcde'), 3, seed=0)
    >>> len(train), len(test), sorted(train[:] + test[:])
    (3, 2, ['a', 'b', 'c', 'd', 'e'])
    """
    return split_dataset(dataset, first_size, _permutation(dataset, seed))


def split_dataset_n(
        dataset: Sequence[Any], n: int,
        order: Sequence[int] | None = None) -> list[SubDataset]:
    """Split a data set into parts of equal size.

    Parameters
    ----------
    dataset : sequence
        Data set to split.
    n : int
        Number of parts. Each has ``len(dataset) // n`` examples; the remaining examples
        at the end are dropped.
    order : sequence of int, optional
        Permutation to apply first.

    Returns
    -------
    list of SubDataset
        The ``n`` parts.

    Examples
    --------
    >>> [part[:] for part in chainer.datasets.split_dataset_n(list('abcde'), 2)]
    [['a', 'b'], ['c', 'd']]
    """
    n = _numbers.plain(n)
    dataset_mixin._check_length(dataset)
    if not isinstance(n, numbers.Real):
        raise TypeError('the number of parts must be an integer, but is %r' % (n,))
    if n == 0:
        raise ZeroDivisionError('the number of parts must be positive, but is 0')
    size = len(dataset) // n
    return [SubDataset(dataset, i * size, (i + 1) * size, order) for i in range(n)]


def split_dataset_n_random(
        dataset: Sequence[Any], n: int,
        seed: int | None = None) -> list[SubDataset]:
    """Split a data set into parts of equal size at random.

    Parameters
    ----------
    dataset, n :
        As in :func:`split_dataset_n`.
    seed : int, optional
        Seed of the permutation.

    Returns
    -------
    list of SubDataset
        The ``n`` parts.

    Examples
    --------
    >>> parts = chainer.datasets.split_dataset_n_random(list('abcde'), 2, seed=0)
    >>> [len(part) for part in parts]
    [2, 2]
    """
    return split_dataset_n(dataset, n, _permutation(dataset, seed))


def get_cross_validation_datasets(
        dataset: Sequence[Any], n_folds: int | None = None, order: Any = None,
        **kwargs: Any) -> list[tuple[Any, ...]]:
    """Make the training and validation sets of a cross validation.

    Parameters
    ----------
    dataset : sequence
        All examples.
    n_folds : int
        Number of folds. Each is the validation set of one pair; the others are its
        training set. If the examples cannot be divided evenly, the validation sets of
        the first pairs are larger by one.
    order : sequence of int, optional
        Permutation to apply first.
    **kwargs :
        ``n_fold`` is the old name of ``n_folds``. Other arguments are ignored.

    Returns
    -------
    list of tuple
        Pairs ``(training, validation)`` of :class:`SubDataset`. The first pair
        validates on the last examples, the last pair on the first ones.

    Raises
    ------
    ValueError
        If there are more folds than examples.

    Examples
    --------
    >>> for train, valid in chainer.datasets.get_cross_validation_datasets(
    ...         list('abcde'), n_folds=2):
    ...     train[:], valid[:]
    (['a', 'b'], ['c', 'd', 'e'])
    (['c', 'd', 'e'], ['a', 'b'])
    """
    n_folds = argument.take_renamed(kwargs, 'n_fold', 'n_folds', n_folds)
    if n_folds is None:
        raise TypeError('n_folds is missing: pass the number of folds')
    n_folds = _numbers.plain(n_folds)
    dataset_mixin._check_length(dataset)
    if n_folds == 0:
        raise ZeroDivisionError('the number of folds must be positive, but is 0')
    total = len(dataset)
    if n_folds > total > 0:
        raise ValueError('%s examples cannot be divided into %s folds'
                         % (total, n_folds))
    order = numpy.arange(total) if order is None else numpy.array(order)
    smaller, n_larger = divmod(total, n_folds)

    pairs = []
    for fold in range(n_folds):
        finish = total - smaller - (fold < n_larger)
        pairs.append(split_dataset(dataset, finish, order))
        # The next pair has this validation set in front, and the previous one at the
        # end.
        order = numpy.roll(order, total - finish)
    return pairs


def get_cross_validation_datasets_random(
        dataset: Sequence[Any], n_folds: int | None, seed: int | None = None,
        **kwargs: Any) -> list[tuple[Any, ...]]:
    """Make the training and validation sets of a random cross validation.

    Parameters
    ----------
    dataset, n_folds, **kwargs :
        As in :func:`get_cross_validation_datasets`.
    seed : int, optional
        Seed of the permutation.

    Returns
    -------
    list of tuple
        Pairs ``(training, validation)`` of :class:`SubDataset`.

    Raises
    ------
    ValueError
        If there are more folds than examples.

    Examples
    --------
    >>> pairs = chainer.datasets.get_cross_validation_datasets_random(
    ...     list('abcde'), n_folds=2, seed=0)
    >>> [(len(train), len(valid)) for train, valid in pairs]
    [(2, 3), (3, 2)]
    """
    return get_cross_validation_datasets(
        dataset, n_folds, _permutation(dataset, seed), **kwargs)
