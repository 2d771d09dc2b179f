"""Indexing for data sets that compute their examples one by one."""
from __future__ import annotations

from typing import Any

import numpy

from chainer_fast._help import mistakes
from chainer_fast.utils._overridable import overridable


def _check_length(dataset):
    """Raise ``TypeError`` for an object without a length, such as None."""
    mistakes.require(dataset, '__len__', (
        'a data set must have a length and an example for each index, like a list'))


class DatasetMixin:
    """Base class of data sets that implement :meth:`get_example` and :meth:`__len__`.

    It adds Python's and NumPy's indexing, so that a subclass only has to handle
    integers.

    Examples
    --------
    >>> class Squares(chainer.dataset.DatasetMixin):
    ...     def __len__(self):
    ...         return 10
    ...     def get_example(self, i):
    ...         return i * i
    >>> squares = Squares()
    >>> squares[3], squares[-1], squares[2:5], squares[[1, 1, 2]]
    (9, 1, [4, 9, 16], [1, 1, 4])
    """

    def __getitem__(self, index: Any) -> Any:
        """Return an example, or a list of them.

        Parameters
        ----------
        index : int, slice, list of int, or numpy.ndarray of int
            Examples to fetch. Negative positions inside a slice count from the end; a
            negative integer is passed on to :meth:`get_example` unchanged.

        Returns
        -------
        object or list
            One example for an integer, otherwise a list.
        """
        if isinstance(index, slice):
            index = range(*index.indices(len(self)))
        elif not isinstance(index, (list, numpy.ndarray)):
            return self.get_example(index)
        return [self.get_example(i) for i in index]

    def __len__(self) -> int:
        """Return the number of examples."""
        raise NotImplementedError('%s has to define __len__()' % type(self).__name__)

    @overridable
    def get_example(self, i: int) -> Any:
        """Return the ``i``-th example; subclasses implement this.

        Parameters
        ----------
        i : int
            Position of the example.

        Returns
        -------
        object
            The example, e.g. a tuple of an image and a label.

        Raises
        ------
        IndexError
            If there is no such example.
        """
        raise NotImplementedError(
            '%s has to define get_example(i)' % type(self).__name__)
