"""How iterators order the examples of an epoch."""
import numpy

from chainer_fast.utils import _random_state


class OrderSampler:
    """Interface of order samplers; any callable with these parameters will do."""

    def __call__(self, current_order, current_position):
        """Return the order of the next epoch.

        Parameters
        ----------
        current_order : numpy.ndarray of int
            The order that is in use.
        current_position : int
            How much of it the batches before the present one used up. A sampler can
            look at the rest, to keep an example from being twice in the batch that
            joins two epochs.

        Returns
        -------
        numpy.ndarray of int
            Indices of examples. Their number defines what an epoch is, and it has to
            stay the same.
        """
        raise NotImplementedError('%s has to define __call__(order, position)'
                                  % type(self).__name__)


class ShuffleOrderSampler(OrderSampler):
    """A random permutation for each epoch.

    Parameters
    ----------
    random_state : numpy.random.RandomState, optional
        Source of the permutations; by default NumPy's global random state.
    """

    def __init__(self, random_state=None):
        self._random = random_state or _random_state.numpy_generator()

    def __call__(self, current_order, current_position):
        n = len(current_order)
        return self._random.permutation(n)

    def serialize(self, serializer):
        """Write or read the random state, if it is not the global one.

        Snapshots of Chainer lack it; they leave it as it is. So does a source of random
        numbers other than a ``RandomState`` with a Mersenne twister.
        """
        source = self._random
        if source is not _random_state.numpy_generator() and isinstance(
                source, numpy.random.RandomState):
            _random_state.serialize(serializer, 'random_state', source)
