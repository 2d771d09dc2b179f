"""Recurrent cells on a GPU: one launch for all that happens to a unit.

:mod:`chainer_fast.backends.kernels.recurrent` documents the kernels.
"""
from chainer_fast.backends import cuda
from chainer_fast.backends._cuda_kernel import header
from chainer_fast.backends.kernels.recurrent.gates import extract_gates, tree_gates


def _kernel(inputs, outputs, operation, name):
    return cuda.elementwise(
        inputs, outputs, 'using namespace chainer_fast;' + operation, name,
        preamble=header('chainer_fast/backends/kernels/recurrent/elements.hpp'))


def _empty_like(array):
    return cuda.cupy.empty(array.shape, array.dtype)


def _given(gradient, like):
    """A gradient; zero for one that is missing."""
    return like.dtype.type(0) if gradient is None else gradient


# ------------------------------------------------------------------------- one memory

def lstm(c_prev, x):
    batch = len(x)
    c = _empty_like(c_prev)
    if batch < len(c):
        c[batch:] = c_prev[batch:]
    h = cuda.cupy.empty(c_prev[:batch].shape, c_prev.dtype)
    _kernel(
        'T c_prev, T input_a, T input_i, T input_f, T input_o', 'T c, T h', '''
            c = next_cell<T>(
                tanh(input_a), Sigmoid::of(input_i), Sigmoid::of(input_f), c_prev);
            h = Sigmoid::of(input_o) * T(tanh(c));
        ''', 'lstm')(c_prev[:batch], *extract_gates(x), c[:batch], h)
    return c, h


def lstm_grad(c_prev, x, c, gc, gh):
    batch = len(x)
    gc_prev, gx = _empty_like(c_prev), _empty_like(x)
    if batch < len(c):
        gc_prev[batch:] = 0 if gc is None else gc[batch:]
    _kernel(
        'T c_prev, T input_a, T input_i, T input_f, T input_o, T c, T gc, T gh',
        'T gc_prev, T ga, T gi, T gf, T go', '''
            T gc_step;
            output_grad<T>(Sigmoid::of(input_o), tanh(c), gc, gh, gc_step, go);
            input_grad<T>(gc_step, tanh(input_a), Sigmoid::of(input_i), ga, gi);
            kept_grad<T>(gc_step, Sigmoid::of(input_f), c_prev, gc_prev, gf);
        ''', 'lstm_grad')(
            c_prev[:batch], *extract_gates(x), c[:batch],
            _given(gc if gc is None else gc[:batch], x), _given(gh, x),
            gc_prev[:batch], *extract_gates(gx))
    return gc_prev, gx


# ----------------------------------------------------------------------- two memories

_TWO = 'T c_prev1, T c_prev2, T a1, T i1, T f1, T o1, T a2, T i2, T f2, T o2'


def slstm(c_prev1, c_prev2, x1, x2):
    c, h = _empty_like(c_prev1), _empty_like(c_prev1)
    _kernel(_TWO, 'T c, T h', '''
        c = shared_cell<T>(tanh(a1), Sigmoid::of(i1), Sigmoid::of(f1), c_prev1,
                           tanh(a2), Sigmoid::of(i2), Sigmoid::of(f2), c_prev2);
        h = Sigmoid::of(T(o1 + o2)) * T(tanh(c));
    ''', 'slstm')(c_prev1, c_prev2, *extract_gates(x1), *extract_gates(x2), c, h)
    return c, h


def slstm_grad(c_prev1, c_prev2, x1, x2, c, gc, gh):
    gc1, gc2, gx1, gx2 = map(_empty_like, (c_prev1, c_prev2, x1, x2))
    _kernel(
        _TWO + ', T c, T gc, T gh',
        'T gc_prev1, T gc_prev2, T ga1, T gi1, T gf1, T go1, T ga2, T gi2, T gf2, '
        'T go2',
        '''
            T gc_step;
            output_grad<T>(Sigmoid::of(T(o1 + o2)), tanh(c), gc, gh, gc_step, go1);
            go2 = go1;
            input_grad<T>(gc_step, tanh(a1), Sigmoid::of(i1), ga1, gi1);
            input_grad<T>(gc_step, tanh(a2), Sigmoid::of(i2), ga2, gi2);
            kept_grad<T>(gc_step, Sigmoid::of(f1), c_prev1, gc_prev1, gf1);
            kept_grad<T>(gc_step, Sigmoid::of(f2), c_prev2, gc_prev2, gf2);
        ''', 'slstm_grad')(
            c_prev1, c_prev2, *extract_gates(x1), *extract_gates(x2), c,
            _given(gc, c), _given(gh, c), gc1, gc2, *extract_gates(gx1),
            *extract_gates(gx2))
    return gc1, gc2, gx1, gx2


# ------------------------------------------------------------------------------ trees

def tree_lstm(x, *cs):
    gates, c, h = _empty_like(x), _empty_like(cs[0]), _empty_like(cs[0])
    _kernel(
        'T input_a, T input_i, T input_o, raw T x, raw T cs, int32 rows, int32 units, '
        'int32 children', 'T a, T in, T o, T c, T h, raw T gates', '''
            a = tanh(input_a);
            in = Sigmoid::of(input_i);
            o = Sigmoid::of(input_o);
            T kept(0);
            for (int k = 0; k < children; ++k) {
                const ptrdiff_t at = (i / units * (3 + children) + 3 + k) * units
                    + i % units;
                const T f = Sigmoid::of(T(x[at]));
                gates[at] = f;
                kept = kept + T(f * cs[((ptrdiff_t)k * rows * units) + i]);
            }
            c = a * in + kept;
            h = o * T(tanh(c));
        ''', 'tree_lstm')(
            *tree_gates(x, 3 + len(cs))[:3], cuda.cupy.ascontiguousarray(x),
            cuda.cupy.stack(cs), *cs[0].shape, len(cs),
            *tree_gates(gates, 3 + len(cs))[:3], c, h, gates)
    return gates, c, h


