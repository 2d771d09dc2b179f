from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy

from chainer_fast import backend
from chainer_fast.function import Function
from chainer_fast.functions.activation import relu, tanh
from chainer_fast.functions.connection import linear
from chainer_fast.functions.rnn import _layers, _stacked
from chainer_fast.types import GradArrays, NdArray
from chainer_fast.utils import argument, type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import Variable, VariableOrArray

_DIRECTIONS = {'uni': 1, 'bi': 2}


def check_input_size(ws: Any, xs: Sequence[VariableOrArray]) -> None:
    """Raise an error unless the size of the inputs matches the first layer."""
    if not len(xs):
        raise IndexError('xs must hold the input of at least one step, but is empty')
    given, expected = xs[0].shape[1], ws[0][0].shape[1]
    if given != expected:
        raise ValueError(
            'Inconsistent input size in input values and weight parameters: xs have '
            '%s columns, but ws[0][0] has %s' % (given, expected))


def _check_network(n_layers, rnn_dir, rnn_mode):
    """Return the number of directions and the number of gates of the cell."""
    for name, value, known in (
            ('rnn_dir', rnn_dir, _DIRECTIONS), ('rnn_mode', rnn_mode, _layers.GATES)):
        if value not in tuple(known):   # it may not be hashable
            raise ValueError(
                '%s must be one of %s, but is %r' % (name, ', '.join(known), value))
    return _DIRECTIONS[rnn_dir], _layers.GATES[rnn_mode]


# ------------------------------------------------- with all weights in a single vector

