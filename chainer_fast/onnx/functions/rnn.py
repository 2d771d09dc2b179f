"""Converters of recurrent networks."""
from __future__ import annotations

from typing import Any

import numpy

from chainer_fast.onnx.functions import noise
from chainer_fast.onnx.functions._operators import emits_all, refuses

#: By kind of cell: the operator, its gates in the order of ONNX, and its activations.
_CELLS = {
    'gru': ('GRU', (1, 0, 2), None),
    'lstm': ('LSTM', (0, 3, 1, 2), None),
    'rnn_relu': ('RNN', (0,), 'Relu'),
    'rnn_tanh': ('RNN', (0,), None),
}


# ---------------------------------------------------------------------- whole sequences

@emits_all
def convert_StackedRNN(ops: Any, func: Any, *names: Any) -> list[str]:
    hx, cx, xs, ws, bs = func._parts(names)
    states = [hx] if cx is None else [hx, cx]
    layers = func._layers
    return _network(
        ops, layers.mode, func._directions, layers.ratio, layers.sizes, states, xs, ws,
        bs)


@emits_all
def convert_n_step_gru(
        ops: Any, func: Any, hx: Any, *names: Any) -> list[str]:
    # For `functions.n_step_gru` wrapped by `fake_as_funcnode`.
    count = 6 * func.arg0
    ws, bs, xs = names[:count], names[count:2 * count], names[2 * count:]
    sizes = tuple([ops.shape(1 + 2 * count + i)[0] for i in range(len(xs))])
    groups = [[each[k:k + 6] for k in range(0, count, 6)] for each in (ws, bs)]
    # From version 12 on, a node would depend on the training mode.
    ratio = func.arg1 if ops.opset_version < 12 else None
    return _network(ops, 'gru', 1, ratio, sizes, [hx], xs, *groups)


def _network(ops, mode, directions, ratio, sizes, states, xs, ws, bs):
    """Add all layers; returns the last states and the outputs of each step."""
    count, batch, n = ops.shape()
    if sizes[0] < batch:
        raise ops.refusal(
            '%d of its %d sequences are empty, but runtimes do not keep their states'
            % (batch - sizes[0], batch))
    per_layer = [
        ops.split(state, 0, [directions] * (count // directions)) for state in states]
    y, lengths = _sequence(ops, xs, sizes), _lengths(ops, sizes)
    last = []
    for layer, firsts in enumerate(zip(*per_layer, strict=True)):
        if layer > 0:
            y = _side_by_side(ops, _dropped(ops, y, ratio), directions, n)
        groups = slice(layer * directions, (layer + 1) * directions)
        y, *ends = _layer(
            ops, mode, directions, n, y, lengths, firsts, ws[groups], bs[groups])
        last.append(ends)
    y = _side_by_side(ops, y, directions, n)
    steps = [ops.along('Squeeze', step, [0])
             for step in ops.split(y, 0, [1] * len(sizes))]
    outputs = [
        step if size == batch else ops.slice(step, [0], [0], [size])
        for step, size in zip(steps, sizes, strict=True)]
    return [_joined(ops, ends) for ends in zip(*last, strict=True)] + outputs


def _joined(ops, parts):
    return parts[0] if len(parts) == 1 else ops.op('Concat', list(parts), axis=0)


def _sequence(ops, xs, sizes):
    """Join the inputs of all steps; those of ended sequences are zeros."""
    rows = []
    for x, size in zip(xs, sizes, strict=True):
        if size < sizes[0]:
            x = ops.pad(x, [0, 0, sizes[0] - size, 0], 0.)
        rows.append(ops.along('Unsqueeze', x, [0]))
    return _joined(ops, rows)


def _lengths(ops, sizes):
    """Lengths of the sequences, or an empty name if they are equal."""
    if set(sizes) == {sizes[0]}:
        return ''
    lengths = (numpy.arange(sizes[0])[:, None] < sizes).sum(axis=1)
    return ops.const(lengths, 'lengths', numpy.int32)


def _layer(ops, mode, directions, n, x, lengths, states, ws, bs):
    """Add one layer; returns the sequence of its outputs, and its last states."""
    op_name, order, activation = _CELLS[mode]
    options = {'hidden_size': n}
    if mode == 'gru':
        options['linear_before_reset'] = 1
    if directions == 2:
        options['direction'] = 'bidirectional'
    if activation is not None:
        options['activations'] = [activation] * directions

    of_inputs = list(order)
    of_states = [len(order) + gate for gate in order]
    inputs = [_of_sides(ops, groups, gates) for groups, gates in (
        (ws, of_inputs), (ws, of_states), (bs, of_inputs + of_states))]
    return ops.op(
        op_name, [x, *inputs, lengths, *states], 1 + len(states), **options)


def _of_sides(ops, groups, gates):
    """Join the arrays of some gates, for each direction."""
    return _joined(ops, [
        ops.along('Unsqueeze', _joined(ops, [group[gate] for gate in gates]), [0])
        for group in groups])


def _dropped(ops, y, ratio):
    return y if ratio is None else noise.dropped(ops, y, ratio)


def _side_by_side(ops, y, directions, n):
    """Take the outputs of a layer, direction by direction, as rows."""
    if directions == 1:
        return ops.along('Squeeze', y, [1])
    return ops.reshape(ops.transpose(y, [0, 2, 1, 3]), [0, 0, directions * n])


# ----------------------------------------------------------------------------- one step

@emits_all
def convert_LSTM(ops: Any, func: Any, c_prev: Any, x: Any) -> list[str]:
    size, whole = ops.shape(1)[0], ops.shape(0)[0]
    rest = None
    if size < whole:    # the remaining samples have ended
        rest = ops.slice(c_prev, [0], [size], [whole])
        c_prev = ops.slice(c_prev, [0], [0], [size])
    a, i, f, o = _gates(ops, x, ops.shape(1))
    c = ops.op('Add', [_new(ops, a, i), _kept(ops, f, c_prev)])
    h = ops.op('Mul', [ops.op('Sigmoid', [o]), ops.op('Tanh', [c])])
    return [c if rest is None else ops.op('Concat', [c, rest], axis=0), h]


@emits_all
def convert_SLSTM(
        ops: Any, func: Any, c_prev1: Any, c_prev2: Any, x1: Any,
        x2: Any) -> list[str]:
    a1, i1, f1, o1 = _gates(ops, x1, ops.shape(2))
    a2, i2, f2, o2 = _gates(ops, x2, ops.shape(3))
    sides = [ops.op('Add', [_new(ops, a, i), _kept(ops, f, c)])
             for a, i, f, c in ((a1, i1, f1, c_prev1), (a2, i2, f2, c_prev2))]
    c = ops.op('Add', sides)
    o = ops.op('Sigmoid', [ops.op('Add', [o1, o2])])
    return [c, ops.op('Mul', [o, ops.op('Tanh', [c])])]


def _gates(ops, x, shape):
    """Split the gates, which alternate along the second axis."""
    x = ops.reshape(x, [0, shape[1] // 4, 4, *shape[2:]])
    return [ops.along('Squeeze', gate, [2]) for gate in ops.split(x, 2, [1] * 4)]


def _new(ops, a, i):
    return ops.op('Mul', [ops.op('Tanh', [a]), ops.op('Sigmoid', [i])])


def _kept(ops, f, c):
    return ops.op('Mul', [ops.op('Sigmoid', [f]), c])


convert_TreeLSTM = refuses('the order of its cells is fixed for one tree')
