"""Sums over processes of several machines, in pieces, with many messages in flight.

A call of ``Allreduce`` for each buffer would wait for the network at least once for
each. Here up to 64 messages are in flight, so that neither the latency nor the time
of the additions matters compared with the bandwidth.
"""
import collections
import time
from typing import Any

import numpy

from chainer_fast.configuration import config
from chainer_fast.mn.communicators import _communication_utility
from chainer_fast.mn.communicators._waiting import waiting

#: Elements of a message, and messages in flight; measured: see docs/distributed.md.
MESSAGE, WINDOW = 1 << 16, 64

# Seconds between two checks of a message: initially, and finally.
_SHORTEST, _LONGEST = 2e-5, 3e-4

_TAGS = 1 << 14

#: Buffers in flight when an exception occurred; MPI may still write to them.
_abandoned = []


def wait_patiently(requests):
    """Wait for requests of MPI without occupying a processor."""
    testall = _communication_utility.import_mpi().Request.Testall
    pause = _SHORTEST
    while not testall(requests):
        time.sleep(pause)
        pause = min(1.5 * pause, _LONGEST)


def patient(mpi_comm):
    """Return a communicator of MPI for a thread that waits during a computation.

    Open MPI polls for messages continuously, which occupies half of the processor. All
    processes must use the result, as its calls do not match blocking ones.
    """
    intracomm: Any = _communication_utility.import_mpi().Intracomm

    class Patient(intracomm):
        def Allgather(self, *buffers):
            wait_patiently([self.Iallgather(*buffers)])

    return Patient(mpi_comm)


def choose(communicator):
    """Return the exchange of gradients of a communicator, or None for calls of MPI.

    ``config.mn_exchange`` selects it: ``'pipelined'``, ``'mpi'``, or ``'auto'`` for
    the first one between machines and the second one within a machine. All processes
    call this function.

    Raises
    ------
    ValueError
        If the settings of processes differ, or one of them is invalid.
    """
    wanted = config.mn_exchange
    told = waiting(
        'multi_node_mean_grad', None, communicator.mpi_comm.allgather, wanted)
    if len(set(told)) > 1:
        raise ValueError(
            'config.mn_exchange differs: it is %s. Set CHAINERMN_EXCHANGE to the same '
            'value for all processes' % ', '.join(
                '%r on rank %s' % (one, rank) for rank, one in enumerate(told)))
    if wanted not in ('auto', 'mpi', 'pipelined'):
        raise ValueError(
            "config.mn_exchange (CHAINERMN_EXCHANGE) is %r, but must be one of 'auto', "
            "'mpi' and 'pipelined'" % (wanted,))
    if communicator.size == 1 or wanted == 'mpi' or (
            wanted == 'auto' and communicator.inter_size == 1):
        return None
    return Exchange(communicator.mpi_comm)


class Exchange:
    """Sums that are exchanged in pieces.

    Parameters
    ----------
    mpi_comm : mpi4py.MPI.Comm
        The processes. Messages use a copy of it, so that they do not match
        others.
    """

    def __init__(self, mpi_comm):
        self._comm = waiting('split', None, mpi_comm.Dup)

    def sums(self, buffers):
        """Sum arrays over all processes in place.

        Parameters
        ----------
        buffers : iterable of tuple of numpy.ndarray and object
            Flat arrays of numbers, each with an identifier. They are requested when
            their messages can be sent.

        Yields
        ------
        tuple of numpy.ndarray and object
            The same pairs in the same order, each as soon as it is summed.
        """
        flying, begun = collections.deque(), collections.deque()
        pieces = self._pieces(buffers, begun)
        try:
            while True:
                while len(flying) < WINDOW:
                    piece = next(pieces, None)
                    if piece is None:
                        break
                    entry, steps = piece
                    flying.append((next(steps, ()), steps, entry))
                if not flying:
                    return
                # They arrive roughly in the order in which they were sent.
                requests, steps, entry = flying[0]
                waiting('multi_node_mean_grad', None, wait_patiently, requests)
                requests = next(steps, None)
                flying.popleft()
                if requests is not None:
                    flying.append((requests, steps, entry))
                else:
                    entry[0] -= 1
                while begun and begun[0][0] == 0:
                    yield begun.popleft()[1]
        finally:
            if flying:
                _abandoned.append((flying, begun))

    def _pieces(self, buffers, begun):
        step, number = MESSAGE * (self._comm.size if self._comm.size > 2 else 1), 0
        for both in buffers:
            data, _ = both
            entry = [max(-(-data.size // step), 1), both]
            begun.append(entry)
            for begin in range(0, max(data.size, 1), step):
                yield entry, self._steps(data[begin:begin + step], number % _TAGS)
                number += 1

    def _steps(self, data, tag):
        """Sum a piece; yield the requests to wait for, step by step."""
        comm, size, rank = self._comm, self._comm.size, self._comm.rank
        if size == 2:       # one step, with as many bytes as in a ring
            other = numpy.empty_like(data)
            yield [comm.Irecv(other, 1 - rank, tag), comm.Isend(data, 1 - rank, tag)]
            data += other
            return
        left, right = (rank - 1) % size, (rank + 1) % size
        edges = [data.size * i // size for i in range(size + 1)]
        parts = [data[a:b] for a, b in zip(edges, edges[1:], strict=False)]
        arrived = numpy.empty(max(part.size for part in parts), data.dtype)
        for step in range(size - 1):
            sent, grows = parts[(rank - step) % size], parts[(rank - step - 1) % size]
            other = arrived[:grows.size]
            yield [comm.Irecv(other, left, tag), comm.Isend(sent, right, tag)]
            grows += other
        for step in range(size - 1):
            sent, known = parts[(rank + 1 - step) % size], parts[(rank - step) % size]
            yield [comm.Irecv(known, left, tag), comm.Isend(sent, right, tag)]