def tree_lstm_grad(gates, c, gc, gh, *cs):
    gx = _empty_like(gates)
    gcs = cuda.cupy.empty((len(cs), *c.shape), c.dtype)
    _kernel(
        'T a, T in, T o, raw T gates, T c, raw T cs, T gc, T gh, int32 rows, '
        'int32 units, int32 children', 'T ga, T gi, T go, raw T gx, raw T gcs', '''
            T gc_step, by_child, by_f;
            output_grad<T>(o, tanh(c), gc, gh, gc_step, go);
            input_grad<T>(gc_step, a, in, ga, gi);
            for (int k = 0; k < children; ++k) {
                const ptrdiff_t at = (i / units * (3 + children) + 3 + k) * units
                    + i % units;
                const ptrdiff_t at_child = (ptrdiff_t)k * rows * units + i;
                kept_grad<T>(gc_step, gates[at], cs[at_child], by_child, by_f);
                gcs[at_child] = by_child;
                gx[at] = by_f;
            }
        ''', 'tree_lstm_grad')(
            *tree_gates(gates, 3 + len(cs))[:3], gates, c, cuda.cupy.stack(cs),
            _given(gc, c), _given(gh, c), *c.shape, len(cs),
            *tree_gates(gx, 3 + len(cs))[:3], gx, gcs)
    return (*gcs, gx)


# -------------------------------------------------------------------- steps of a scan

def lstm_step(gates, part, bias, h, c, c_prev, tanh_c):
    _kernel(
        'T part_i, T part_f, T part_a, T part_o',
        'T in, T f, T a, T o, T h, T c, T c_prev, T tanh_c', '''
            in = Sigmoid::of(T(in + part_i));
            f = Sigmoid::of(T(f + part_f));
            a = tanh(T(a + part_a));
            o = Sigmoid::of(T(o + part_o));
            c_prev = c;
            c = next_cell<T>(a, in, f, c_prev);
            tanh_c = tanh(c);
            h = o * tanh_c;
        ''', 'lstm_step')(
            *tree_gates(part, 4), *tree_gates(gates, 4), h, c, c_prev, tanh_c)


def lstm_step_grad(gates, h_prev, c_prev, tanh_c, gh, gc, gx, gr):
    _kernel(
        'T in, T f, T a, T o, T c_prev, T tanh_c',
        'T gh, T gc, T gi, T gf, T ga, T go', '''
            T gc_step;
            output_grad<T>(o, tanh_c, gc, gh, gc_step, go);
            input_grad<T>(gc_step, a, in, ga, gi);
            kept_grad<T>(gc_step, f, c_prev, gc, gf);
            gh = T(0);
        ''', 'lstm_step_grad')(
            *tree_gates(gates, 4), c_prev, tanh_c, gh, gc, *tree_gates(gx, 4))


def gru_step(gates, part, bias, h, c, recurrent):
    _kernel(
        'T part_r, T part_z, T part_new, T bias',
        'T r, T z, T new_h, T h, T recurrent', '''
            r = Sigmoid::of(T(r + part_r));
            z = Sigmoid::of(T(z + part_z));
            recurrent = part_new + bias;
            new_h = tanh(T(new_h + T(r * recurrent)));
            h = next_state<T>(z, new_h, h);
        ''', 'gru_step')(
            *tree_gates(part, 3), bias, *tree_gates(gates, 3), h, recurrent)


def gru_step_grad(gates, h_prev, recurrent, gh, gc, gx, gr):
    _kernel(
        'T r, T z, T new_h, T h_prev, T recurrent',
        'T gh, T gr, T gz, T gnew, T part_r, T part_z, T part_new', '''
            state_grad<T>(gh, r, z, new_h, h_prev, recurrent, gr, gz, gnew);
            part_r = gr;
            part_z = gz;
            part_new = gnew * r;
            gh = gh * z;
        ''', 'gru_step_grad')(
            *tree_gates(gates, 3), h_prev, recurrent, gh, *tree_gates(gx, 3),
            *tree_gates(gr, 3))


def tanh_step(gates, part, bias, h, c):
    _kernel('T part', 'T x, T h', 'h = x = tanh(T(x + part));', 'tanh_step')(
        part, gates, h)


def tanh_step_grad(gates, h_prev, gh, gc, gx, gr):
    _kernel('T h', 'T gh, T gx', 'gx = Tanh::grad<T>(h, gh); gh = T(0);',
            'tanh_step_grad')(gates, gh, gx)


def relu_step(gates, part, bias, h, c):
    _kernel('T part', 'T x, T h', 'h = x = ReLU::of(T(x + part));', 'relu_step')(
        part, gates, h)


def relu_step_grad(gates, h_prev, gh, gc, gx, gr):
    _kernel('T h', 'T gh, T gx', 'gx = ReLU::grad<T>(h, gh); gh = T(0);',
            'relu_step_grad')(gates, gh, gx)
