"""Recurrent networks over whole sequences, as one function of the graph."""
import collections
import functools
import operator

import numpy

from chainer_fast import _numbers
from chainer_fast.backends.kernels import sequences
from chainer_fast.configuration import config
from chainer_fast.function_node import FunctionNode, grad
from chainer_fast.functions.array import concat, separate, split_axis, stack
from chainer_fast.functions.math import identity
from chainer_fast.functions.noise import dropout
from chainer_fast.functions.rnn import _layers
from chainer_fast.variable import Variable

#: A kind of cell: its name; ``join``, which concatenates the weights and biases of one
#: direction of a layer; and ``step``, which accepts an input, a state, a cell and the
#: concatenated weights and biases, and returns the next state and cell. Both functions
#: are differentiable.
Cell = collections.namedtuple('Cell', 'mode join step')


# --------------------------------------------------------------------- step by step

def _along(step, xs, h, c, w, b):
    """Process a sequence; the states of samples that have ended do not change."""
    ys = []
    for x in xs:
        size = len(x)
        h, h_rest = _first(h, size)
        c, c_rest = _first(c, size)
        h, c = step(x, h, c, w, b)
        ys.append(h)
        h, c = _with_rest(h, h_rest), _with_rest(c, c_rest)
    return h, c, ys


def _first(state, size):
    if state is None or len(state) <= size:
        return state, None
    return split_axis.split_axis(state, [size], axis=0)


def _with_rest(state, rest):
    return state if rest is None else concat.concat([state, rest], axis=0)


def drop_sequence(ratio, masks, k, xs):
    """Apply dropout to a sequence, with the ``k``-th mask if masks are given."""
    if masks is None:
        return [dropout.dropout(x, ratio) for x in xs]
    dropped, start = [], 0
    for x in xs:
        mask = masks[k][start:start + len(x)].astype(x.dtype, copy=False)
        dropped += dropout.Dropout(ratio, mask=mask).apply((x,))
        start += len(x)
    return dropped


def compose(step, n_layers, directions, hx, cx, ws, bs, xs, drop):
    """Build stacked layers of any kind of cell as a graph of many functions.

    Parameters
    ----------
    step : callable
        Function of an input, a state, a cell, and the weights and biases of a layer. It
        returns the next state and cell.
    n_layers, directions : int
        Number of layers, and 1 or 2 directions.
    hx, cx : Variable, array or None
        First states and cells of each layer and direction.
    ws, bs : list
        Weights and biases for each direction of each layer.
    xs : list of Variable or array
        Inputs of each step.
    drop : callable or None
        Function of a number and a sequence that applies dropout. The number counts the
        directions of all layers after the first one.

    Returns
    -------
    tuple
        Last states, last cells or None, and a tuple of the outputs of each step.
    """
    hs = separate.separate(hx)
    cs = None if cx is None else separate.separate(cx)
    last_hs, last_cs = [], []
    for layer in range(n_layers):
        sides = []
        for side in range(directions):
            k = layer * directions + side
            # Each direction has its own dropout.
            ins = drop(k - directions, xs) if layer > 0 and drop is not None else xs
            order = slice(None, None, -1 if side else 1)
            h, c, ys = _along(
                step, ins[order], hs[k], None if cs is None else cs[k], ws[k], bs[k])
            sides.append(ys[order])
            last_hs.append(h)
            last_cs.append(c)
        xs = sides[0] if directions == 1 else [
            concat.concat(pair, axis=1) for pair in zip(*sides, strict=True)]
    cy = None if cx is None else stack.stack(last_cs)
    return stack.stack(last_hs), cy, tuple(xs)


# ------------------------------------------------------------------------ all at once

