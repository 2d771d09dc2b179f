"""Sending of variables from one process to another."""
from __future__ import annotations

from typing import Any

import numpy

from chainer_fast import backend, function, variable
from chainer_fast.backends.arrays import get_array_types
from chainer_fast.mn.communicators.communicator_base import CommunicatorBase
from chainer_fast.mn.functions._messages import Places
from chainer_fast.types import GradArrays, NdArray
from chainer_fast.utils.experimental import experimental
from chainer_fast.variable import Variable

_DELEGATE = 'delegate_variable'


class _Message(function.Function):
    """A function at one end of messages between two processes."""

    def __init__(self, comm: CommunicatorBase, peer_rank, peer_tag) -> None:
        experimental('chainermn.functions.' + type(self).__name__)
        self.comm = comm
        self.peer_rank: Any = peer_rank
        self.peer_tag: Any = peer_tag

    @property
    def label(self) -> str:
        return '%s (peer_rank: %s)' % (type(self).__name__, self.peer_rank)


class Send(_Message):
    """Sends arrays in the forward pass, and receives their gradients afterwards.

    Its last input is empty, and requires a gradient if no other input does: the
    receiving process always sends gradients.

    Parameters
    ----------
    comm : CommunicatorBase
        The processes.
    peer_rank : int
        Rank of the other process.
    peer_tag : int
        Tag of the messages.
    """

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs(())
        xs = inputs[:-1]
        self._places = Places(xs)
        self.comm.send(xs[0] if len(xs) == 1 else xs, self.peer_rank, self.peer_tag)
        return backend.get_array_module(*inputs).zeros(0, numpy.float32),

    def backward(
            self, inputs: tuple[NdArray, ...],
            grad_outputs: GradArrays) -> tuple[NdArray | None, ...]:
        gradients = self.comm.recv(self.peer_rank, self.peer_tag)
        if not isinstance(gradients, (tuple, list)):
            gradients = gradients,
        return (*self._places.fitted(gradients), None)


class Recv(_Message):
    """Receives arrays in the forward pass, and sends their gradients afterwards.

    Its input is a delegate variable, which only extends the backward pass.

    Parameters
    ----------
    comm : CommunicatorBase
        The processes.
    peer_rank : int
        Rank of the other process.
    peer_tag : int
        Tag of the messages.
    """

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs(())
        self._delegates = Places(inputs)
        ys = self.comm.recv(self.peer_rank, self.peer_tag)
        ys = tuple(ys) if isinstance(ys, (tuple, list)) else (ys,)
        self._places = Places(ys)
        return ys

    def backward(
            self, inputs: tuple[NdArray, ...],
            grad_outputs: GradArrays) -> tuple[NdArray | None, ...]:
        self.comm.send(
            self._places.filled(grad_outputs), self.peer_rank, self.peer_tag)
        # None would end the backward pass here.
        return self._delegates.filled([None])


def _check_peer(communicator, rank):
    if rank == communicator.rank:
        raise ValueError(
            'rank %s is this process, which would wait for itself; pass the rank of '
            'another one of the %s processes' % (rank, communicator.size))


def send(
        x: Any, communicator: CommunicatorBase, rank: int, tag: int = 0) -> Variable:
    """Send variables to another process, which calls :func:`recv`.

    The backward pass receives their gradients. It must reach this function: return the
    delegate variable from the model, or pass it to :func:`recv` or
    :func:`pseudo_connect`. Otherwise the other process waits forever.

    Parameters
    ----------
    x : Variable, array, or list or tuple of them
        Variables to send.
    communicator : CommunicatorBase
        The processes.
    rank : int
        Rank of the receiving process.
    tag : int
        Tag of the message, which must also be passed to :func:`recv`.

    Returns
    -------
    Variable
        The delegate variable, which is empty.

    Raises
    ------
    TypeError
        If ``x`` is something else.
    ValueError
        If ``rank`` is the rank of this process.

    See Also
    --------
    chainer_fast.mn.functions.recv

    Examples
    --------
    The first half of a model on process 0, the second on process 1: ::

        if comm.rank == 0:
            delegate = chainermn.functions.send(first_half(x), comm, rank=1)
            delegate.backward()
        else:
            y = second_half(chainermn.functions.recv(comm, rank=0))
            F.softmax_cross_entropy(y, t).backward()
    """
    experimental('chainermn.functions.send')
    _check_peer(communicator, rank)
    xs = x if isinstance(x, (list, tuple)) else (x,)
    for each in xs:
        if not isinstance(each, (variable.Variable, *get_array_types())):
            raise TypeError(
                'only variables and arrays can be sent, not %s' % type(each).__name__)
    xp = backend.get_array_module(*xs)
    delegate = Send(communicator, peer_rank=rank, peer_tag=tag)(
        *xs, variable.Variable(xp.zeros(0, numpy.float32)))
    delegate.name = _DELEGATE
    return delegate


def recv(
        communicator: CommunicatorBase, rank: int,
        delegate_variable: Variable | None = None, tag: int = 0,
        force_tuple: bool = False) -> Variable | tuple[Variable, ...]:
    """Receive variables from another process, which calls :func:`send`.

    The backward pass sends their gradients.

    Parameters
    ----------
    communicator : CommunicatorBase
        The processes.
    rank : int
        Rank of the sending process.
    delegate_variable : Variable, optional
        Result of a :func:`send` before this call. The backward pass continues there,
        so that it reaches the part of the model before the :func:`send`.
    tag : int
        Tag of the message.
    force_tuple : bool
        Whether to return a single variable as a tuple, too.

    Returns
    -------
    Variable or tuple of Variable
        The received variable, or a tuple if several were sent.

    Raises
    ------
    ValueError
        If ``rank`` is the rank of this process.

    See Also
    --------
    chainer_fast.mn.functions.send

    Examples
    --------
    See :func:`send`.
    """
    experimental('chainermn.functions.recv')
    _check_peer(communicator, rank)
    if delegate_variable is None:
        delegate_variable = variable.Variable(numpy.zeros(0, numpy.float32))
    delegate_variable.name = _DELEGATE
    ys = Recv(communicator, peer_rank=rank, peer_tag=tag)(delegate_variable)
    return (ys,) if force_tuple and not isinstance(ys, tuple) else ys
