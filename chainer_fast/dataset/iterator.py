"""Interface of iterators over data sets."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from chainer_fast.serializer import AbstractSerializer

_Iterator = TypeVar('_Iterator', bound='Iterator')


class Iterator:
    """Base class of iterators over batches of examples.

    A subclass implements :meth:`__next__`, which returns the next batch as a list and
    raises :class:`StopIteration` if there is none. The training loop also needs the
    attributes

    ``epoch``
        number of completed passes over the data set,
    ``epoch_detail``
        the same with the fraction of the current pass,
    ``previous_epoch_detail``
        ``epoch_detail`` before the last batch, ``None`` before the first one,
    ``is_new_epoch``
        whether the last batch completed a pass.

    An iterator may hold threads, processes or files: close it with :meth:`finalize`, or
    use it in a ``with`` statement.

    See Also
    --------
    chainer_fast.iterators.SerialIterator

    Examples
    --------
    >>> class Counter(chainer.dataset.Iterator):
    ...     epoch = 0
    ...     def __next__(self):
    ...         self.epoch += 1
    ...         return [self.epoch]
    >>> Counter().next()
    [1]
    """

    if TYPE_CHECKING:
        # These attributes, and those of one kind of iterator.
        def __getattr__(self, name: str) -> Any: ...

    def __del__(self) -> None:
        self.finalize()

    def __enter__(self: _Iterator) -> _Iterator:
        return self

    def __exit__(
            self, exc_type: type[BaseException] | None, exc_value: BaseException | None,
            traceback: Any) -> None:
        self.finalize()

    def __iter__(self: _Iterator) -> _Iterator:
        return self

    def __next__(self) -> Any:
        """Return the next batch; subclasses implement this."""
        raise NotImplementedError(
            '%s has to define __next__()' % type(self).__name__)

    def next(self) -> Any:
        """Return the next batch, like ``next(iterator)``."""
        return self.__next__()

    def finalize(self) -> None:
        """Release the resources of the iterator; may be called more than once."""

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Write the position to a serializer, or read it from a deserializer.

        Parameters
        ----------
        serializer : chainer_fast.AbstractSerializer
            Destination or source of the state.
        """
