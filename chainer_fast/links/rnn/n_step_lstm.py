"""Long short-term memories over whole sequences."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from chainer_fast.functions.rnn import n_step_lstm as rnn
from chainer_fast.links.rnn import n_step_rnn
from chainer_fast.variable import VariableOrArray


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
            xs: Sequence[VariableOrArray],
            **kwargs: NoReturn) -> tuple[Any, ...]:
        """Process whole sequences.

        Parameters
        ----------
        hx, cx : Variable, array or None
            Outputs and cells before the first step, of shape
            ``(n_layers * direction, batch, out_size)``; None means zeros.
        xs : list of Variable or array
            Sequences, each of shape ``(length, in_size)``, of any positive lengths and
            in any order.

        Returns
        -------
        tuple
            Outputs and cells after the last step of each sequence, of the shape of
            ``hx``, and a list with the outputs along each sequence, of shape
            ``(length, direction * out_size)``.

        Raises
        ------
        IndexError
            If a sequence is empty, if there are no sequences, or if a state has another
            batch size.
        AssertionError
            If ``xs`` is not a list or tuple.
        chainer_fast.utils.type_check.InvalidType
            If dtypes do not match.
        ValueError
            If the inputs of a sequence have another length, if the dropout ratio is not
            in [0, 1), or if the retired argument ``train`` is given.
        """
        (hy, cy), ys = self._call([hx, cx], xs, **kwargs)
        return hy, cy, ys


class NStepLSTM(NStepLSTMBase):
    """Stacked long short-term memories.

    A layer computes from its inputs :math:`x_t`, its outputs :math:`h` and its cells
    :math:`c`

    .. math::

        i_t &= \\sigma(W_0 x_t + W_4 h_{t-1} + b_0 + b_4), \\\\
        f_t &= \\sigma(W_1 x_t + W_5 h_{t-1} + b_1 + b_5), \\\\
        a_t &= \\tanh(W_2 x_t + W_6 h_{t-1} + b_2 + b_6), \\\\
        o_t &= \\sigma(W_3 x_t + W_7 h_{t-1} + b_3 + b_7), \\\\
        c_t &= f_t c_{t-1} + i_t a_t, \\\\
        h_t &= o_t \\tanh(c_t).

    See :func:`chainer_fast.functions.n_step_lstm`. The sequences need not be sorted.

    Parameters
    ----------
    n_layers : int
        Number of layers.
    in_size : int
        Length of the inputs.
    out_size : int
        Length of the states.
    dropout : float
        Ratio of the dropout between layers, in training.
    initialW : initializer or None
        Initializes all matrices; :class:`chainer_fast.initializers.LeCunNormal` if
        None.
    initial_bias : initializer or None
        Initializes all biases; zero if None.

    Attributes
    ----------
    ws, bs : list of list of chainer_fast.Parameter
        Eight matrices and eight biases of each layer. The first four matrices have the
        shape ``(out_size, in_size)`` in the first layer, all others ``(out_size,
        out_size)``; the biases have ``(out_size,)``.

    See Also
    --------
    chainer_fast.functions.n_step_lstm
    chainer_fast.links.NStepBiLSTM

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

    The formulas are those of :class:`NStepLSTM`, once along a sequence and once against
    it; a layer's inputs are both outputs of the layer below, one after the other. See
    :func:`chainer_fast.functions.n_step_bilstm`. The sequences need not be sorted.

    Parameters
    ----------
    n_layers : int
        Number of layers.
    in_size : int
        Length of the inputs.
    out_size : int
        Length of the states.
    dropout : float
        Ratio of the dropout between layers, in training.
    initialW : initializer or None
        Initializes all matrices; :class:`chainer_fast.initializers.LeCunNormal` if
        None.
    initial_bias : initializer or None
        Initializes all biases; zero if None.

    See Also
    --------
    chainer_fast.functions.n_step_bilstm
    chainer_fast.links.NStepLSTM

    Examples
    --------
    >>> lstm = L.NStepBiLSTM(2, 3, 5, dropout=0.0)
    >>> xs = [np.ones((length, 3), np.float32) for length in (4, 7)]
    >>> hy, cy, ys = lstm(None, None, xs)
    >>> hy.shape, [y.shape for y in ys]
    ((4, 2, 5), [(4, 10), (7, 10)])
    """

    use_bi_direction = True
    _function = staticmethod(rnn.n_step_bilstm)
