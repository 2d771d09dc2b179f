"""Steps of recurrent networks, and whole sequences of steps.

A cell of one step comes with its inputs projected already. A scan goes through a
sequence: it adds the projection of the last state at each step, and keeps a trace from
which its gradient is computed without another hyperbolic tangent.
"""
from __future__ import annotations

import typing as tp

from chainer_fast.backends.cuda import get_array_module
from chainer_fast.backends.kernels import array, kernel, reduction
from chainer_fast.backends.kernels.recurrent import compiled as _compiled
from chainer_fast.backends.kernels.recurrent import cuda as _device
from chainer_fast.backends.kernels.recurrent import cuda_scan as _scans
from chainer_fast.backends.kernels.recurrent.compiled import (
    CellShortcut as CellShortcut,
)
from chainer_fast.backends.kernels.recurrent.gates import (
    activate,
    cell_grad,
    extract_gates,
    output_grad,
    rows_of_steps,
    sigmoid,
    tree_gates,
)
from chainer_fast.backends.kernels.recurrent.steps import CELLS
from chainer_fast.types import NdArray


def _interleave(gates, out):
    for target, gate in zip(extract_gates(out), gates, strict=True):
        target[...] = gate


@kernel(compiled=_compiled.lstm, device=_device.lstm, in_single=True)
def lstm(c_prev: NdArray, x: NdArray) -> tuple[NdArray, ...]:
    """One step of a long short-term memory.

    Parameters
    ----------
    c_prev : array
        Cells, of shape ``(B, n, ...)``.
    x : array
        Projections ``(b, 4 n, ...)`` of at most ``B`` samples, gates alternating.

    Returns
    -------
    tuple of array
        New cells, equal to the old ones after the first ``b``, and ``b`` outputs.
    """
    batch = len(x)
    a, i, f, o = activate(x)
    c = c_prev.copy()
    c[:batch] = a * i + f * c_prev[:batch]
    return c, o * get_array_module(x).tanh(c[:batch])


@kernel(compiled=_compiled.lstm_grad, device=_device.lstm_grad, in_single=True)
def lstm_grad(
        c_prev: NdArray, x: NdArray, c: NdArray, gc: NdArray,
        gh: NdArray) -> tuple[NdArray, NdArray]:
    """Gradients of :func:`lstm` by its inputs, given those of its outputs.

    ``c`` are the new cells; ``gc`` and ``gh`` may be None.
    """
    xp = get_array_module(x)
    batch = len(x)
    a, i, f, o = activate(x)
    # Scalars of the arrays' own dtype replace missing gradients.
    zero = x.dtype.type(0)
    gc_step, go = output_grad(
        o, xp.tanh(c[:batch]), zero if gc is None else gc[:batch],
        zero if gh is None else gh)
    gc_prev = xp.zeros_like(c_prev) if gc is None else gc.copy()
    gc_prev[:batch], ga, gi, gf = cell_grad(gc_step, c_prev[:batch], a, i, f)
    gx = xp.empty(x.shape, x.dtype)
    _interleave((ga, gi, gf, go), gx)
    return gc_prev, gx


@kernel(compiled=_compiled.slstm, device=_device.slstm, in_single=True)
def slstm(
        c_prev1: NdArray, c_prev2: NdArray, x1: NdArray,
        x2: NdArray) -> tuple[NdArray, ...]:
    """One step of two memories that share a cell and an output gate.

    Parameters
    ----------
    c_prev1, c_prev2 : array
        Cells, of shape ``(B, n, ...)``.
    x1, x2 : array
        Projections ``(B, 4 n, ...)``, gates alternating.

    Returns
    -------
    tuple of array
        New cells and outputs.
    """
    xp = get_array_module(x1)
    a1, i1, f1, o1 = extract_gates(x1)
    a2, i2, f2, o2 = extract_gates(x2)
    c = (sigmoid(i1) * xp.tanh(a1) + sigmoid(i2) * xp.tanh(a2)
         + sigmoid(f1) * c_prev1 + sigmoid(f2) * c_prev2)
    return c, sigmoid(o1 + o2) * xp.tanh(c)


@kernel(compiled=_compiled.slstm_grad, device=_device.slstm_grad, in_single=True)
def slstm_grad(
        c_prev1: NdArray, c_prev2: NdArray, x1: NdArray, x2: NdArray, c: NdArray,
        gc: NdArray, gh: NdArray) -> tuple[NdArray, ...]:
    """Gradients of :func:`slstm` by its inputs, given those of its outputs.

    ``c`` are the new cells; ``gc`` and ``gh`` may be None.
    """
    xp = get_array_module(x1)
    zero = x1.dtype.type(0)
    o = sigmoid(extract_gates(x1)[3] + extract_gates(x2)[3])
    gc_step, go = output_grad(
        o, xp.tanh(c), zero if gc is None else gc, zero if gh is None else gh)
    gc_prevs, gxs = [], []
    for c_prev, x in ((c_prev1, x1), (c_prev2, x2)):
        a, i, f, _ = activate(x)
        gc_prev, ga, gi, gf = cell_grad(gc_step, c_prev, a, i, f)
        gx = xp.empty(x.shape, x.dtype)
        _interleave((ga, gi, gf, go), gx)
        gc_prevs.append(gc_prev)
        gxs.append(gx)
    return (*gc_prevs, *gxs)


