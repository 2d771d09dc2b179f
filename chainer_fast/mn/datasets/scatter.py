"""One part of a data set for each process."""
from __future__ import annotations

import warnings
from collections.abc import Sequence, Sized
from typing import Any

import numpy

from chainer_fast.datasets.sub_dataset import SubDataset
from chainer_fast.mn.communicators.communicator_base import CommunicatorBase


class DataSizeError(RuntimeError):
    """Data set too large for one message; no longer raised."""


def scatter_dataset(
        dataset: Sequence[Any], comm: CommunicatorBase, root: int = 0,
        shuffle: bool = False, seed: int | None = None,
        max_buf_len: int = 256 * 1024 * 1024, *,
        force_equal_length: bool = True) -> SubDataset:
    """Distribute the data set of one process in parts to all processes.

    The whole data set is sent to all processes, in pieces. To avoid that, load it
    everywhere and use :func:`scatter_index`.

    Parameters
    ----------
    dataset : sequence
        Data set of process ``root``; those of other processes are ignored.
    comm : CommunicatorBase
        The processes.
    root : int
        Rank of the process that has the data set.
    shuffle : bool
        Whether examples are permuted before they are distributed.
    seed : int, optional
        Seed of the permutation, which otherwise differs each time. The global random
        state is neither used nor changed.
    max_buf_len : int
        Largest number of bytes of one message, at most 2147483646.
    force_equal_length : bool
        Whether all parts have the same length, as needed by iterators and evaluators of
        processes that wait for each other. In this case some examples may be in two
        parts. Without it each example is in exactly one part, and lengths differ by at
        most 1.

    Returns
    -------
    SubDataset
        The part of this process.

    Examples
    --------
    ::

        train = chainer.datasets.get_mnist()[0] if comm.rank == 0 else None
        train = chainermn.scatter_dataset(train, comm, shuffle=True)
    """
    order = None
    if comm.rank == root:
        if shuffle:
            order = numpy.random.RandomState(seed).permutation(len(dataset))
        dataset, order = comm.bcast_obj(
            (dataset, order), max_buf_len=max_buf_len, root=root)
    else:
        dataset, order = comm.bcast_obj(None, max_buf_len=max_buf_len, root=root)
    start, end = scatter_index(
        len(dataset), comm, root, force_equal_length=force_equal_length)
    return SubDataset(dataset, start, end, order)


def scatter_index(
        n_total_samples: int, comm: CommunicatorBase, root: int = 0, *,
        force_equal_length: bool = True) -> tuple[int, ...]:
    """Assign a range of positions in a data set to each process.

    Parameters
    ----------
    n_total_samples : int
        Length of the data set; only that of process ``root`` is used.
    comm : CommunicatorBase
        The processes.
    root : int
        Rank of the process that divides the data set.
    force_equal_length : bool
        See :func:`scatter_dataset`.

    Returns
    -------
    tuple of int
        First position of the range, and the position after its last.

    Examples
    --------
    ::

        start, stop = chainermn.scatter_index(len(train), comm)
        train = chainer.datasets.SubDataset(train, start, stop)
    """
    if comm.rank != root:
        return comm.recv_obj(source=root)  # type: ignore[call-arg]
    for rank, start, end in _scatter_index(
            n_total_samples, comm.size, force_equal_length):
        if rank == root:
            mine = start, end
        else:
            comm.send_obj((start, end), dest=rank)  # type: ignore[call-arg]
    return mine


def _scatter_index(n_total_samples, size, force_equal_length):
    """Yield rank, start and end of each range."""
    assert n_total_samples >= 0, (
        'the length of a data set cannot be %r' % (n_total_samples,))
    each, rest = divmod(n_total_samples, size)
    for rank in range(size):
        if force_equal_length:
            start = n_total_samples * rank // size
            end = start + each + (rest > 0)
        else:
            start = each * rank + min(rank, rest)
            end = start + each + (rank < rest)
        yield rank, start, end


def get_n_iterations_for_one_epoch(
        dataset: Sized, local_batch_size: int, comm: CommunicatorBase) -> int:
    """Return the number of iterations that the first process needs for its part.

    .. deprecated:: v1.0
        Use triggers in units of ``'epoch'``.

    Parameters
    ----------
    dataset : sized
        Part of the process.
    local_batch_size : int
        Number of examples in a batch of one process.
    comm : CommunicatorBase
        The processes.
    """
    warnings.warn('get_n_iterations_for_one_epoch is deprecated. '
                  'Please use standard epoch triggers.', DeprecationWarning)
    number = None
    if comm.rank == 0:
        number = -(-len(dataset) // local_batch_size)
    return comm.bcast_obj(number)


def get_epoch_trigger(
        n_epochs: int, dataset: Sized, local_batch_size: int,
        comm: CommunicatorBase) -> tuple[Any, ...]:
    """Return a period of some epochs of the first process, in iterations.

    .. deprecated:: v1.0
        Use triggers in units of ``'epoch'``.

    Parameters
    ----------
    n_epochs : int
        Number of epochs.
    dataset : sized
        Part of the process.
    local_batch_size : int
        Number of examples in a batch of one process.
    comm : CommunicatorBase
        The processes.

    Returns
    -------
    tuple
        Number of iterations, and ``'iteration'``.
    """
    warnings.warn('get_epoch_trigger is deprecated. '
                  'Please use standard epoch triggers.', DeprecationWarning)
    each = get_n_iterations_for_one_epoch(dataset, local_batch_size, comm)
    return n_epochs * each, 'iteration'
