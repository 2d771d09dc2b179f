from __future__ import annotations

from chainer_fast import backend
from chainer_fast.backends.kernels import record, recurrent
from chainer_fast.configuration import config
from chainer_fast.function import Function
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions.rnn import _second_order
from chainer_fast.graph_optimizations._processor import builders
from chainer_fast.types import GradArrays, NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray, as_variable

_extract_gates = recurrent.extract_gates


def _sigmoid(x, xp=None):
    """Return the sigmoid of an array of any module."""
    return recurrent.sigmoid(x)


def check_gates(c_type, x_type) -> None:
    """Expect ``x`` to have four gates for each of the cells ``c``."""
    type_check.expect(c_type.ndim >= 2, x_type.ndim == c_type.ndim)
    type_check.expect(c_type.dtype.kind == 'f', c_type.dtype == x_type.dtype)
    type_check.expect(x_type.shape[1] == 4 * c_type.shape[1])
    for d in range(2, type_check.eval(x_type.ndim)):
        type_check.expect(c_type.shape[d] == x_type.shape[d])


def _array(variable):
    return None if variable is None else variable.array


@record(recurrent.CellShortcut(1), plan=builders.LSTM)
class LSTM(FunctionNode):
    """Gates, cell and output of one step of a long short-term memory.

    Its two outputs are the new cell and the output of the step.
    """

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check._argname(in_types, ('c', 'x'))
        check_gates(*in_types)
        cells, samples = [each.shape[0] for each in in_types]
        type_check.expect(samples <= cells)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0, 1))
        self.retain_outputs((0,))
        return recurrent.lstm(*inputs)

    def backward(
            self, indexes: tuple[int, ...],
            grads: GradOutputs) -> tuple[Variable | None, ...]:
        c_prev, x = self.get_retained_inputs()
        c, = self.get_retained_outputs()
        if config.enable_backprop:
            return LSTMGrad()(c_prev, x, c, *grads)
        gradients = recurrent.lstm_grad(
            c_prev.array, x.array, c.array, *map(_array, grads))
        return tuple(map(as_variable, gradients))


class LSTMGrad(Function):
    """Gradient of :class:`LSTM`.

    The inputs are those of the function, its first output, and the gradients of its
    outputs, which may be ``None``.
    """

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        return recurrent.lstm_grad(*inputs)

    def backward(
            self, inputs: tuple[NdArray, ...],
            grads: GradArrays) -> tuple[NdArray | None, ...]:
        c_prev, x, c, gc, gh = inputs
        xp = backend.get_array_module(x)
        batch = len(x)
        ggc_prev, ggx = grads
        if ggx is None:
            ggx = xp.zeros_like(x)
        if ggc_prev is None:
            ggc_prev = xp.zeros_like(c_prev)
        zero = x.dtype.type(0)

        by_x = xp.empty(x.shape, x.dtype)
        by_gates = _extract_gates(by_x)
        by_c_prev = xp.zeros_like(c_prev)
        by_c = xp.zeros_like(c)
        by_gc = ggc_prev.copy()
        by_gh = xp.empty(c_prev[:batch].shape, x.dtype)
        operands = (
            c_prev[:batch], *_extract_gates(x), c[:batch],
            zero if gc is None else gc[:batch], zero if gh is None else gh,
            ggc_prev[:batch], *_extract_gates(ggx),
            by_c_prev[:batch], *by_gates, by_c[:batch], by_gc[:batch], by_gh)
        lstm_grad_grad(*operands)
        return (by_c_prev, by_x, by_c, None if gc is None else by_gc,
                None if gh is None else by_gh)


def lstm(c_prev: VariableOrArray, x: VariableOrArray) -> tuple[Variable, ...]:
    """One step of a long short-term memory, after its affine maps.

    The second axis of ``x`` contains the interleaved inputs of four gates:
    ``a, i, f, o = x[:, 0::4], x[:, 1::4], x[:, 2::4], x[:, 3::4]``. With them,

    .. math::

        c &= \\tanh(a) \\sigma(i) + c_{\\text{prev}} \\sigma(f), \\\\
        h &= \\tanh(c) \\sigma(o),

    elementwise. ``x`` is usually the sum of affine maps of the input of the step and of
    the last output.

    See: `Long short-term memory <https://doi.org/10.1162/neco.1997.9.8.1735>`_

    Parameters
    ----------
    c_prev : Variable or array
        Cells of shape ``(B, n, ...)`` and a floating dtype.
    x : Variable or array
        Array of shape ``(b, 4 n, ...)`` and the dtype of ``c_prev``. There may be fewer
        samples than cells: the sequences of the remaining cells have ended, and these
        cells do not change.

    Returns
    -------
    tuple of Variable
        The new cells of shape ``(B, n, ...)``, and the outputs of shape
        ``(b, n, ...)``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If dtypes or shapes do not match.

    See Also
    --------
    chainer_fast.functions.slstm
    chainer_fast.functions.n_step_lstm
    chainer_fast.links.LSTM
    chainer_fast.links.StatelessLSTM

    Examples
    --------
    >>> c_prev = np.array([[2.]], np.float32)
    >>> x = np.full((1, 4), 100., np.float32)       # all gates are open
    >>> c, h = F.lstm(c_prev, x)
    >>> c.array, h.array                            # 1 + 2, and its tanh
    (array([[3.]], dtype=float32), array([[0.9951]], dtype=float32))
    """
    return LSTM().apply((c_prev, x))


def lstm_grad_grad(
        c_prev: NdArray, a: NdArray, i: NdArray, f: NdArray, o: NdArray, c: NdArray,
        gc: NdArray, gh: NdArray, ggc_prev: NdArray, gga: NdArray, ggi: NdArray,
        ggf: NdArray, ggo: NdArray, gc_prev: NdArray, ga: NdArray, gi: NdArray,
        gf: NdArray, go: NdArray, gc_next: NdArray, ggc: NdArray,
        ggh: NdArray) -> tuple[NdArray, ...]:
    """Gradient of the gradient of an LSTM's step.

    Parameters
    ----------
    c_prev, a, i, f, o, c : array
        Old cell, inputs of the gates before their activation, and new cell.
    gc, gh : array
        Gradients of the new cell and the output.
    ggc_prev, gga, ggi, ggf, ggo : array
        Gradients with respect to the gradients of the old cell and the gates.
    gc_prev, ga, gi, gf, go, gc_next, ggc, ggh : array
        Output arrays for the gradients with respect to the first eight arguments.

    Returns
    -------
    tuple of array
        The last eight arguments.
    """
    xp = backend.get_array_module(a)
    a, tanh_c = xp.tanh(a), xp.tanh(c)
    i, f, o = recurrent.sigmoid(i), recurrent.sigmoid(f), recurrent.sigmoid(o)
    gc_step, _ = recurrent.output_grad(o, tanh_c, gc, gh)
    ggc[...], gc_prev[...], ga[...], gi[...], gf[...] = _second_order.cell(
        gc_step, c_prev, a, i, f, ggc_prev, gga, ggi, ggf)
    go[...], gc_next[...], ggh[...] = _second_order.output(o, tanh_c, gh, ggc, ggo)
    return gc_prev, ga, gi, gf, go, gc_next, ggc, ggh
