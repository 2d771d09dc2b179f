"""Recurrent networks over whole sequences."""
import numpy

from chainer_fast import backend
from chainer_fast import functions as F
from chainer_fast.functions.rnn.n_step_gru import n_step_gru
from chainer_fast.onnx._load.node import Unsupported
from chainer_fast.onnx._load.table import operator, raw

#: For each type, the positions of Chainer's gates among those of ONNX, and activations.
_GATES = {'RNN': (0,), 'GRU': (1, 0, 2), 'LSTM': (0, 2, 3, 1)}
_ACTIVATIONS = {'RNN': ['Tanh'], 'GRU': ['Sigmoid', 'Tanh'],
                'LSTM': ['Sigmoid', 'Tanh', 'Tanh']}


def _activation(node, directions):
    """Check the activations; return that of a simple network in lower case."""
    usual = _ACTIVATIONS[node.type] * directions
    found = node.get('activations', usual)
    if [a.lower() for a in found] == ['relu'] * directions and node.type == 'RNN':
        return 'relu'
    if [a.lower() for a in found] != [a.lower() for a in usual]:
        raise Unsupported('its activations are %s; supported are %s%s' % (
            found, usual, ' or Relu' if node.type == 'RNN' else ''))
    return 'tanh'


def _gates(node, x, d, parts):
    """The parts of an array for one direction, in Chainer's order."""
    pieces = F.split_axis(x[d], parts, axis=0) if parts > 1 else [x[d]]
    order = _GATES[node.type]
    return [pieces[start + i] for start in range(0, parts, len(order)) for i in order]


def _reset_first(x, h, w, b):
    """One step of a GRU that resets the state before the product."""
    r = F.sigmoid(F.linear(x, w[0], b[0]) + F.linear(h, w[3], b[3]))
    z = F.sigmoid(F.linear(x, w[1], b[1]) + F.linear(h, w[4], b[4]))
    new = F.tanh(F.linear(x, w[2], b[2]) + F.linear(r * h, w[5], b[5]))
    return (1 - z) * new + z * h


def _reversal(xp, lengths, steps):
    """Index that reverses each sequence of a batch, but not its padding."""
    t = numpy.arange(steps)[:, None]
    turned = numpy.where(t < lengths, lengths - 1 - t, t)
    return xp.asarray(turned), xp.arange(len(lengths))[None]


def _run(node, activation, xs, h, c, w, b):
    """Run in one direction; return last state, last cell or None, and all states."""
    def layer(state):
        return F.reshape(state, (1, *state.shape))

    if node.type == 'LSTM':
        hy, cy, ys = F.n_step_lstm(1, 0., layer(h), layer(c), [w], [b], xs)
        return hy[0], cy[0], ys
    if node.type == 'RNN':
        hy, ys = F.n_step_rnn(1, 0., layer(h), [w], [b], xs, activation=activation)
        return hy[0], None, ys
    if node.get('linear_before_reset', 0):
        hy, ys = n_step_gru(1, 0., layer(h), [w], [b], xs)
        return hy[0], None, ys
    ys, ended = [], []
    for x in xs:
        if len(x) < len(h):
            h, rest = F.split_axis(h, [len(x)], 0)
            ended.insert(0, rest)
        h = _reset_first(x, h, w, b)
        ys.append(h)
    return F.concat([h, *ended], axis=0) if ended else h, None, ys


@operator('RNN', 'GRU', 'LSTM', host=(4,), outputs=3)
def recurrent(node):
    direction = node.require(
        'direction', 'forward', 'reverse', 'bidirectional', default='forward')
    directions = 2 if direction == 'bidirectional' else 1
    activation = _activation(node, directions)
    node.get('hidden_size', None)
    if node.type == 'GRU':
        node.require('linear_before_reset', 0, 1, default=0)
    if node.type == 'LSTM':
        node.require('input_forget', 0, default=0)
        if node.has(7):
            raise Unsupported('its peepholes are not supported')
    batch_first = node.opset >= 14 and node.require('layout', 0, 1, default=0)

    def compute(x, w, r, b=None, lengths=None, h=None, c=None):
        if batch_first:
            x, h, c = [v if v is None else v.transpose(1, 0, 2) for v in (x, h, c)]
        steps, batch = x.shape[:2]
        xp = backend.get_array_module(raw(x))
        size, count = r.shape[2], len(_GATES[node.type])
        zeros = xp.zeros((directions, batch, size), x.dtype)
        h, c = zeros if h is None else h, zeros if c is None else c
        if b is None:
            b = xp.zeros((directions, 2 * count * size), x.dtype)
        # Longest first, as the functions require.
        lengths = numpy.full(batch, steps) if lengths is None else lengths
        order = numpy.argsort(-lengths.astype(int), kind='stable')
        sorted_already = (order == numpy.arange(batch)).all()
        lengths = lengths[order]
        if not sorted_already:
            x, h, c = [F.permutate(v, order, axis=1) for v in (x, h, c)]
        present = [int((lengths > t).sum()) for t in range(lengths.max(initial=0))]
        turned = _reversal(xp, lengths, steps)
        results = []
        for d in range(directions):
            backward = d == 1 or direction == 'reverse'
            source = F.get_item(x, turned) if backward else x
            xs = [source[t, :n] for t, n in enumerate(present)]
            weights = (_gates(node, w, d, count) + _gates(node, r, d, count))
            biases = _gates(node, b, d, 2 * count)
            hy, cy, ys = _run(node, activation, xs, h[d], c[d], weights, biases)
            if present[-1] < batch:
                y = F.pad_sequence(ys, batch)
            else:
                y = F.stack(ys, axis=0)
            if len(present) < steps:
                rest = xp.zeros((steps - len(present), *y.shape[1:]), y.dtype)
                y = F.concat([y, rest], axis=0)
            results.append((F.get_item(y, turned) if backward else y, hy, cy))
        outputs = [F.stack(each, axis)
                   for each, axis in zip(zip(*results, strict=True), (1, 0, 0),
                                         strict=True) if each[0] is not None]
        if not sorted_already:
            back = numpy.argsort(order)
            outputs = [F.permutate(v, back, axis=v.ndim - 2) for v in outputs]
        if batch_first:
            outputs = [v.transpose((2, 0, 1, 3) if v.ndim == 4 else (1, 0, 2))
                       for v in outputs]
        return outputs[:len(node.outputs)] if len(node.outputs) > 1 else outputs[0]

    return compute