class StackedRNN(FunctionNode):
    """All layers and steps of a recurrent network.

    The inputs are the first states, the first cells if there are any, the inputs of
    each step, and for each direction of each layer its weights and its biases. The
    outputs are the last states, the last cells, and the outputs of each step. The
    gradient is computed in one step, too, unless it must be differentiable; then the
    network is rebuilt from smaller functions, and these are differentiated.

    Parameters
    ----------
    cell : Cell
        Kind of cell.
    n_layers, directions : int
        Number of layers, and 1 or 2 directions.
    ratio : float
        Ratio of the dropout between layers.
    sizes : tuple of int
        Number of samples in each step.
    """

    def __init__(self, cell, n_layers, directions, ratio, sizes):
        super().__init__()
        self._cell = cell
        self._directions = directions
        self._ratio = ratio
        self._count = n_layers * directions
        self._layers = _layers.Layers(
            cell.mode, directions, sizes, ratio if config.train else None)

    @property
    def label(self):
        return 'StackedRNN(%s)' % self._cell.mode

    def _parts(self, values):
        """Split inputs into first states and cells, inputs of steps, and parameters."""
        hx, *rest = values
        cx = rest.pop(0) if self._cell.mode == 'lstm' else None
        steps = len(self._layers.sizes)
        width = 2 * _layers.GATES[self._cell.mode]
        groups = [rest[k:k + width] for k in range(steps, len(rest), width)]
        return hx, cx, rest[:steps], groups[0::2], groups[1::2]

    def _check_data_type_forward(self, arrays):
        # `fitting_inputs` has checked the inputs already.
        pass

    def forward(self, inputs):
        self.retain_inputs(range(len(inputs)))
        self._halves = inputs[0].dtype.char == 'e'
        hx, cx, xs, ws, bs = self._parts(inputs)
        x, hx, cx = [
            None if each is None else self._computed(each)
            for each in (sequences.rows(xs[0], xs), hx, cx)]
        y, hy, cy = self._layers.forward(
            x, hx, cx,
            [[self._joined_halves(group) for group in each]
             for each in zip(ws, bs, strict=True)])
        states = (hy,) if cy is None else (hy, cy)
        *states, y = self._stored((*states, y))
        return (*states, *self._split(y))

    def _computed(self, array):
        """Return an array in the dtype to compute in, which is never float16."""
        return array.astype(numpy.float32) if self._halves else array

    def _joined_halves(self, group):
        """Return the weights or biases of a direction in the dtype to compute in."""
        if not self._halves:
            return group
        half = len(group) // 2
        return [self._computed(sequences.rows(part[0], part))
                for part in (group[:half], group[half:])]

    def _split(self, rows):
        parts, start = [], 0
        for size in self._layers.sizes:
            parts.append(rows[start:start + size])
            start += size
        return parts

    def backward(self, indexes, grad_outputs):
        if config.enable_backprop:
            return self._differentiable_gradients(indexes, grad_outputs)
        gradients = self._gradients(
            indexes, [None if g is None else g.array for g in grad_outputs])
        return tuple([
            None if gradients[i] is None else Variable(gradients[i])
            for i in indexes])

    def _stored(self, arrays):
        """Return the arrays in the dtype of the inputs."""
        if not self._halves:
            return tuple(arrays)
        return tuple([
            None if each is None else each.astype(numpy.float16) for each in arrays])

    def _gradients(self, indexes, gys):
        """Return the gradients of all inputs; None for steps that need no gradient."""
        layers, n_states = self._layers, 2 if self._cell.mode == 'lstm' else 1
        steps, reached = len(layers.sizes), len(layers.sizes)
        if self._directions == 1:
            # Steps do not affect earlier outputs.
            while reached and all(gy is None for gy in gys[:n_states] + gys[
                    n_states + reached - 1:]):
                reached -= 1
        width = self._directions * self.inputs[0].shape[2]
        xp = layers.array_module
        gstates = [
            xp.zeros(each.shape, layers.dtype) if gy is None else self._computed(gy)
            for gy, each in zip(gys[:n_states], self.inputs[:n_states], strict=True)]
        wants_gx = any(n_states <= i < n_states + steps for i in indexes)
        ghy, gcy = [*gstates, None][:2]
        *grads, weights = layers.backward(
            self._joined(xp, gys[n_states:], width), ghy, gcy, wants_gx)
        gx, *gradients = self._stored(grads[:1 + n_states])
        gradients += [None] * steps if gx is None else (
            self._split(gx)[:reached] + [None] * (steps - reached))
        gates = _layers.GATES[self._cell.mode]
        for each in weights:
            for joined in self._stored(each):
                rows, *rest = joined.shape
                gradients.extend(joined.reshape(gates, rows // gates, *rest))
        return gradients

    def _joined(self, xp, gys, width):
        """Return the rows of the gradients of all steps; missing ones are zeros."""
        sizes = self._layers.sizes
        missing = [gy is None for gy in gys]
        if all(missing):
            return xp.zeros((sum(sizes), width), self._layers.dtype)
        if any(missing):
            zeros = xp.zeros((sizes[0], width), self.inputs[0].dtype)
            gys = [zeros[:size] if gy is None else gy
                   for gy, size in zip(gys, sizes, strict=True)]
        return self._computed(sequences.rows(gys[0], gys))

    def _differentiable_gradients(self, indexes, gys):
        # Identities separate the graph that the inputs themselves depend on.
        inputs = identity.identity(*self.get_retained_inputs())
        hx, cx, xs, ws, bs = self._parts(inputs)
        joined = [self._cell.join(*each) for each in zip(ws, bs, strict=True)]
        masks, drop = self._layers.masks, None
        if masks:
            drop = functools.partial(drop_sequence, self._ratio, masks)
        hy, cy, ys = compose(
            self._cell.step, self._count // self._directions, self._directions, hx, cx,
            [w for w, _ in joined], [b for _, b in joined], xs, drop)
        outputs = (hy, *ys) if cy is None else (hy, cy, *ys)
        reached = [k for k, gy in enumerate(gys) if gy is not None]
        return grad(
            [outputs[k] for k in reached], [inputs[i] for i in indexes],
            [gys[k] for k in reached], enable_double_backprop=True)


def _all_fit(arrays, shape, dtype):
    # Cells that need no bias omit a bias of None; anything else that is not an array is
    # an error in the function that receives it.
    return all(
        getattr(each, 'shape', None) == shape and each.dtype == dtype
        for each in arrays)


def fitting_inputs(mode, n_layers, directions, hx, cx, ws, bs, xs):
    """Return the inputs of :class:`StackedRNN`, or None if it cannot handle them.

    All must have the same floating dtype, and their shapes must match exactly.
    """
    count, gates = n_layers * directions, _layers.GATES[mode]
    if not hasattr(hx, 'shape'):
        return None
    shape = hx.shape
    if len(shape) != 3 or shape[0] != count or 0 in shape or xs[0].ndim != 2:
        return None
    dtype = hx.dtype
    if dtype.kind != 'f':
        return None
    _, batch, n = shape
    states = [hx] if cx is None else [hx, cx]
    if not _all_fit(states, shape, dtype):
        return None
    width = xs[0].shape[1]
    size = batch
    for x in xs:
        if len(x) > size or not _all_fit((x,), (len(x), width), dtype):
            return None
        size = len(x)
    inputs = [*states, *xs]
    for k in range(count):
        if k == directions:
            width = n * directions
        w, b = ws[k], bs[k]
        if not (_all_fit(w[:gates], (n, width), dtype)
                and _all_fit(w[gates:2 * gates], (n, n), dtype)
                and _all_fit(b[:2 * gates], (n,), dtype)):
            return None
        inputs += w[:2 * gates]
        inputs += b[:2 * gates]
    return inputs


def _check_states(mode, hx, cx):
    # Networks with gates access the first of their states before they compute.
    has_gates = mode in ('lstm', 'gru')
    for name, value, is_read in ('hx', hx, has_gates), ('cx', cx, False):
        if value is None and (name == 'hx' or mode == 'lstm') or (
                is_read and not hasattr(value, 'shape')):
            raise AttributeError(
                '%s must be an array, not %r: pass zeros to start from the initial '
                'state'
                % (name, value))


def _check_weights(name, groups, count, length):
    if len(groups) < count or any(len(each) < length for each in groups[:count]):
        raise IndexError(
            '%s must hold %d sequences, one for each direction of each layer, of %s '
            'arrays each, but has the lengths %s'
            % (name, count, length, [len(each) for each in groups]))


def stacked_rnn(cell, n_layers, ratio, hx, cx, ws, bs, xs, use_bi_direction):
    """Apply a recurrent network to a sequence.

    Parameters
    ----------
    cell : Cell
        Kind of cell.
    n_layers : int
        Number of layers.
    ratio : float
        Ratio of the dropout between layers.
    hx, cx, ws, bs, xs
        See :func:`compose`.
    use_bi_direction : bool
        Whether the network has two directions.

    Returns
    -------
    tuple
        Last states, last cells or None, and a tuple of the outputs of each step.
    """
    _check_states(cell.mode, hx, cx)
    directions = 2 if use_bi_direction else 1
    n_layers = operator.index(_numbers.plain(n_layers))
    xs, count = list(xs), n_layers * directions
    length = 2 * _layers.GATES[cell.mode]
    _check_weights('ws', ws, count, length)
    _check_weights('bs', bs, count, length)
    inputs = None
    if count > 0 and xs:
        inputs = fitting_inputs(cell.mode, n_layers, directions, hx, cx, ws, bs, xs)
    if inputs is not None:
        hy, *outputs = StackedRNN(
            cell, n_layers, directions, ratio, tuple([len(x) for x in xs])).apply(
                tuple(inputs))
        cy = None if cx is None else outputs.pop(0)
        return hy, cy, tuple(outputs)

    joined = [cell.join(w, b) for w, b in zip(ws[:count], bs[:count], strict=True)]
    return compose(
        cell.step, n_layers, directions, hx, cx, [w for w, _ in joined],
        [b for _, b in joined], xs, functools.partial(drop_sequence, ratio, None))
