"""Long short-term memories over whole sequences."""
from __future__ import annotations

import typing as tp

from chainer_fast.functions.rnn import n_step_lstm as rnn
from chainer_fast.links.rnn import n_step_rnn
from chainer_fast.types import VariableOrArray


class NStepLSTMBase(n_step_rnn.NStepRNNBase):
    """Stacked long short-term memories for batches of sequences.

    Parameters
    ----------
    n_layers, in_size, out_size, dropout, initialW, initial_bias
        As for :class:`~chainer_fast.links.rnn.n_step_rnn.NStepRNNBase`.
    """

    n_weights = 8
    _n_states = 2

    def forward(  # type: ignore[override]
            self, hx: VariableOrArray, cx: VariableOrArray,
            xs: tp.Sequence[VariableOrArray], **kwargs: tp.Any) -> tuple[tp.Any, ...]:
        """Run through sequences.

        Parameters
        ----------
        hx, cx : Variable, array or None
            Outputs and cells before the first step, of shape
            ``(n_layers * direction, batch, out_size)``; None stands for zeros.
        xs : list of Variable or array
            Sequences, each of shape ``(length, in_size)``, of any positive lengths and
            in any order.

        Returns
        -------
        tuple
            Outputs and cells after the last step of each sequence, of the shape of
            ``hx``, and a list with the outputs along each sequence, of shape
            ``(length, direction * out_size)``.
        """
        (hy, cy), ys = self._run_through([hx, cx], xs, kwargs)
        return hy, cy, ys


class NStepLSTM(NStepLSTMBase):
    """Stacked long short-term memories.

    See :func:`chainer_fast.functions.n_step_lstm` for the formulas. The sequences need
    not be sorted here.

    Parameters
    ----------
    n_layers, in_size, out_size, dropout, initialW, initial_bias
        As for :class:`~chainer_fast.links.rnn.n_step_rnn.NStepRNNBase`.

    Examples
    --------
    >>> lstm = L.NStepLSTM(2, 3, 5, dropout=0.0)
    >>> xs = [np.ones((length, 3), np.float32) for length in (4, 7)]
    >>> hy, cy, ys = lstm(None, None, xs)
    >>> hy.shape, [y.shape for y in ys]
    ((2, 2, 5), [(4, 5), (7, 5)])
    """

    use_bi_direction = False
    _function = staticmethod(rnn.n_step_lstm)


class NStepBiLSTM(NStepLSTMBase):
    """Stacked long short-term memories in both directions.

    See :func:`chainer_fast.functions.n_step_bilstm` for the formulas. The sequences
    need not be sorted here.

    Parameters
    ----------
    n_layers, in_size, out_size, dropout, initialW, initial_bias
        As for :class:`~chainer_fast.links.rnn.n_step_rnn.NStepRNNBase`.
    """

    use_bi_direction = True
    _function = staticmethod(rnn.n_step_bilstm)
