"""Recurrent layers on a GPU: for each step a product, and a kernel for all the rest.

Kernels index arrays themselves: `here` is the unit `i` of a step in arrays with a row
for each sample of each step, and `from` and `into` are its first gate in `part`, which
has the rows of this step alone, and in `gates`.
"""
from __future__ import annotations

import collections
import functools
import typing as tp

from chainer_fast.backends import cuda
from chainer_fast.backends.kernels.recurrent.cuda import kernel
from chainer_fast.backends.kernels.recurrent.gates import rows_of_steps
from chainer_fast.types import NdArray

_PLACES = '''
    const ptrdiff_t here = i + start;
    const ptrdiff_t from = i / units * (COUNT - 1) * units + i;
    const ptrdiff_t into = from + start * COUNT;
'''

_Cell = collections.namedtuple(
    '_Cell', 'count, kept, inputs, states, step, grad_inputs, grad_states, grad')

# For each kind of cell: the number of gates; the number of arrays kept for the gradient
# in addition to gates and last states; then, for a step and for its gradient, the
# parameters that not all cells have, and the code.
_CELLS = {
    'lstm': _Cell(4, 2, '', ', raw T c_prev, raw T tanh_c, raw T c', '''
        const T in = Sigmoid::of(T(gates[into] + part[from]));
        const T f = Sigmoid::of(T(gates[into + units] + part[from + units]));
        const T a = tanh(T(gates[into + 2 * units] + part[from + 2 * units]));
        const T o = Sigmoid::of(T(gates[into + 3 * units] + part[from + 3 * units]));
        gates[into] = in;
        gates[into + units] = f;
        gates[into + 2 * units] = a;
        gates[into + 3 * units] = o;
        c_prev[here] = c[i];
        c[i] = next_cell<T>(a, in, f, c_prev[here]);
        tanh_c[here] = tanh(c[i]);
        const T state = o * tanh_c[here];
    ''', ', raw T c_prev, raw T tanh_c', ', raw T gc', '''
        const T a = gates[into + 2 * units], in = gates[into];
        const T f = gates[into + units], o = gates[into + 3 * units];
        T gc_step, ga, gi, gf, go;
        output_grad<T>(o, tanh_c[here], gc[i], g, gc_step, go);
        input_grad<T>(gc_step, a, in, ga, gi);
        kept_grad<T>(gc_step, f, c_prev[here], gc[i], gf);
        gx[into] = gi;
        gx[into + units] = gf;
        gx[into + 2 * units] = ga;
        gx[into + 3 * units] = go;
    '''),
    'gru': _Cell(3, 1, ', raw T bias', ', raw T recurrent', '''
        const T r = Sigmoid::of(T(gates[into] + part[from]));
        const T z = Sigmoid::of(T(gates[into + units] + part[from + units]));
        recurrent[here] = part[from + 2 * units] + bias[i % units];
        const T new_h = tanh(T(gates[into + 2 * units] + T(r * recurrent[here])));
        gates[into] = r;
        gates[into + units] = z;
        gates[into + 2 * units] = new_h;
        const T state = next_state<T>(z, new_h, h[i]);
    ''', ', raw T h_prev, raw T recurrent', ', raw T gr, raw T kept', '''
        const T r = gates[into], z = gates[into + units];
        const T new_h = gates[into + 2 * units];
        const T g_all = g + kept[i];
        T g_r, g_z, g_new;
        state_grad<T>(g_all, r, z, new_h, h_prev[here], recurrent[here], g_r, g_z,
                      g_new);
        gx[into] = gr[into] = g_r;
        gx[into + units] = gr[into + units] = g_z;
        gx[into + 2 * units] = g_new;
        gr[into + 2 * units] = g_new * r;
        kept[i] = g_all * z;
    '''),
    'rnn_tanh': _Cell(1, 0, '', '', '''
        const T state = gates[into] = tanh(T(gates[into] + part[from]));
    ''', '', '', 'gx[into] = Tanh::grad<T>(gates[into], g);'),
    'rnn_relu': _Cell(1, 0, '', '', '''
        const T state = gates[into] = ReLU::of(T(gates[into] + part[from]));
    ''', '', '', 'gx[into] = ReLU::grad<T>(gates[into], g);'),
}


def _scan_kernel(cell, inputs, outputs, code, name):
    return kernel(
        inputs + ', int64 start, int64 units', outputs,
        _PLACES.replace('COUNT', str(cell.count)) + code, name)


def scan(
        gates: NdArray, weight: NdArray, bias: NdArray | None, hx: NdArray,
        cx: NdArray | None, sizes: tp.Sequence[int], mode: str,
        reverse: bool) -> tuple[NdArray, NdArray, NdArray | None, tuple[NdArray, ...]]:
    h, c = _copies(hx, cx)
    return _scan(gates, weight, bias, h, c, sizes, mode, reverse)


def _scan(gates, weight, bias, h, c, sizes, mode, reverse):
    """Scan; the first states and cells are replaced by the last ones."""
    cell, n = _CELLS[mode], h.shape[1]
    step = _scan_kernel(
        cell, 'raw T part' + cell.inputs,
        'raw T gates, raw T h, raw T ys, raw T h_prev' + cell.states,
        cell.step + 'h_prev[here] = h[i]; h[i] = ys[here] = state;', mode + '_step')
    ys, h_prev, *kept = [
        cuda.cupy.empty((len(gates), n), gates.dtype) for _ in range(2 + cell.kept)]
    parts = cuda.cupy.empty((max(sizes), cell.count * n), gates.dtype)
    inputs = (parts,) if bias is None else (parts, bias)
    outputs = [gates, h, ys, h_prev, *kept] + ([] if c is None else [c])
    for rows in rows_of_steps(sizes, reverse):
        size = rows.stop - rows.start
        if size:
            h[:size].dot(weight.T, parts[:size])
            step(*inputs, rows.start * n, n, *outputs, size=size * n)
    return ys, h, c, (gates, h_prev, *kept)


