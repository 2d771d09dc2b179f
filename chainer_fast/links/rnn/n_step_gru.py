"""Gated recurrent units over whole sequences."""
from chainer_fast.functions.rnn import n_step_gru as rnn
from chainer_fast.links.rnn import n_step_rnn


class NStepGRUBase(n_step_rnn.NStepRNNBase):
    """Stacked gated recurrent units for batches of sequences.

    Parameters
    ----------
    n_layers, in_size, out_size, dropout, initialW, initial_bias
        As for :class:`~chainer_fast.links.rnn.n_step_rnn.NStepRNNBase`.
    """

    n_weights = 6
    _n_states = 1


class NStepGRU(NStepGRUBase):
    """Stacked gated recurrent units.

    A layer computes from its inputs :math:`x_t` and its state :math:`h`

    .. math::

        r_t &= \\sigma(W_0 x_t + W_3 h_{t-1} + b_0 + b_3), \\\\
        z_t &= \\sigma(W_1 x_t + W_4 h_{t-1} + b_1 + b_4), \\\\
        h'_t &= \\tanh(W_2 x_t + b_2 + r_t (W_5 h_{t-1} + b_5)), \\\\
        h_t &= (1 - z_t) h'_t + z_t h_{t-1},

    which differs from the formulas of :class:`~chainer_fast.links.GRU`. See
    :func:`chainer_fast.functions.n_step_gru`. The sequences need not be sorted.

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
        Six matrices and six biases of each layer. The first three matrices have the
        shape ``(out_size, in_size)`` in the first layer, all others ``(out_size,
        out_size)``; the biases have ``(out_size,)``.

    See Also
    --------
    chainer_fast.functions.n_step_gru
    chainer_fast.links.NStepBiGRU

    Examples
    --------
    >>> gru = L.NStepGRU(2, 3, 5, dropout=0.0)
    >>> xs = [np.ones((length, 3), np.float32) for length in (4, 7)]
    >>> hy, ys = gru(None, xs)
    >>> hy.shape, [y.shape for y in ys]
    ((2, 2, 5), [(4, 5), (7, 5)])
    """

    use_bi_direction = False
    _function = staticmethod(rnn.n_step_gru)


class NStepBiGRU(NStepGRUBase):
    """Stacked gated recurrent units in both directions.

    The formulas are those of :class:`NStepGRU`, once along a sequence and once against
    it; a layer's inputs are both outputs of the layer below, one after the other. See
    :func:`chainer_fast.functions.n_step_bigru`. The sequences need not be sorted.

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
    chainer_fast.functions.n_step_bigru
    chainer_fast.links.NStepGRU

    Examples
    --------
    >>> gru = L.NStepBiGRU(2, 3, 5, dropout=0.0)
    >>> xs = [np.ones((length, 3), np.float32) for length in (4, 7)]
    >>> hy, ys = gru(None, xs)
    >>> hy.shape, [y.shape for y in ys]
    ((4, 2, 5), [(4, 10), (7, 10)])
    """

    use_bi_direction = True
    _function = staticmethod(rnn.n_step_bigru)
