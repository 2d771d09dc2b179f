"""Iterators that delegate to another one."""
from __future__ import annotations

from typing import Any

from chainer_fast.dataset import iterator
from chainer_fast.dataset.iterator import Iterator
from chainer_fast.serializer import AbstractSerializer


class DelegatingIterator(iterator.Iterator):
    """Iterator with the attributes of another iterator.

    Parameters
    ----------
    actual_iterator : Iterator
    """

    def __init__(self, actual_iterator: Iterator) -> None:
        self.__dict__['actual_iterator'] = actual_iterator

    def __getattr__(self, name: str) -> Any:
        # Copies and pickles read attributes before any are set.
        if 'actual_iterator' not in self.__dict__:
            raise AttributeError(name)
        return getattr(self.actual_iterator, name)

    def __next__(self) -> Any:
        return self.actual_iterator.next()

    def serialize(self, serializer: AbstractSerializer) -> None:
        self.actual_iterator.serialize(serializer)

    def finalize(self) -> None:
        self.actual_iterator.finalize()

    def __del__(self) -> None:
        # The iterator itself is finalized with its last reference, as copies share it.
        pass
