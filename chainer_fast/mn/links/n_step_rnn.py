"""Recurrent networks whose states are sent from process to process."""
from __future__ import annotations

from typing import Any

from chainer_fast.link import Chain, Link
from chainer_fast.links.rnn.n_step_rnn import NStepRNNBase
from chainer_fast.mn.communicators.communicator_base import CommunicatorBase
from chainer_fast.mn.functions.point_to_point_communication import recv, send
from chainer_fast.mn.functions.pseudo_connect import pseudo_connect
from chainer_fast.utils.experimental import experimental


class _MultiNodeNStepRNN(Chain):
    """A recurrent network that receives states from one process and sends them to
    another.

    Parameters
    ----------
    link : NStepRNNBase
        The network on this process.
    communicator : CommunicatorBase
        The processes.
    rank_in, rank_out : int or None
        Ranks of the previous and the next process.
    """

    def __init__(
            self, link: Any, communicator: CommunicatorBase,
            rank_in: int | None, rank_out: int | None) -> None:
        super().__init__(actual_rnn=link)
        if not isinstance(link, NStepRNNBase):
            raise ValueError(
                'only an n-step recurrent network, such as NStepLSTM, can be '
                'distributed over processes, not %s' % type(link).__name__)
        self.communicator = communicator
        self.rank_in = rank_in
        self.rank_out = rank_out
        self.n_cells = link.n_cells

    def forward(self, *inputs: Any) -> tuple[Any, ...]:
        """Process sequences.

        Parameters
        ----------
        *inputs
            Arguments of the network without the states, that is, the sequences.

        Returns
        -------
        tuple
            The results of the network, followed by the delegate variable, which is
            None without ``rank_out``.
        """
        states: list[Any] = [None] * self.n_cells
        if self.rank_in is not None:
            state: Any = None
            for i in range(self.n_cells):
                # The gradients are sent in the opposite order.
                states[i] = state = recv(self.communicator, self.rank_in, state)
        outputs = self.actual_rnn(*states, *inputs)

        delegate = None
        if self.rank_out is not None:
            for state in outputs[:self.n_cells]:
                if delegate is not None:
                    state, = pseudo_connect(delegate, state)
                delegate = send(state, self.communicator, self.rank_out)
        return (*outputs, delegate)


def create_multi_node_n_step_rnn(
        actual_link: Link, communicator: CommunicatorBase, rank_in: int | None = None,
        rank_out: int | None = None) -> Chain:
    """Distribute a recurrent network over processes, each of which computes a part.

    Parameters
    ----------
    actual_link : Link
        An n-step recurrent network, such as :class:`chainer_fast.links.NStepLSTM`: the
        part of this process.
    communicator : CommunicatorBase
        The processes.
    rank_in : int or None
        Rank of the process whose final states are the initial states here; zeros if
        None.
    rank_out : int or None
        Rank of the process that receives the final states.

    Returns
    -------
    Chain
        A link that is called with the sequences only. Its result is that of
        ``actual_link``, followed by a delegate variable: the backward pass must begin
        there, or at the result of :func:`chainer_fast.mn.functions.pseudo_connect` with
        the loss. The delegate is None without ``rank_out``.

    Raises
    ------
    ValueError
        If ``actual_link`` is another link.

    Examples
    --------
    The lower half of a recurrent network runs on process 0, the upper on process 1: ::

        rnn = chainermn.links.create_multi_node_n_step_rnn(
            L.NStepLSTM(2, 100, 100, 0.1), comm,
            rank_in=None if comm.rank == 0 else 0,
            rank_out=1 if comm.rank == 0 else None)
    """
    experimental('chainermn.links.create_multi_node_n_step_rnn')
    return _MultiNodeNStepRNN(actual_link, communicator, rank_in, rank_out)
