from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from chainer_fast.functions.activation import sigmoid, tanh
from chainer_fast.functions.array import concat, split_axis
from chainer_fast.functions.connection import linear
from chainer_fast.functions.rnn import _stacked, n_step_rnn
from chainer_fast.utils import argument
from chainer_fast.variable import VariableOrArray


def _join(w, b):
    """Return matrices and biases for the input and for the last state, gate by gate."""
    return tuple([
        [concat.concat(each[k:k + 3], axis=0) for k in (0, 3)] for each in (w, b)])


def _step(x, h, c, w, b):
    r_x, z_x, new_x = split_axis.split_axis(linear.linear(x, w[0], b[0]), 3, axis=1)
    r_h, z_h, new_h = split_axis.split_axis(linear.linear(h, w[1], b[1]), 3, axis=1)
    r = sigmoid.sigmoid(r_x + r_h)
    z = sigmoid.sigmoid(z_x + z_h)
    new = tanh.tanh(new_x + r * new_h)
    return (1 - z) * new + z * h, c


def _gru(x, h, c, w, b):
    """Compute one step from the six matrices and biases of a layer; keep the cell."""
    return _step(x, h, c, *_join(w, b))


_CELL = _stacked.Cell('gru', _join, _step)


class NStepGRU(n_step_rnn.BaseNStepRNN):
    """Gated recurrent units over a sequence.

    See :class:`~chainer_fast.functions.rnn.n_step_rnn.BaseNStepRNN`.
    """

    def __init__(
            self, n_layers: int, states: Any, lengths: Sequence[int],
            **kwargs: NoReturn) -> None:
        super().__init__(n_layers, states, lengths, 'uni', 'gru', **kwargs)


class NStepBiGRU(n_step_rnn.BaseNStepRNN):
    """Gated recurrent units over a sequence in both directions.

    See :class:`~chainer_fast.functions.rnn.n_step_rnn.BaseNStepRNN`.
    """

    def __init__(
            self, n_layers: int, states: Any, lengths: Sequence[int],
            **kwargs: NoReturn) -> None:
        super().__init__(n_layers, states, lengths, 'bi', 'gru', **kwargs)


def _run(kwargs, use_bi_direction, n_layers, ratio, hx, ws, bs, xs):
    argument.refuse(kwargs, 'train', 'use_cudnn')
    hy, _, ys = _stacked.stacked_rnn(
        _CELL, n_layers, ratio, hx, None, ws, bs, xs, use_bi_direction)
    return hy, ys


def n_step_gru_base(
        n_layers: int, dropout_ratio: float, hx: VariableOrArray,
        ws: Sequence[Sequence[VariableOrArray]],
        bs: Sequence[Sequence[VariableOrArray]], xs: Sequence[VariableOrArray],
        use_bi_direction: bool, **kwargs: NoReturn) -> tuple[Any, ...]:
    """Runs :func:`~chainer_fast.functions.n_step_gru` or
    :func:`~chainer_fast.functions.n_step_bigru`.

    Parameters
    ----------
    n_layers, dropout_ratio, hx, ws, bs, xs
        See that function.
    use_bi_direction : bool
        Whether the network has two directions.
    """
    return _run(kwargs, use_bi_direction, n_layers, dropout_ratio, hx, ws, bs, xs)


