"""Iterators that send the batches of one process to all processes."""
from __future__ import annotations

import contextlib
from typing import Any

import numpy

from chainer_fast.dataset import iterator
from chainer_fast.dataset.iterator import Iterator
from chainer_fast.mn.communicators.communicator_base import CommunicatorBase
from chainer_fast.mn.iterators import _delegation
from chainer_fast.serializer import AbstractSerializer, Deserializer
from chainer_fast.utils.experimental import experimental


def _is_valid_type(element):
    """Return whether a batch of such elements can be sent."""
    if isinstance(element, tuple):
        return len(element) == 2 and all(
            isinstance(part, (numpy.ndarray, numpy.generic)) for part in element)
    return isinstance(element, (numpy.ndarray, numpy.generic))


def _build_ctrl_msg(stop, is_valid_data_type, is_paired_dataset, is_new_epoch,
                    current_position):
    """Return the message that precedes a batch."""
    # Positions need higher precision than float32.
    return numpy.array([stop, is_valid_data_type, is_paired_dataset, is_new_epoch,
                        current_position], numpy.int64)


def _parse_ctrl_msg(msg):
    """Return the arguments of :func:`_build_ctrl_msg`."""
    return *(bool(flag) for flag in msg[:4]), int(msg[4])


def _columns(batch):
    """Return one or two arrays of all elements, or None if they do not fit."""
    if not all(_is_valid_type(element) for element in batch):
        return None
    paired = [isinstance(element, tuple) for element in batch]
    if any(paired) and not all(paired):
        return None
    columns = zip(*batch, strict=True) if any(paired) else [batch]
    try:
        return [numpy.array(column) for column in columns]
    except ValueError:      # arrays of different shapes
        return None


def _refusal(batch=None):
    found = '' if batch is None else '; got %s' % ', '.join(
        dict.fromkeys(_describe(element) for element in batch))
    return TypeError(
        'Multi node iterator supports ndarray or tuple of scalars as the data type of '
        'the batch element only: arrays of one shape, scalars of NumPy, or pairs of '
        'these' + found)


def _describe(element):
    if isinstance(element, tuple):
        return '(%s)' % ', '.join(_describe(part) for part in element)
    if isinstance(element, numpy.ndarray):
        return 'ndarray%s' % (element.shape,)
    return type(element).__name__


class _MultiNodeIteratorMaster(_delegation.DelegatingIterator):
    """Iterator that sends its batches to all processes."""

    def __init__(
            self, actual_iterator: Iterator, communicator: CommunicatorBase,
            rank_master: int) -> None:
        super().__init__(actual_iterator)
        self.communicator, self.rank_master = communicator, rank_master
        size = len(actual_iterator.dataset)
        self.communicator.bcast(numpy.array([size], numpy.int64), root=rank_master)
        order = self.__order()
        self.communicator.bcast(
            numpy.array([-1], numpy.int64) if order is None else order,
            root=rank_master)

    def __order(self):
        order = getattr(
            getattr(self.actual_iterator, '_state', None), 'order', None)
        return None if order is None else numpy.array(order, numpy.int64)

    def __next__(self) -> Any:
        columns, stop = None, False
        try:
            batch = self.actual_iterator.next()
            columns = _columns(batch)
        except StopIteration:
            stop = True
        self.communicator.bcast(
            _build_ctrl_msg(
                stop, columns is not None, columns is not None and len(columns) == 2,
                self.is_new_epoch, self.current_position),
            root=self.rank_master)
        if stop:
            raise StopIteration
        if columns is None:
            raise _refusal(batch)
        for column in columns:
            self.communicator.bcast(column, root=self.rank_master)
        return batch

    def serialize(self, serializer: AbstractSerializer) -> None:
        self.actual_iterator.serialize(serializer)
        self.communicator.bcast_obj(self.__order(), root=self.rank_master)


class _MultiNodeIteratorSlave(iterator.Iterator):
    """Iterator over the batches that the master sends."""

    def __init__(self, communicator: CommunicatorBase, rank_master: int) -> None:
        self.communicator, self.rank_master = communicator, rank_master
        self.epoch = self.current_position = 0
        self.is_new_epoch = False
        size = self.communicator.bcast(None, root=rank_master)
        self.dataset_size = int(size[0])
        order = self.communicator.bcast(None, root=rank_master)
        self._order = None if order.tolist() == [-1] else order

    def __next__(self) -> list[Any]:
        stop, valid, paired, is_new_epoch, position = _parse_ctrl_msg(
            self.communicator.bcast(None, root=self.rank_master))
        if stop:
            raise StopIteration
        self.is_new_epoch, self.current_position = is_new_epoch, position
        self.epoch += is_new_epoch
        if not valid:
            raise _refusal()
        columns = [self.communicator.bcast(None, root=self.rank_master)
                   for _ in range(1 + paired)]
        return list(zip(*columns, strict=True)) if paired else list(columns[0])

    @property
    def epoch_detail(self):
        """Position in the data set, with the number of epochs before the point."""
        return self.epoch + self.current_position / self.dataset_size

    def serialize(self, serializer: AbstractSerializer) -> None:
        order = self.communicator.bcast_obj(None, root=self.rank_master)
        reading = isinstance(serializer, Deserializer)
        if not reading:
            self._order = order
        for name in 'current_position', 'epoch', 'is_new_epoch':
            setattr(self, name, serializer(name, getattr(self, name)))
        # The order is for iterators that read the snapshot without a master; an entry
        # that is not read would be taken for that of another iterator.
        if reading:
            with contextlib.suppress(KeyError):
                serializer('order', None)
        elif order is not None:
            serializer('order', order)


def create_multi_node_iterator(
        actual_iterator: Iterator, communicator: CommunicatorBase,
        rank_master: int = 0) -> Iterator:
    """Return an iterator that provides all processes with the batches of one
    process.

    Parts of one model on different processes need the same batches. Each batch is sent
    to all; if every process has the data set, :func:`create_synchronized_iterator`
    sends less. All processes call this function, ``next`` and ``serialize`` at the same
    places.

    Parameters
    ----------
    actual_iterator : Iterator
        Iterator of process ``rank_master``, with a ``dataset``; those of other
        processes are ignored. Elements of batches are NumPy arrays of one shape,
        scalars of NumPy, or pairs of these. Their dtypes are preserved.
    communicator : CommunicatorBase
        The processes.
    rank_master : int
        Rank of the process that has the data.

    Returns
    -------
    Iterator
        On the master, it has the attributes of ``actual_iterator``; on other processes,
        ``epoch``, ``epoch_detail``, ``current_position`` and ``is_new_epoch``. ``next``
        raises :class:`TypeError` on all processes if a batch has other elements.

    Raises
    ------
    TypeError
        In ``next``, on all processes, if a batch has other elements.

    Examples
    --------
    ::

        iterator = chainermn.iterators.create_multi_node_iterator(
            chainer.iterators.SerialIterator(train, 32), comm)
    """
    experimental('chainermn.iterators.create_multi_node_iterator')
    if communicator.rank == rank_master:
        return _MultiNodeIteratorMaster(actual_iterator, communicator, rank_master)
    return _MultiNodeIteratorSlave(communicator, rank_master)