@kernel(compiled=_compiled.tree_lstm, device=_device.tree_lstm, in_single=True)
def tree_lstm(x: NdArray, *cs: NdArray) -> tuple[NdArray, ...]:
    """One step of a memory of a tree.

    Parameters
    ----------
    x : array
        Projections ``(B, (3 + len(cs)) n)``: the gates ``a, i, o`` and one ``f`` for
        each child, one after the other.
    *cs : array
        Cells of the children, of shape ``(B, n)``.

    Returns
    -------
    tuple of array
        Values of the gates in the shape of ``x``, new cells, and outputs.
    """
    xp = get_array_module(x)
    n = cs[0].shape[1]
    gates = sigmoid(x)
    gates[:, :n] = xp.tanh(x[:, :n])
    a, i, o, *fs = tree_gates(gates, 3 + len(cs))
    c = a * i + sum([f * child for f, child in zip(fs, cs, strict=True)])
    return gates, c, o * xp.tanh(c)


@kernel(
    compiled=_compiled.tree_lstm_grad, device=_device.tree_lstm_grad, in_single=True)
def tree_lstm_grad(
        gates: NdArray, c: NdArray, gc: NdArray, gh: NdArray,
        *cs: NdArray) -> tuple[NdArray, ...]:
    """Gradients of :func:`tree_lstm` by the cells of the children and ``x``.

    ``gates`` and ``c`` are what it returned; ``gc`` and ``gh`` may be None.
    """
    xp = get_array_module(gates)
    zero = c.dtype.type(0)
    gx = xp.empty(gates.shape, gates.dtype)
    a, i, o, *fs = tree_gates(gates, 3 + len(cs))
    ga, gi, go, *gfs = tree_gates(gx, 3 + len(cs))
    gc_step, go[...] = output_grad(
        o, xp.tanh(c), zero if gc is None else gc, zero if gh is None else gh)
    gcs = []
    for f, child, gf in zip(fs, cs, gfs, strict=True):
        gc_child, ga[...], gi[...], gf[...] = cell_grad(gc_step, child, a, i, f)
        gcs.append(gc_child)
    return (*gcs, gx)


# ------------------------------------------------------------------------------ scans

@kernel(compiled=_compiled.scan, device=_scans.scan)
def scan(
        gates: NdArray, weight: NdArray, bias: NdArray | None, hx: NdArray,
        cx: NdArray | None, sizes: tp.Sequence[int], mode: str,
        reverse: bool) -> tuple[NdArray, NdArray, NdArray | None, tuple[NdArray, ...]]:
    """States of a recurrent layer along a sequence.

    Parameters
    ----------
    gates : array
        Projections of the inputs with all biases but ``bias``, a row for each sample of
        each step, steps one after the other; ``n`` columns for each gate: ``i, f, a,
        o`` of 'lstm', ``r, z, h`` of 'gru'. Overwritten.
    weight : array
        Weight of the last state for all gates, of shape ``(gates * n, n)``.
    bias : array or None
        Recurrent bias of the new state of 'gru'.
    hx, cx : array or None
        First states and cells ``(B, n)``; there are no cells unless it is 'lstm'.
    sizes : tuple of int
        Number of samples in each step, never growing and ``B`` at most.
    mode : str
        'lstm', 'gru', 'rnn_tanh' or 'rnn_relu'.
    reverse : bool
        Whether to go from the last step to the first.

    Returns
    -------
    ys : array
        State after each step, one row for each of the projections.
    hy, cy : array or None
        Last states and cells.
    trace : tuple of array
        The input of :func:`scan_grad`.
    """
    xp = get_array_module(gates)
    step, _, n_extra = CELLS[mode]
    hy = hx.copy()
    cy = None if cx is None else cx.copy()
    shape = len(gates), hx.shape[1]
    ys, h_prev, *extra = [
        xp.empty(shape, gates.dtype) for _ in range(2 + n_extra)]
    for rows in rows_of_steps(sizes, reverse):
        size = rows.stop - rows.start
        h = hy[:size]
        h_prev[rows] = h
        step(gates[rows], h.dot(weight.T), bias, h, None if cy is None else cy[:size],
             *[each[rows] for each in extra])
        ys[rows] = h
    return ys, hy, cy, (gates, h_prev, *extra)