class CudnnRNNWeightConcat(Function):
    """Concatenates the weights and biases of a network to one vector.

    The inputs are the matrices of each direction of each layer, followed by the biases.
    The elements of the vector are in the same order, which is that of cuDNN.

    Parameters
    ----------
    n_layers : int
        Number of layers.
    states : None
        Random states of cuDNN's dropout; ignored.
    rnn_dir : str
        'uni' for one direction, 'bi' for two.
    rnn_mode : str
        'lstm', 'gru', 'rnn_tanh' or 'rnn_relu'.
    """

    def __init__(
            self, n_layers: int, states: Any, rnn_dir: str, rnn_mode: str) -> None:
        self.n_layers = n_layers
        self.states = states
        self.rnn_dir = rnn_dir
        self.rnn_mode = rnn_mode
        self._directions, self._gates = _check_network(n_layers, rnn_dir, rnn_mode)

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        count = self.n_layers * self._directions * 2 * self._gates
        type_check.expect(in_types.size() == 2 * count)
        w_types, b_types = in_types[:count], in_types[count:]
        dtype = w_types[0].dtype
        type_check.expect(dtype.kind == 'f')
        n, m = w_types[0].shape[0], w_types[0].shape[1]
        for k, (w_type, b_type) in enumerate(zip(w_types, b_types, strict=True)):
            type_check.expect(
                w_type.dtype == dtype, b_type.dtype == dtype, w_type.ndim == 2,
                w_type.shape[0] == n, b_type.ndim == 1, b_type.shape[0] == n)
            block, gate = divmod(k, 2 * self._gates)
            if gate >= self._gates:
                width = n
            else:
                width = m if block < self._directions else n * self._directions
            type_check.expect(w_type.shape[1] == width)

    def forward_cpu(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        xp = backend.get_array_module(*inputs)
        return xp.concatenate([each.ravel() for each in inputs]),

    forward_gpu = forward_cpu

    def backward(
            self, inputs: tuple[NdArray, ...],
            grads: GradArrays) -> tuple[NdArray | None, ...]:
        ends = numpy.cumsum([each.size for each in inputs])[:-1].tolist()
        parts = backend.get_array_module(*inputs).split(grads[0], ends)
        return tuple([
            part.reshape(each.shape)
            for part, each in zip(parts, inputs, strict=True)])


def cudnn_rnn_weight_concat(
        n_layers: int, states: Any, use_bi_direction: bool, rnn_mode: Any,
        ws: Sequence[Sequence[VariableOrArray]],
        bs: Sequence[Sequence[VariableOrArray]]) -> Variable:
    """Concatenate the weights and biases of a network to one vector.

    Parameters
    ----------
    n_layers, states, rnn_mode
        See :class:`CudnnRNNWeightConcat`.
    use_bi_direction : bool
        Whether the network has two directions.
    ws, bs : list of list
        Matrices and biases for each direction of each layer.

    Returns
    -------
    Variable
        The vector.
    """
    function = CudnnRNNWeightConcat(
        n_layers, states, 'bi' if use_bi_direction else 'uni', rnn_mode)
    return function(*[each for groups in (ws, bs) for group in groups
                      for each in group])


class BaseNStepRNN(Function):
    """A recurrent network whose weights are in a single vector.

    The inputs are the first states, the first cells of an LSTM, the vector of
    :class:`CudnnRNNWeightConcat`, and the inputs of all steps, concatenated along the
    first axis. The outputs are the last states, the last cells, and the concatenated
    outputs of all steps. There is no dropout between layers.

    Parameters
    ----------
    n_layers : int
        Number of layers.
    states : None
        Random states of cuDNN's dropout; must be None, since cuDNN is not used.
    lengths : list of int
        Number of samples in each step, in descending order.
    rnn_dir : str
        'uni' for one direction, 'bi' for two.
    rnn_mode : str
        'lstm', 'gru', 'rnn_tanh' or 'rnn_relu'.
    """

    def __init__(
            self, n_layers: int, states: Any, lengths: Sequence[int],
            rnn_dir: str, rnn_mode: str, **kwargs: NoReturn) -> None:
        argument.refuse(kwargs, 'train', 'use_cudnn')
        if states is not None:
            raise RuntimeError(
                'cuDNN is not enabled, so there are no random states of its dropout: '
                'states must be None')
        self.n_layers = n_layers
        self.states = states
        self.lengths = lengths
        self.rnn_dir = rnn_dir
        self.rnn_mode = rnn_mode
        self._directions, self._gates = _check_network(n_layers, rnn_dir, rnn_mode)
        self._n_states = 2 if rnn_mode == 'lstm' else 1

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check.expect(in_types.size() == self._n_states + 2)
        *state_types, w_type, x_type = in_types
        h_type = state_types[0]
        type_check.expect(h_type.dtype.kind == 'f')
        for other in in_types[1:]:
            type_check.expect(other.dtype == h_type.dtype)
        type_check.expect(
            h_type.ndim == 3, w_type.ndim == 1, x_type.ndim == 2,
            h_type.shape[0] == self.n_layers * self._directions,
            x_type.shape[0] == sum(self.lengths))
        for c_type in state_types[1:]:
            type_check.expect(c_type.shape == h_type.shape)
        for longer, size in zip(
                [h_type.shape[1], *self.lengths], self.lengths, strict=False):
            type_check.expect(longer >= size)
        m, n = type_check.eval(x_type.shape[1]), type_check.eval(h_type.shape[2])
        type_check.expect(w_type.shape[0] == sum(
            [rows * columns + rows for rows, columns in self._shapes(m, n)]))

    def _shapes(self, m, n):
        """Return shapes of concatenated matrices, two for each direction of a layer."""
        shapes = []
        for k in range(self.n_layers * self._directions):
            width = m if k < self._directions else n * self._directions
            shapes += [(self._gates * n, width), (self._gates * n, n)]
        return shapes

    def _taken_apart(self, w, m, n):
        """Return concatenated matrices and biases for each direction of each layer."""
        shapes = self._shapes(m, n)
        sizes = [rows * columns for rows, columns in shapes]
        sizes += [rows for rows, _ in shapes]
        parts = backend.get_array_module(w).split(w, numpy.cumsum(sizes)[:-1].tolist())
        matrices = [part.reshape(shape) for part, shape in zip(parts, shapes)]  # noqa: B905
        biases = parts[len(shapes):]
        return [
            (matrices[k:k + 2], biases[k:k + 2]) for k in range(0, len(shapes), 2)]

    def forward_cpu(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        *states, w, x = inputs
        hx: Any
        hx, cx = (*states, None)[:2]
        self._layers = _layers.Layers(
            self.rnn_mode, self._directions, tuple(self.lengths), None)
        y, hy, cy = self._layers.forward(
            x, hx, cx, self._taken_apart(w, x.shape[1], hx.shape[2]))
        return (hy, y) if cy is None else (hy, cy, y)

    forward_gpu = forward_cpu

    def backward(
            self, inputs: tuple[NdArray, ...],
            grads: GradArrays) -> tuple[NdArray | None, ...]:
        *states, _, x = inputs
        xp = backend.get_array_module(x)
        *gstates, gy = grads
        ghy: Any
        gcy: Any
        ghy, gcy = [*[
            xp.zeros_like(state) if g is None else g
            for g, state in zip(gstates, states, strict=True)], None][:2]
        if gy is None:
            gy = xp.zeros((len(x), self._directions * ghy.shape[2]), x.dtype)
        gx, ghx, gcx, weights = self._layers.backward(gy, ghy, gcy, True)
        gw = xp.concatenate([
            each.ravel() for part in (slice(0, 2), slice(2, 4))
            for group in weights for each in group[part]])
        return (ghx, gw, gx) if gcx is None else (ghx, gcx, gw, gx)


class NStepRNNTanh(BaseNStepRNN):
    """Recurrent units with tanh over a sequence; see :class:`BaseNStepRNN`."""

    def __init__(
            self, n_layers: int, states: Any, lengths: Sequence[int],
            **kwargs: NoReturn) -> None:
        super().__init__(n_layers, states, lengths, 'uni', 'rnn_tanh', **kwargs)


class NStepRNNReLU(BaseNStepRNN):
    """Recurrent units with ReLU over a sequence; see :class:`BaseNStepRNN`."""

    def __init__(
            self, n_layers: int, states: Any, lengths: Sequence[int],
            **kwargs: NoReturn) -> None:
        super().__init__(n_layers, states, lengths, 'uni', 'rnn_relu', **kwargs)


class NStepBiRNNTanh(BaseNStepRNN):
    """Recurrent units with tanh over a sequence in both directions.

    See :class:`BaseNStepRNN`.
    """

    def __init__(
            self, n_layers: int, states: Any, lengths: Sequence[int],
            **kwargs: NoReturn) -> None:
        super().__init__(n_layers, states, lengths, 'bi', 'rnn_tanh', **kwargs)


class NStepBiRNNReLU(BaseNStepRNN):
    """Recurrent units with ReLU over a sequence in both directions.

    See :class:`BaseNStepRNN`.
    """

    def __init__(
            self, n_layers: int, states: Any, lengths: Sequence[int],
            **kwargs: NoReturn) -> None:
        super().__init__(n_layers, states, lengths, 'bi', 'rnn_relu', **kwargs)


# ----------------------------------------------------------------------- the functions

def _as_they_are(w, b):
    return w, b


def _step(activation, x, h, c, w, b):
    return activation(linear.linear(x, w[0], b[0]) + linear.linear(h, w[1], b[1])), c


_CELLS = {
    name: _stacked.Cell(
        'rnn_' + name, _as_they_are, functools.partial(_step, activation))
    for name, activation in (('tanh', tanh.tanh), ('relu', relu.relu))}


def _run(kwargs, activation, use_bi_direction, n_layers, ratio, hx, ws, bs, xs):
    argument.refuse(kwargs, 'train', 'use_cudnn')
    if activation not in tuple(_CELLS):   # it may not be hashable
        raise ValueError(
            "activation must be 'tanh' or 'relu', but is %r" % (activation,))
    check_input_size(ws, xs)
    hy, _, ys = _stacked.stacked_rnn(
        _CELLS[activation], n_layers, ratio, hx, None, ws, bs, xs, use_bi_direction)
    return hy, ys


def n_step_rnn_base(
        n_layers: int, dropout_ratio: float, hx: VariableOrArray,
        ws: Sequence[Sequence[VariableOrArray]],
        bs: Sequence[Sequence[VariableOrArray]], xs: Sequence[VariableOrArray],
        activation: str, use_bi_direction: bool,
        **kwargs: NoReturn) -> tuple[Any, ...]:
    """Runs :func:`~chainer_fast.functions.n_step_rnn` or
    :func:`~chainer_fast.functions.n_step_birnn`.

    Parameters
    ----------
    n_layers, dropout_ratio, hx, ws, bs, xs, activation
        See that function.
    use_bi_direction : bool
        Whether the network has two directions.
    """
    return _run(
        kwargs, activation, use_bi_direction, n_layers, dropout_ratio, hx, ws, bs, xs)


def n_step_rnn(
        n_layers: int, dropout_ratio: float, hx: VariableOrArray,
        ws: Sequence[Sequence[VariableOrArray]],
        bs: Sequence[Sequence[VariableOrArray]], xs: Sequence[VariableOrArray],
        activation: str = 'tanh', **kwargs: NoReturn) -> tuple[Any, ...]:
    """Stacked recurrent units over a batch of sequences.

    With the input :math:`x_t` of a layer at step :math:`t` and its last output
    :math:`h_{t-1}`,

    .. math:: h_t = f(W_0 x_t + W_1 h_{t-1} + b_0 + b_1),

    where :math:`f` is the hyperbolic tangent or the rectifier. The outputs of a layer
    are the inputs of the next one; in training mode, dropout is applied to them.

    See: J. L. Elman, `Finding Structure in Time
    <https://doi.org/10.1207/s15516709cog1402_1>`_, 1990.

    Parameters
    ----------
    n_layers : int
        Number of layers ``L``.
    dropout_ratio : float
        Ratio of the dropout, in ``[0, 1)``.
    hx : Variable or array
        Outputs before the first step, of shape ``(L, B, n)``.
    ws : list of list
        For each layer the two matrices, :math:`W_0` of shape ``(n, m)`` in the first
        layer, all others of shape ``(n, n)``.
    bs : list of list
        For each layer the two biases of shape ``(n,)``.
    xs : list of Variable or array
        Input of each step, of shape ``(B_t, m)``. The sequences are sorted from the
        longest to the shortest, and each step has the samples of the sequences that
        have not ended: ``B_t`` never grows. See
        :func:`~chainer_fast.functions.transpose_sequence`.
    activation : str
        'tanh' or 'relu'.

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
        If the inputs and the first layer's weights differ in size, the ratio is out of
        range with several layers in training mode, the activation is unknown, or a
        retired argument such as ``train`` is given.
    TypeError
        If another unknown argument is given.
    IndexError
        If there are too few weights, biases or states, or no inputs.

    See Also
    --------
    chainer_fast.functions.n_step_birnn
    chainer_fast.functions.n_step_gru
    chainer_fast.links.NStepRNNTanh
    chainer_fast.links.NStepRNNReLU

    Examples
    --------
    >>> hx = np.zeros((1, 1, 1), np.float32)
    >>> ws = [[np.ones((1, 1), np.float32)] * 2]
    >>> bs = [[np.zeros(1, np.float32)] * 2]
    >>> xs = [np.ones((1, 1), np.float32)] * 3
    >>> hy, ys = F.n_step_rnn(1, 0., hx, ws, bs, xs, activation='relu')
    >>> F.concat(ys, axis=0).array
    array([[1.],
           [2.],
           [3.]], dtype=float32)
    """
    return _run(
        kwargs, activation, False, n_layers, dropout_ratio, hx, ws, bs, xs)


def n_step_birnn(
        n_layers: int, dropout_ratio: float, hx: VariableOrArray,
        ws: Sequence[Sequence[VariableOrArray]],
        bs: Sequence[Sequence[VariableOrArray]], xs: Sequence[VariableOrArray],
        activation: str = 'tanh', **kwargs: NoReturn) -> tuple[Any, ...]:
    """Stacked recurrent units over a batch of sequences, in both directions.

    Each layer consists of two layers of :func:`~chainer_fast.functions.n_step_rnn`, one
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
        For each direction of each layer the two matrices, of shape ``(n, m)`` or ``(n,
        n)`` as in that function; after the first layer, those for the input have the
        shape ``(n, 2 n)``.
    bs : list of list
        For each direction of each layer the two biases.
    xs : list of Variable or array
        Input of each step, as in that function.
    activation : str
        'tanh' or 'relu'.
    **kwargs
        Ignored.

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
        If the inputs and the first layer's weights differ in size, the ratio is out of
        range with several layers in training mode, or the activation is unknown.
    IndexError
        If there are too few weights, biases or states, or no inputs.

    See Also
    --------
    chainer_fast.functions.n_step_rnn
    chainer_fast.functions.n_step_gru
    chainer_fast.links.NStepBiRNNTanh
    chainer_fast.links.NStepBiRNNReLU

    Examples
    --------
    >>> hx = np.zeros((2, 1, 1), np.float32)
    >>> ws = [[np.ones((1, 1), np.float32)] * 2] * 2
    >>> bs = [[np.zeros(1, np.float32)] * 2] * 2
    >>> xs = [np.ones((1, 1), np.float32)] * 3
    >>> hy, ys = F.n_step_birnn(1, 0., hx, ws, bs, xs, activation='relu')
    >>> F.concat(ys, axis=0).array
    array([[1., 3.],
           [2., 2.],
           [3., 1.]], dtype=float32)
    """
    return _run({}, activation, True, n_layers, dropout_ratio, hx, ws, bs, xs)


def n_step_rnn_impl(
        f: Callable[..., Any], n_layers: int, dropout_ratio: float,
        hx: VariableOrArray, cx: VariableOrArray | None, ws: Sequence[Any],
        bs: Sequence[Any], xs: Sequence[VariableOrArray],
        use_bi_direction: bool) -> tuple[Any, ...]:
    """Applies stacked layers of any kind of cell to a batch of sequences.

    Parameters
    ----------
    f : callable
        Function of the input of a step, the last output and cell, and the weights and
        biases of a layer. It returns the next output and cell.
    n_layers, dropout_ratio, hx, cx, xs
        As for :func:`~chainer_fast.functions.n_step_lstm`. ``cx`` may be ``None``; all
        cells are then ``None``.
    ws, bs : list
        Weights and biases for each direction of each layer, of any kind.
    use_bi_direction : bool
        Whether the network has two directions.

    Returns
    -------
    tuple
        Last outputs, last cells or ``None``, and a tuple of the outputs of each step.
    """
    return _stacked.compose(
        f, n_layers, 2 if use_bi_direction else 1, hx, cx, ws, bs, list(xs),
        functools.partial(_stacked.drop_sequence, dropout_ratio, None))
