"""One step of a scan, for each kind of cell.

A step takes the gates, whose values replace their inputs; the last state's part of
them and its bias; the state and the cell, which are replaced; and arrays for what the
gradient needs.

A gradient takes the values of the gates, the last state and what was kept for it; the
gradients of the new state and cell, which are replaced by those of the last ones,
without what goes through the last state's part of the gates; and arrays for the
gradients of the gates and of that part.
"""
import typing as tp

from chainer_fast.backends.cuda import get_array_module
from chainer_fast.backends.kernels.recurrent.gates import (
    cell_grad,
    output_grad,
    sigmoid,
    tree_gates,
)


def _lstm_step(gates, part, bias, h, c, c_prev, tanh_c):
    xp = get_array_module(gates)
    gates += part
    i, f, a, o = tree_gates(gates, 4)
    for gate in (i, f, o):
        gate[...] = sigmoid(gate)
    xp.tanh(a, out=a)
    c_prev[...] = c
    c[...] = f * c + i * a
    tanh_c[...] = xp.tanh(c)
    h[...] = o * tanh_c


def _lstm_step_grad(gates, h_prev, c_prev, tanh_c, gh, gc, gx, gr):
    i, f, a, o = tree_gates(gates, 4)
    gi, gf, ga, go = tree_gates(gx, 4)
    gc_step, go[...] = output_grad(o, tanh_c, gc, gh)
    gc[...], ga[...], gi[...], gf[...] = cell_grad(gc_step, c_prev, a, i, f)
    gh[...] = 0


def _gru_step(gates, part, bias, h, c, recurrent):
    n = h.shape[1]
    gates[:, :2 * n] += part[:, :2 * n]
    r, z, new = tree_gates(gates, 3)
    for gate in (r, z):
        gate[...] = sigmoid(gate)
    recurrent[...] = part[:, 2 * n:] + bias
    new += r * recurrent
    get_array_module(gates).tanh(new, out=new)
    h[...] = (1 - z) * new + z * h


def _gru_step_grad(gates, h_prev, recurrent, gh, gc, gx, gr):
    r, z, new = tree_gates(gates, 3)
    gx_r, gx_z, gx_new = tree_gates(gx, 3)
    gx_new[...] = gh * (1 - z) * (1 - new * new)
    gx_z[...] = gh * (h_prev - new) * z * (1 - z)
    gx_r[...] = gx_new * recurrent * r * (1 - r)
    gr[...] = gx
    gr[:, 2 * h_prev.shape[1]:] *= r
    gh *= z


def _tanh_step(gates, part, bias, h, c):
    gates += part
    get_array_module(gates).tanh(gates, out=gates)
    h[...] = gates


def _tanh_step_grad(gates, h_prev, gh, gc, gx, gr):
    gx[...] = gh * (1 - gates * gates)
    gh[...] = 0


def _relu_step(gates, part, bias, h, c):
    gates += part
    get_array_module(gates).maximum(gates, 0, out=gates)
    h[...] = gates


def _relu_step_grad(gates, h_prev, gh, gc, gx, gr):
    gx[...] = gh * (gates > 0)
    gh[...] = 0


# Of each kind of cell: a step, its gradient, and how many arrays the trace holds
# beyond the gates and the states before each step.
CELLS: dict[str, tuple[tp.Callable[..., tp.Any], tp.Callable[..., tp.Any], int]] = {
    'lstm': (_lstm_step, _lstm_step_grad, 2),
    'gru': (_gru_step, _gru_step_grad, 1),
    'rnn_tanh': (_tanh_step, _tanh_step_grad, 0),
    'rnn_relu': (_relu_step, _relu_step_grad, 0),
}
