"""Recurrent units, and several layers of them over sequences."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from chainer_fast.chainerx import _errors, _functions
from chainer_fast.chainerx._array import ndarray
from chainer_fast.functions.activation import sigmoid, tanh
from chainer_fast.functions.array import split_axis
from chainer_fast.functions.rnn import lstm as lstm_mod
from chainer_fast.functions.rnn import n_step_gru as gru_mod
from chainer_fast.functions.rnn import n_step_lstm as lstms_mod
from chainer_fast.functions.rnn import n_step_rnn as rnn_mod
from chainer_fast.functions.rnn import slstm as slstm_mod

__all__ = [
    'lstm', 'n_step_bigru', 'n_step_bilstm', 'n_step_birnn', 'n_step_gru',
    'n_step_lstm', 'n_step_rnn', 'slstm', 'tree_lstm']

_Layers: TypeAlias = Sequence[Sequence[ndarray]]
_Sequence: TypeAlias = Sequence[ndarray]


def lstm(c: ndarray, x: ndarray) -> tuple[ndarray, ndarray]:
    """Return the next cell and the output of an LSTM.

    Parameters
    ----------
    c : ndarray
        The cells, of the shape ``(batch, units)``.
    x : ndarray
        Inputs of the four gates, with four times as many units; the batch can be
        smaller.

    Raises
    ------
    DtypeError
        If the arrays do not have one floating-point dtype.
    DimensionError
        If the shapes do not match.
    """
    return _units(lstm_mod.lstm, c, x)


def slstm(c1: ndarray, c2: ndarray, x1: ndarray,
          x2: ndarray) -> tuple[ndarray, ndarray]:
    """Return the cell and output of a tree LSTM with two children.

    Parameters
    ----------
    c1, c2 : ndarray
        The cells of the children.
    x1, x2 : ndarray
        Inputs of their gates: see :func:`lstm`.
    """
    return _units(slstm_mod.slstm, c1, c2, x1, x2)


def tree_lstm(*inputs: ndarray) -> tuple[ndarray, ndarray]:
    """Return the cell and output of a tree LSTM with many children.

    Parameters
    ----------
    *inputs : ndarray
        The cells of the children, and inputs of all gates: see :func:`lstm`.
    """
    def function(*variables):
        *cells, x = variables
        a, i, o, *forget = split_axis.split_axis(x, len(cells) + 3, axis=1)
        y = sigmoid.sigmoid(i) * tanh.tanh(a)
        for f, c in zip(forget, cells, strict=True):
            y = y + sigmoid.sigmoid(f) * c
        return y, sigmoid.sigmoid(o) * tanh.tanh(y)

    *cells, x = inputs
    _functions.expect_dtypes('f', *inputs)
    for c in cells:
        shape = (c.shape[0], (len(cells) + 3) * c.shape[1]) if c.ndim == 2 else None
        if c.shape != cells[0].shape or x.shape != shape:
            raise _errors.DimensionError(
                'the shapes do not match: %s' % [array.shape for array in inputs])
    return _units(function, *inputs)


def _units(function, *arrays):
    _functions.expect_dtypes('f', *arrays)
    if len({array.dtype for array in arrays}) > 1:
        raise _errors.DtypeError(
            'expected arrays of one dtype, not %s' % [a.dtype for a in arrays])
    return _functions.apply(function, *arrays)


def n_step_lstm(n_layers: int, hx: ndarray, cx: ndarray, ws: _Layers, bs: _Layers,
                xs: _Sequence) -> tuple[Any, ...]:
    """Apply LSTM layers to sequences.

    Parameters
    ----------
    n_layers : int
    hx, cx : ndarray
        States and cells, of the shape ``(layers, batch, units)``.
    ws, bs : sequence of sequence of ndarray
        Eight matrices and eight biases of each layer.
    xs : sequence of ndarray
        Inputs of each step, of the shape ``(batch, inputs)``; batches never grow.

    Returns
    -------
    hy, cy : ndarray
        The last states and cells.
    ys : list of ndarray
        The outputs of each step.
    """
    return _layers(lambda *a: lstms_mod.n_step_lstm(n_layers, 0., *a),
                   (hx, cx), ws, bs, xs)


def n_step_bilstm(n_layers: int, hx: ndarray, cx: ndarray, ws: _Layers, bs: _Layers,
                  xs: _Sequence) -> tuple[Any, ...]:
    """Apply LSTM layers to sequences, in both directions.

    Parameters and results are those of :func:`n_step_lstm`, with twice as many states
    and parameters.
    """
    return _layers(lambda *a: lstms_mod.n_step_bilstm(n_layers, 0., *a),
                   (hx, cx), ws, bs, xs)


def n_step_gru(n_layers: int, hx: ndarray, ws: _Layers, bs: _Layers,
               xs: _Sequence) -> tuple[Any, ...]:
    """Apply layers of gated recurrent units to sequences.

    Parameters are those of :func:`n_step_lstm`, without cells, and with six matrices
    and biases of each layer.

    Returns
    -------
    hy : ndarray
        The last states.
    ys : list of ndarray
        The outputs of each step.
    """
    return _layers(lambda *a: gru_mod.n_step_gru(n_layers, 0., *a), (hx,), ws, bs, xs)


def n_step_bigru(n_layers: int, hx: ndarray, ws: _Layers, bs: _Layers,
                 xs: _Sequence) -> tuple[Any, ...]:
    """Apply layers of gated recurrent units to sequences, in both directions.

    Parameters and results are those of :func:`n_step_gru`, with twice as many states
    and parameters.
    """
    return _layers(lambda *a: gru_mod.n_step_bigru(n_layers, 0., *a), (hx,), ws, bs, xs)


def n_step_rnn(n_layers: int, hx: ndarray, ws: _Layers, bs: _Layers, xs: _Sequence,
               activation: str = 'tanh') -> tuple[Any, ...]:
    """Apply layers of simple recurrent units to sequences.

    Parameters and results are those of :func:`n_step_gru`, with two matrices and
    biases of each layer; ``activation`` is ``'tanh'`` or ``'relu'``.
    """
    return _layers(
        lambda h, w, b, x: rnn_mod.n_step_rnn(n_layers, 0., h, w, b, x, activation),
        (hx,), ws, bs, xs)


def n_step_birnn(n_layers: int, hx: ndarray, ws: _Layers, bs: _Layers, xs: _Sequence,
                 activation: str = 'tanh') -> tuple[Any, ...]:
    """Apply layers of simple recurrent units to sequences, in both directions.

    Parameters and results are those of :func:`n_step_rnn`, with twice as many states
    and parameters.
    """
    return _layers(
        lambda h, w, b, x: rnn_mod.n_step_birnn(n_layers, 0., h, w, b, x, activation),
        (hx,), ws, bs, xs)


def _layers(function, states, ws, bs, xs):
    """Apply a function of states, and lists of lists of variables."""
    def flat(*variables):
        rest = iter(variables)
        lists = [[next(rest) for _ in states]] + [
            [[next(rest) for _ in layer] for layer in layers] for layers in (ws, bs)]
        *hidden, ys = function(*lists[0], *lists[1:], list(rest))
        return [*hidden, *ys]

    arrays = [*states, *[a for layers in (ws, bs) for layer in layers for a in layer],
              *xs]
    found = _functions.apply(flat, *arrays)
    return (*found[:len(states)], list(found[len(states):]))
