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

    See :func:`chainer_fast.functions.n_step_gru` for the formulas, which are not those
    of :class:`~chainer_fast.links.GRU`. The sequences need not be sorted here.

    Parameters
    ----------
    n_layers, in_size, out_size, dropout, initialW, initial_bias
        As for :class:`~chainer_fast.links.rnn.n_step_rnn.NStepRNNBase`.
    """

    use_bi_direction = False
    _function = staticmethod(rnn.n_step_gru)


class NStepBiGRU(NStepGRUBase):
    """Stacked gated recurrent units in both directions.

    See :func:`chainer_fast.functions.n_step_bigru` for the formulas. The sequences need
    not be sorted here.

    Parameters
    ----------
    n_layers, in_size, out_size, dropout, initialW, initial_bias
        As for :class:`~chainer_fast.links.rnn.n_step_rnn.NStepRNNBase`.
    """

    use_bi_direction = True
    _function = staticmethod(rnn.n_step_bigru)
