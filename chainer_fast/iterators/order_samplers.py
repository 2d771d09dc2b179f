"""Order samplers: the order of the examples in each epoch."""
from __future__ import annotations

import numpy

from chainer_fast.serializer import AbstractSerializer
from chainer_fast.types import NdArray
from chainer_fast.utils import _random_state


class OrderSampler:
    """Interface of order samplers, which may be any callable with these parameters.

    Examples
    --------
    A sampler that draws examples with replacement:

    >>> def with_replacement(current_order, current_position):
    ...     size = len(current_order)
    ...     return np.random.randint(size, size=size)
    >>> iterator = chainer.iterators.SerialIterator(
    ...     range(5), 5, order_sampler=with_replacement)
    >>> len(iterator.next())
    5
    """

    def __call__(self, current_order: NdArray, current_position: int) -> NdArray:
        """Return the order of the next epoch.

        Parameters
        ----------
        current_order : numpy.ndarray of int
            The current order.
        current_position : int
            Number of its examples used before the current batch. A sampler can use the
            remaining ones to prevent an example from appearing twice in the batch that
            spans two epochs.

        Returns
        -------
        numpy.ndarray of int
            Indices of examples. Their number is the size of an epoch and must not
            change.
        """
        raise NotImplementedError('%s has to define __call__(order, position)'
                                  % type(self).__name__)


class ShuffleOrderSampler(OrderSampler):
    """Order sampler that draws a random permutation for each epoch.

    Parameters
    ----------
    random_state : numpy.random.RandomState, optional
        Source of the permutations; by default NumPy's global random state.

    Examples
    --------
    A sampler with its own random state, which snapshots contain:

    >>> sampler = chainer.iterators.ShuffleOrderSampler(np.random.RandomState(0))
    >>> chainer.iterators.SerialIterator(range(5), 5, order_sampler=sampler).next()
    [2, 0, 1, 3, 4]
    """

    def __init__(self, random_state: numpy.random.RandomState | None = None) -> None:
        self._random = random_state or _random_state.numpy_generator()

    def __call__(self, current_order: NdArray, current_position: int) -> NdArray:
        n = len(current_order)
        return self._random.permutation(n)

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Write or read the random state, if it is not the global one.

        Snapshots of Chainer lack the state and do not change it. It is only written for
        a ``RandomState`` with a Mersenne twister.
        """
        source = self._random
        if source is not _random_state.numpy_generator() and isinstance(
                source, numpy.random.RandomState):
            _random_state.serialize(serializer, 'random_state', source)