@kernel(compiled=_compiled.scan_grad, device=_scans.scan_grad)
def scan_grad(
        gys: NdArray, trace: tp.Any, weight: NdArray, ghy: NdArray,
        gcy: NdArray | None, sizes: tp.Sequence[int], mode: str,
        reverse: bool) -> tuple[NdArray, NdArray, NdArray, NdArray | None]:
    """Gradients of :func:`scan`, given those of its outputs.

    Parameters
    ----------
    gys : array
        Gradient of ``ys``.
    trace : tuple of array
        What ``scan`` returned.
    weight : array
        Weight of the last state.
    ghy, gcy : array or None
        Gradients of the last states and cells.
    sizes, mode, reverse
        As in ``scan``.

    Returns
    -------
    gx : array
        Gradient of the projections.
    gr : array
        Gradient of the last state's projections: ``gx`` itself unless it is 'gru'.
    ghx, gcx : array or None
        Gradients of the first states and cells.
    """
    xp = get_array_module(gys)
    _, step_grad, _ = CELLS[mode]
    gates, h_prev, *extra = trace
    ghx = ghy.copy()
    gcx = None if gcy is None else gcy.copy()
    gx = xp.empty_like(gates)
    gr = xp.empty_like(gates) if mode == 'gru' else gx
    for rows in reversed(rows_of_steps(sizes, reverse)):
        size = rows.stop - rows.start
        gh = ghx[:size]
        gh += gys[rows]
        step_grad(
            gates[rows], h_prev[rows], *[each[rows] for each in extra], gh,
            None if gcx is None else gcx[:size], gx[rows], gr[rows])
        gh += gr[rows].dot(weight)
    return gx, gr, ghx, gcx


# ----------------------------------------------------------------------------- layers

def _join_weights(ws):
    """Matrices or biases of all gates for the input, and those for the last state."""
    half = len(ws) // 2
    return [group[0] if half == 1 else array.join(group[0], group, 0)
            for group in (ws[:half], ws[half:])]


@kernel(compiled=_compiled.layer, device=_scans.layer)
def layer(
        x: NdArray, ws: tp.Sequence[NdArray], bs: tp.Sequence[NdArray],
        hx: NdArray, cx: NdArray | None, sizes: tp.Sequence[int], mode: str,
        reverse: bool) -> tuple[NdArray, NdArray, NdArray | None, tp.Any]:
    """States of a recurrent layer, in one direction, along a sequence.

    Parameters
    ----------
    x : array
        Inputs ``(N, m)``, a row for each sample of each step, steps one after the
        other.
    ws, bs : list of array
        Matrices ``(n, m)`` of each gate for the input, then those ``(n, n)`` for the
        last state; and as many biases ``(n,)``. Each half may be one array
        instead, of all gates joined.
    hx, cx : array or None
        First states and cells ``(B, n)``; there are no cells unless it is 'lstm'.
    sizes, mode, reverse
        As in :func:`scan`.

    Returns
    -------
    ys : array
        State after each step, of shape ``(N, n)``.
    hy, cy : array or None
        Last states and cells.
    trace : object
        An input of :func:`layer_grad`.
    """
    w_x, w_h = _join_weights(ws)
    bias, b_h = _join_weights(bs)
    b_new = None
    if mode == 'gru':
        # The last state's part of the new state has a separate bias.
        n = hx.shape[1]
        b_new, bias = b_h[2 * n:], bias.copy()
        bias[:2 * n] += b_h[:2 * n]
    else:
        bias = bias + b_h
    gates = x.dot(w_x.T)
    gates += bias
    ys, hy, cy, trace = scan(gates, w_h, b_new, hx, cx, sizes, mode, reverse)
    return ys, hy, cy, (w_x, w_h, trace)


@kernel(compiled=_compiled.layer_grad)
def layer_grad(
        gys: NdArray, trace: tp.Any, x: NdArray, ghy: NdArray | None,
        gcy: NdArray | None, sizes: tp.Sequence[int], mode: str, reverse: bool,
        wants_gx: bool,
) -> tuple[NdArray | None, NdArray | None, NdArray | None, tuple[NdArray, ...]]:
    """Gradients of :func:`layer`, given those of its outputs.

    Parameters
    ----------
    gys : array
        Gradient of ``ys``.
    trace : object
        What ``layer`` returned.
    x : array
        As it was given to it.
    ghy, gcy : array or None
        Gradients of the last states and cells.
    sizes, mode, reverse
        As in ``layer``.
    wants_gx : bool
        Whether the gradient of the inputs is requested.

    Returns
    -------
    gx : array or None
        Gradient of the inputs.
    ghx, gcx : array or None
        Gradients of the first states and cells.
    weights : tuple of array
        Gradients of the matrices of all gates, joined along the first axis, for the
        input and for the last state, and of the biases likewise.
    """
    w_x, w_h, steps = trace
    g_gates, g_recurrent, ghx, gcx = scan_grad(
        gys, steps, w_h, ghy, gcy, sizes, mode, reverse)
    gb_x = reduction.total(g_gates, 0)
    # A copy, since gradients may be scaled in place.
    gb_h = gb_x.copy() if g_recurrent is g_gates else reduction.total(g_recurrent, 0)
    gw_x, gw_h = g_gates.T.dot(x), g_recurrent.T.dot(steps[1])
    return (g_gates.dot(w_x) if wants_gx else None, ghx, gcx,
            (gw_x, gw_h, gb_x, gb_h))
