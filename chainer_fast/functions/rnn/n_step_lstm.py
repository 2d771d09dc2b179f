from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from chainer_fast.functions.array import reshape, stack
from chainer_fast.functions.connection import linear
from chainer_fast.functions.rnn import _stacked, lstm, n_step_rnn
from chainer_fast.utils import argument
from chainer_fast.variable import VariableOrArray


def _stack_weight(ws):
    """Interleave the rows of the arrays of the gates, as ``lstm`` expects."""
    joined = stack.stack(ws, axis=1)
    return reshape.reshape(
        joined, (joined.shape[0] * len(ws),) + joined.shape[2:])


def _join(w, b):
    """Return matrices and biases for input and last state, with interleaved gates."""
    return tuple([
        [_stack_weight([each[k + gate] for gate in (2, 0, 1, 3)]) for k in (0, 4)]
        for each in (w, b)])


def _step(x, h, c, w, b):
    gates = linear.linear(x, w[0], b[0]) + linear.linear(h, w[1], b[1])
    c, h = lstm.lstm(c, gates)
    return h, c


def _lstm(x, h, c, w, b):
    """Compute one step from the eight matrices and biases: next output and cell."""
    return _step(x, h, c, *_join(w, b))


_CELL = _stacked.Cell('lstm', _join, _step)


class NStepLSTM(n_step_rnn.BaseNStepRNN):
    """Long short-term memory over a sequence.

    See :class:`~chainer_fast.functions.rnn.n_step_rnn.BaseNStepRNN`.
    """

    def __init__(
            self, n_layers: int, states: Any, lengths: Sequence[int]) -> None:
        super().__init__(n_layers, states, lengths, 'uni', 'lstm')


class NStepBiLSTM(n_step_rnn.BaseNStepRNN):
    """Long short-term memory over a sequence in both directions.

    See :class:`~chainer_fast.functions.rnn.n_step_rnn.BaseNStepRNN`.
    """

    def __init__(
            self, n_layers: int, states: Any, lengths: Sequence[int]) -> None:
        super().__init__(n_layers, states, lengths, 'bi', 'lstm')


def _run(kwargs, use_bi_direction, n_layers, ratio, hx, cx, ws, bs, xs):
    argument.refuse(kwargs, 'train', 'use_cudnn')
    n_step_rnn.check_input_size(ws, xs)
    return _stacked.stacked_rnn(
        _CELL, n_layers, ratio, hx, cx, ws, bs, xs, use_bi_direction)


def n_step_lstm_base(
        n_layers: int, dropout_ratio: float, hx: VariableOrArray, cx: VariableOrArray,
        ws: Sequence[Sequence[VariableOrArray]],
        bs: Sequence[Sequence[VariableOrArray]], xs: Sequence[VariableOrArray],
        use_bi_direction: bool, **kwargs: NoReturn) -> tuple[Any, ...]:
    """Runs :func:`~chainer_fast.functions.n_step_lstm` or
    :func:`~chainer_fast.functions.n_step_bilstm`.

    Parameters
    ----------
    n_layers, dropout_ratio, hx, cx, ws, bs, xs
        See that function.
    use_bi_direction : bool
        Whether the network has two directions.
    """
    return _run(kwargs, use_bi_direction, n_layers, dropout_ratio, hx, cx, ws, bs, xs)


