"""A model whose parts are spread over processes."""
from __future__ import annotations

import collections
import numbers
from collections.abc import Sequence
from typing import Any

from chainer_fast.link import ChainList, Link
from chainer_fast.mn.communicators.communicator_base import CommunicatorBase
from chainer_fast.mn.functions.point_to_point_communication import recv, send
from chainer_fast.mn.functions.pseudo_connect import pseudo_connect
from chainer_fast.utils.experimental import experimental
from chainer_fast.variable import Variable


def _ranks(rank):
    """Return a rank, some ranks or None as a tuple."""
    if isinstance(rank, numbers.Integral):
        return rank,
    return () if rank is None else tuple(rank)


def _connect(delegate, x):
    """Connect a variable, or a tuple of them, to a delegate."""
    if delegate is None or delegate is _delegate_of(x):
        return x
    xs = x if isinstance(x, tuple) else (x,)
    xs = pseudo_connect(delegate, *xs)
    return xs if isinstance(x, tuple) else xs[0]


def _delegate_of(x):
    """Return a variable that represents the output of a link or a process."""
    return x[0] if isinstance(x, tuple) and x else x


class MultiNodeChainList(ChainList):
    """Combines the parts of a model on one process, and exchanges their variables.

    Each process has its own list, whose links are called in the order in which they
    were added. Together the lists are one model, and a backward pass on every
    process is that of the model: ::

        class Model0(chainermn.MultiNodeChainList):  # on process 0

            def __init__(self, comm):
                super().__init__(comm)
                self.add_link(First(), rank_in=None, rank_out=1)
                self.add_link(Third(), rank_in=1, rank_out=None)

        class Model1(chainermn.MultiNodeChainList):  # on process 1

            def __init__(self, comm):
                super().__init__(comm)
                self.add_link(Second(), rank_in=0, rank_out=0)

    Parameters
    ----------
    comm : CommunicatorBase
        The processes.

    See Also
    --------
    chainer_fast.mn.functions.send
    chainer_fast.mn.functions.recv
    """

    def __init__(self, comm: CommunicatorBase) -> None:
        experimental('chainermn.MultiNodeChainList')
        super().__init__()
        self._comm = comm
        self._rank_inouts = []

    def add_link(
            self, link: Link, rank_in: int | Sequence[int] | None = None,
            rank_out: int | Sequence[int] | None = None) -> None:
        """Append a link, with the sources of its inputs and the destinations of
        its outputs.

        Parameters
        ----------
        link : Link
            The link.
        rank_in : int, list of int or None
            Ranks of the processes whose outputs are its inputs, in this order. With
            None the inputs are the arguments of the model.
        rank_out : int, list of int or None
            Ranks of the processes that receive its complete output. With None it is
            the result of the model.

            In either argument, the rank of this process means links of this list.

        Raises
        ------
        ValueError
            If the list already has a link without ``rank_out``.
        """
        if rank_out is None and any(out is None for _, out in self._rank_inouts):
            raise ValueError(
                'only one link of a MultiNodeChainList returns its result, but a link '
                'without rank_out was already added: pass rank_out')
        super().add_link(link)
        self._rank_inouts.append((rank_in, rank_out))

    def forward(self, *inputs: Any) -> Variable | tuple[Variable, ...] | None:
        """Call the links, and exchange variables with the other processes.

        Parameters
        ----------
        *inputs
            Arguments of the links without ``rank_in``.

        Returns
        -------
        Variable, tuple of Variable or None
            Output of the link without ``rank_out``, or a delegate variable if there is
            none. The backward pass from there visits all links.

        Raises
        ------
        ValueError
            If a link waits for another one of this process that sends nothing, or if
            no link receives the output of one.
        """
        # The backward pass from the delegate visits all links so far.
        result = delegate = None
        own = collections.deque()
        for each, (rank_in, rank_out) in zip(
                self.children(), self._rank_inouts, strict=True):
            xs, delegate = self._inputs(rank_in, inputs, delegate, own)
            y = each(*xs)
            if not xs:
                # Before the call, nothing needed a connection.
                y = _connect(delegate, y)
            if rank_out is None:
                result = y
            delegate = self._give(y, rank_out, own)
        if own:
            raise ValueError(
                'process %s sent %d outputs to itself that none of its links '
                'receives: each rank_out needs a rank_in' % (self._comm.rank, len(own)))
        return delegate if result is None else _connect(delegate, result)

    def _inputs(self, rank_in, arguments, delegate, own):
        """Return the inputs of a link, and the delegate after them."""
        if rank_in is None:
            if delegate is None:
                return arguments, None
            return pseudo_connect(delegate, *arguments), delegate
        xs = []
        for rank in _ranks(rank_in):
            if rank != self._comm.rank:
                x = recv(self._comm, rank, delegate)
            elif own:
                x = _connect(delegate, own.popleft())
            else:
                raise ValueError(
                    'a link waits for an output of process %s, which is this one, but '
                    'no previous link sends one: each rank_in needs a rank_out' % (
                        rank,))
            xs.append(x)
            delegate = _delegate_of(x)
        return tuple(xs), delegate

    def _give(self, y, rank_out, own):
        """Send an output, and return the delegate after that."""
        delegate = _delegate_of(y)
        for rank in _ranks(rank_out):
            y = _connect(delegate, y)
            if rank == self._comm.rank:
                own.append(y)
                delegate = _delegate_of(y)
            else:
                delegate = send(y, self._comm, rank)
        return delegate
