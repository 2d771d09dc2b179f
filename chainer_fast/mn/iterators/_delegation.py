"""Iterators that stand for another one."""
from chainer_fast.dataset import iterator


class DelegatingIterator(iterator.Iterator):
    """Iterator with the attributes of another iterator.

    Parameters
    ----------
    actual_iterator : Iterator
    """

    def __init__(self, actual_iterator):
        self.__dict__['actual_iterator'] = actual_iterator

    def __getattr__(self, name):
        # Copies and pickles ask for attributes before there are any.
        if 'actual_iterator' not in self.__dict__:
            raise AttributeError(name)
        return getattr(self.actual_iterator, name)

    def __next__(self):
        return self.actual_iterator.next()

    def serialize(self, serializer):
        self.actual_iterator.serialize(serializer)

    def finalize(self):
        self.actual_iterator.finalize()

    def __del__(self):
        # The iterator itself ends with its last reference, and copies share it.
        pass