def scan_grad(
        gys: NdArray, trace: tp.Any, weight: NdArray, ghy: NdArray, gcy: NdArray,
        sizes: tp.Sequence[int], mode: str,
        reverse: bool) -> tuple[NdArray, NdArray, NdArray, NdArray | None]:
    cell, n = _CELLS[mode], ghy.shape[1]
    step = _scan_kernel(
        cell, 'raw T gates, raw T gys' + cell.grad_inputs,
        'raw T gh, raw T gx' + cell.grad_states,
        'const T g = gh[i] + gys[here];' + cell.grad, mode + '_step_grad')
    gates, h_prev, *kept = trace
    ghx, gcx = _copies(ghy, gcy)
    gx = gr = cuda.cupy.empty(gates.shape, gates.dtype)
    inputs, outputs = [gates, gys, *kept], [ghx, gx]
    if mode == 'lstm':
        outputs.append(gcx)
    elif mode == 'gru':
        # What goes to the last state past the product, which overwrites `ghx`.
        past = cuda.cupy.zeros(ghx.shape, ghx.dtype)
        gr = cuda.cupy.empty(gates.shape, gates.dtype)
        inputs.insert(2, h_prev)
        outputs += [gr, past]
    for rows in reversed(rows_of_steps(sizes, reverse)):
        size = rows.stop - rows.start
        if size:
            step(*inputs, rows.start * n, n, *outputs, size=size * n)
            gr[rows].dot(weight, ghx[:size])
    if mode == 'gru':
        ghx += past
    return gx, gr, ghx, gcx


# ----------------------------------------------------------------------------- layers

@functools.cache
def _row_kernel(parameters, states):
    """Kernel that copies arrays one after the other, or sums of so many arrays each."""
    params, code = [], []
    for k, terms in enumerate((*parameters, *states)):
        names = ['x%d_%d' % (k, term) for term in range(terms)]
        params += ['raw T ' + name for name in names]
        code.append('if ((place -= %s) < size%d) %s = T(%s);' % (
            'size%d' % (k - 1) if k else '0', k,
            'parameters[i]' if k < len(parameters) else 'states[i - size]',
            ' + '.join([name + '[place]' for name in names])))
    params += ['int64 size%d' % k for k in range(len(code))]
    return kernel(
        ', '.join(params) + ', int64 size', 'raw T parameters, raw T states',
        'ptrdiff_t place = i;' + ' else '.join(code), 'in_a_row')


def _in_a_row(parameters, states):
    """Copies of parameters, and of states, one after the other, by one launch.

    Each is a tuple of arrays, which are added up.
    """
    pieces = *parameters, *states
    sizes = [each[0].size for each in pieces]
    size = sum(sizes[:len(parameters)])
    rows = [cuda.cupy.empty(n, pieces[0][0].dtype) for n in (size, sum(sizes) - size)]
    _row_kernel(tuple(map(len, parameters)), tuple(map(len, states)))(
        *[x for each in pieces for x in each], *sizes, size, *rows, size=sum(sizes))
    return rows


def _states(row, shape, c):
    """States, and cells if there are any, out of a row of both."""
    both = row.reshape(-1, *shape)
    return both[0], None if c is None else both[1]


def _copies(h, c):
    _, row = _in_a_row((), [(each,) for each in (h, c) if each is not None])
    return _states(row, h.shape, c)


def layer(
        x: NdArray, ws: tp.Sequence[NdArray], bs: tp.Sequence[NdArray], hx: NdArray,
        cx: NdArray | None, sizes: tp.Sequence[int], mode: str,
        reverse: bool) -> tuple[NdArray, NdArray, NdArray | None, tp.Any]:
    m, n, count = x.shape[1], hx.shape[1], _CELLS[mode].count
    states = [each for each in (hx, cx) if each is not None]
    if any([each.dtype != x.dtype for each in (*ws, *bs, *states)]):
        return NotImplemented
    if len(bs) == 2:
        bs = [b[k * n:(k + 1) * n] for b in bs for k in range(count)]
    biases: list[tuple[NdArray, ...]] = list(
        zip(bs[:count], bs[count:], strict=True))
    if mode == 'gru':
        # The last state's part of the new state has a separate bias.
        biases[2:] = [(b,) for b in biases[2]]
    row, last = _in_a_row([*[(w,) for w in ws], *biases], [(each,) for each in states])
    width = count * n
    w_x, w_h = [each.reshape(width, -1) for each in (
        row[:width * m], row[width * m:width * (m + n)])]
    bias, b_new = row[width * (m + n):][:width], row[-n:] if mode == 'gru' else None
    gates = x.dot(w_x.T)
    gates += bias
    h, c = _states(last, hx.shape, cx)
    ys, hy, cy, trace = _scan(gates, w_h, b_new, h, c, sizes, mode, reverse)
    return ys, hy, cy, (w_x, w_h, trace)