def n_step_gru(
        n_layers: int, dropout_ratio: float, hx: VariableOrArray,
        ws: Sequence[Sequence[VariableOrArray]],
        bs: Sequence[Sequence[VariableOrArray]], xs: Sequence[VariableOrArray],
        **kwargs: NoReturn) -> tuple[Any, ...]:
    """Stacked gated recurrent units over a batch of sequences.

    With the input :math:`x_t` of a layer at step :math:`t` and its last output
    :math:`h_{t-1}`,

    .. math::

        r_t &= \\sigma(W_0 x_t + W_3 h_{t-1} + b_0 + b_3), \\\\
        z_t &= \\sigma(W_1 x_t + W_4 h_{t-1} + b_1 + b_4), \\\\
        h'_t &= \\tanh(W_2 x_t + b_2 + r_t (W_5 h_{t-1} + b_5)), \\\\
        h_t &= (1 - z_t) h'_t + z_t h_{t-1}.

    The outputs of a layer are the inputs of the next one; in training mode, dropout is
    applied to them.

    See: `Learning Phrase Representations using RNN Encoder-Decoder for Statistical
    Machine Translation <https://arxiv.org/abs/1406.1078>`_; the reset gate is applied
    after the matrix, as in cuDNN.

    Parameters
    ----------
    n_layers : int
        Number of layers ``L``.
    dropout_ratio : float
        Ratio of the dropout, in ``[0, 1)``.
    hx : Variable or array
        Outputs before the first step, of shape ``(L, B, n)``.
    ws : list of list
        For each layer the six matrices, :math:`W_0` to :math:`W_2` of shape ``(n, m)``
        in the first layer, all others of shape ``(n, n)``.
    bs : list of list
        For each layer the six biases of shape ``(n,)``.
    xs : list of Variable or array
        Input of each step, of shape ``(B_t, m)``. The sequences are sorted from the
        longest to the shortest, and each step has the samples of the sequences that
        have not ended: ``B_t`` never grows. See
        :func:`~chainer_fast.functions.transpose_sequence`.

    Returns
    -------
    tuple
        Outputs after the last step of each sequence, of shape ``(L, B, n)``, and a
        tuple of the last layer's outputs at each step, of shape ``(B_t, n)``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If an array is not floating-point, or dtypes or shapes do not match.
    ValueError
        If the ratio is out of range with several layers in training mode, or a retired
        argument such as ``train`` is given.
    TypeError
        If another unknown argument is given.
    IndexError
        If there are too few weights, biases or states.

    See Also
    --------
    chainer_fast.functions.n_step_bigru
    chainer_fast.functions.n_step_lstm
    chainer_fast.links.NStepGRU

    Examples
    --------
    >>> hx = np.zeros((1, 1, 1), np.float32)
    >>> ws = [[np.zeros((1, 1), np.float32)] * 6]      # gates are half open
    >>> bs = [[np.array([b], np.float32) for b in (0, 0, 100, 0, 0, 0)]]
    >>> xs = [np.ones((1, 1), np.float32)] * 3
    >>> hy, ys = F.n_step_gru(1, 0., hx, ws, bs, xs)
    >>> F.concat(ys, axis=0).array
    array([[0.5  ],
           [0.75 ],
           [0.875]], dtype=float32)
    """
    return _run(kwargs, False, n_layers, dropout_ratio, hx, ws, bs, xs)


def n_step_bigru(
        n_layers: int, dropout_ratio: float, hx: VariableOrArray,
        ws: Sequence[Sequence[VariableOrArray]],
        bs: Sequence[Sequence[VariableOrArray]], xs: Sequence[VariableOrArray],
        **kwargs: NoReturn) -> tuple[Any, ...]:
    """Stacked gated recurrent units over a batch of sequences, in both directions.

    Each layer consists of two layers of :func:`~chainer_fast.functions.n_step_gru`, one
    of which processes the sequences from the end. Their outputs are concatenated along
    the second axis.

    .. math:: y_t = (\\overrightarrow{h}_t, \\overleftarrow{h}_t)

    Parameters
    ----------
    n_layers : int
        Number of layers ``L``.
    dropout_ratio : float
        Ratio of the dropout between layers.
    hx : Variable or array
        Outputs before the first step, of shape ``(2 L, B, n)``: for each layer first
        the forward and then the backward direction.
    ws : list of list
        For each direction of each layer the six matrices, of shape ``(n, m)`` or ``(n,
        n)`` as in that function; after the first layer, those for the input have the
        shape ``(n, 2 n)``.
    bs : list of list
        For each direction of each layer the six biases.
    xs : list of Variable or array
        Input of each step, as in that function.

    Returns
    -------
    tuple
        Last outputs of shape ``(2 L, B, n)``, and a tuple of the last layer's outputs
        at each step, of shape ``(B_t, 2 n)``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If an array is not floating-point, or dtypes or shapes do not match.
    ValueError
        If the ratio is out of range with several layers in training mode, or a retired
        argument such as ``train`` is given.
    TypeError
        If another unknown argument is given.
    IndexError
        If there are too few weights, biases or states.

    See Also
    --------
    chainer_fast.functions.n_step_gru
    chainer_fast.functions.n_step_lstm
    chainer_fast.links.NStepBiGRU

    Examples
    --------
    >>> hx = np.zeros((2, 1, 1), np.float32)
    >>> ws = [[np.zeros((1, 1), np.float32)] * 6] * 2      # gates are half open
    >>> bs = [[np.array([b], np.float32) for b in (0, 0, 100, 0, 0, 0)]] * 2
    >>> xs = [np.ones((1, 1), np.float32)] * 3
    >>> hy, ys = F.n_step_bigru(1, 0., hx, ws, bs, xs)
    >>> F.concat(ys, axis=0).array
    array([[0.5  , 0.875],
           [0.75 , 0.75 ],
           [0.875, 0.5  ]], dtype=float32)
    """
    return _run(kwargs, True, n_layers, dropout_ratio, hx, ws, bs, xs)