def n_step_lstm(
        n_layers: int, dropout_ratio: float, hx: VariableOrArray, cx: VariableOrArray,
        ws: Sequence[Sequence[VariableOrArray]],
        bs: Sequence[Sequence[VariableOrArray]], xs: Sequence[VariableOrArray],
        **kwargs: NoReturn) -> tuple[Any, ...]:
    """Stacked long short-term memory over a batch of sequences.

    With the input :math:`x_t` of a layer at step :math:`t`, its last output
    :math:`h_{t-1}` and cell :math:`c_{t-1}`,

    .. math::

        i_t &= \\sigma(W_0 x_t + W_4 h_{t-1} + b_0 + b_4), \\\\
        f_t &= \\sigma(W_1 x_t + W_5 h_{t-1} + b_1 + b_5), \\\\
        a_t &= \\tanh(W_2 x_t + W_6 h_{t-1} + b_2 + b_6), \\\\
        o_t &= \\sigma(W_3 x_t + W_7 h_{t-1} + b_3 + b_7), \\\\
        c_t &= f_t c_{t-1} + i_t a_t, \\\\
        h_t &= o_t \\tanh(c_t).

    The outputs of a layer are the inputs of the next one; in training mode, dropout is
    applied to them.

    See: `Long short-term memory <https://doi.org/10.1162/neco.1997.9.8.1735>`_

    Parameters
    ----------
    n_layers : int
        Number of layers ``L``.
    dropout_ratio : float
        Ratio of the dropout, in ``[0, 1)``.
    hx, cx : Variable or array
        Outputs and cells before the first step, of shape ``(L, B, n)``.
    ws : list of list
        For each layer the eight matrices, :math:`W_0` to :math:`W_3` of shape
        ``(n, m)`` in the first layer, all others of shape ``(n, n)``.
    bs : list of list
        For each layer the eight biases of shape ``(n,)``.
    xs : list of Variable or array
        Input of each step, of shape ``(B_t, m)``. The sequences are sorted from the
        longest to the shortest, and each step has the samples of the sequences that
        have not ended: ``B_t`` never grows. See
        :func:`~chainer_fast.functions.transpose_sequence`.

    Returns
    -------
    tuple
        Outputs and cells after the last step of each sequence, each of shape
        ``(L, B, n)``, and a tuple of the last layer's outputs at each step, of shape
        ``(B_t, n)``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If an array is not floating-point, or dtypes or shapes do not match.
    ValueError
        If the inputs and the first layer's weights differ in size, the ratio is out of
        range with several layers in training mode, or a retired argument such as
        ``train`` is given.
    TypeError
        If another unknown argument is given.
    IndexError
        If there are too few weights, biases or states, or no inputs.

    See Also
    --------
    chainer_fast.functions.n_step_bilstm
    chainer_fast.functions.lstm
    chainer_fast.links.NStepLSTM

    Examples
    --------
    >>> hx = np.zeros((1, 1, 1), np.float32)
    >>> ws = [[np.zeros((1, 1), np.float32)] * 8]
    >>> bs = [[np.full(1, 100., np.float32)] * 8]      # gates are open
    >>> xs = [np.ones((1, 1), np.float32)] * 3
    >>> hy, cy, ys = F.n_step_lstm(1, 0., hx, hx, ws, bs, xs)
    >>> cy.array
    array([[[3.]]], dtype=float32)
    >>> [y.shape for y in ys]
    [(1, 1), (1, 1), (1, 1)]
    """
    return _run(kwargs, False, n_layers, dropout_ratio, hx, cx, ws, bs, xs)


def n_step_bilstm(
        n_layers: int, dropout_ratio: float, hx: VariableOrArray, cx: VariableOrArray,
        ws: Sequence[Sequence[VariableOrArray]],
        bs: Sequence[Sequence[VariableOrArray]], xs: Sequence[VariableOrArray],
        **kwargs: NoReturn) -> tuple[Any, ...]:
    """Stacked long short-term memory over a batch of sequences, in both directions.

    Each layer consists of two layers of :func:`~chainer_fast.functions.n_step_lstm`,
    one of which processes the sequences from the end. Their outputs are concatenated
    along the second axis.

    .. math:: y_t = (\\overrightarrow{h}_t, \\overleftarrow{h}_t)

    Parameters
    ----------
    n_layers : int
        Number of layers ``L``.
    dropout_ratio : float
        Ratio of the dropout between layers.
    hx, cx : Variable or array
        Outputs and cells before the first step, of shape ``(2 L, B, n)``: for each
        layer first the forward and then the backward direction.
    ws : list of list
        For each direction of each layer the eight matrices, of shape ``(n, m)`` or
        ``(n, n)`` as in that function; after the first layer, those for the input have
        the shape ``(n, 2 n)``.
    bs : list of list
        For each direction of each layer the eight biases.
    xs : list of Variable or array
        Input of each step, as in that function.

    Returns
    -------
    tuple
        Last outputs and cells, each of shape ``(2 L, B, n)``, and a tuple of the last
        layer's outputs at each step, of shape ``(B_t, 2 n)``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If an array is not floating-point, or dtypes or shapes do not match.
    ValueError
        If the inputs and the first layer's weights differ in size, the ratio is out of
        range with several layers in training mode, or a retired argument such as
        ``train`` is given.
    TypeError
        If another unknown argument is given.
    IndexError
        If there are too few weights, biases or states, or no inputs.

    See Also
    --------
    chainer_fast.functions.n_step_lstm
    chainer_fast.functions.lstm
    chainer_fast.links.NStepBiLSTM

    Examples
    --------
    >>> hx = np.zeros((2, 1, 1), np.float32)
    >>> ws = [[np.zeros((1, 1), np.float32)] * 8] * 2
    >>> bs = [[np.full(1, 100., np.float32)] * 8] * 2      # gates are open
    >>> xs = [np.ones((1, 1), np.float32)] * 3
    >>> hy, cy, ys = F.n_step_bilstm(1, 0., hx, hx, ws, bs, xs)
    >>> cy.array
    array([[[3.]],
    <BLANKLINE>
           [[3.]]], dtype=float32)
    >>> [y.shape for y in ys]
    [(1, 2), (1, 2), (1, 2)]
    """
    return _run(kwargs, True, n_layers, dropout_ratio, hx, cx, ws, bs, xs)
