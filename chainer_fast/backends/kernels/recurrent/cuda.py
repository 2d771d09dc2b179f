"""Recurrent cells on a GPU: one launch for all that happens to a unit.

:mod:`chainer_fast.backends.kernels.recurrent` documents the kernels.
"""
from __future__ import annotations

import math
import typing as tp

from chainer_fast.backends import cuda
from chainer_fast.backends._cuda_kernel import header
from chainer_fast.backends.kernels.recurrent.gates import extract_gates, tree_gates
from chainer_fast.types import NdArray


def kernel(
        inputs: str, outputs: str, operation: str,
        name: str) -> tp.Callable[..., tp.Any]:
    """Return an elementwise kernel that calls functions of the family's elements."""
    return cuda.elementwise(
        inputs, outputs,
        'using namespace chainer_fast; using namespace recurrent;' + operation, name,
        preamble=header('chainer_fast/backends/kernels/recurrent/elements.hpp'))


def _empty_like(array):
    return cuda.cupy.empty(array.shape, array.dtype)


def _given(gradient, like):
    """A gradient; zero for one that is missing."""
    return like.dtype.type(0) if gradient is None else gradient


# ------------------------------------------------------------------------- one memory

# The gates of a unit, which alternate behind it in the array `x` of a plain layout.
_GATES = '''
    const ptrdiff_t from = i / inner * 4 * inner + i % inner;
    const T a = tanh(T(x[from])), in = Sigmoid::of(T(x[from + inner]));
    const T f = Sigmoid::of(T(x[from + 2 * inner]));
    const T o = Sigmoid::of(T(x[from + 3 * inner]));
'''


def _plain(x):
    """``x`` in C order, the size of its axes after the units', and its units."""
    return cuda.cupy.ascontiguousarray(x), math.prod(x.shape[2:]), x.size // 4


def lstm(c_prev: NdArray, x: NdArray) -> tuple[NdArray, NdArray]:
    c = _empty_like(c_prev)
    h = cuda.cupy.empty((len(x), *c.shape[1:]), c.dtype)
    # There may be more cells than samples.
    kernel(
        'T c_prev, raw T x, int64 inner, int64 units', 'T c, raw T h', '''
            if (i < units) {''' + _GATES + '''
                c = next_cell<T>(a, in, f, c_prev);
                h[i] = o * T(tanh(c));
            }
            else
                c = c_prev;
        ''', 'lstm')(c_prev, *_plain(x), c, h)
    return c, h


def lstm_grad(
        c_prev: NdArray, x: NdArray, c: NdArray, gc: NdArray,
        gh: NdArray) -> tuple[NdArray, NdArray]:
    gc_prev, gx = _empty_like(c_prev), _empty_like(x)
    kernel(
        'T c_prev, raw T x, int64 inner, int64 units, T c, T gc, raw T gh, bool has_gh',
        'T gc_prev, raw T gx', '''
            if (i < units) {''' + _GATES + '''
                T gc_step, ga, gi, gf, go;
                output_grad<T>(o, tanh(c), gc, has_gh ? T(gh[i]) : T(0), gc_step, go);
                input_grad<T>(gc_step, a, in, ga, gi);
                kept_grad<T>(gc_step, f, c_prev, gc_prev, gf);
                gx[from] = ga;
                gx[from + inner] = gi;
                gx[from + 2 * inner] = gf;
                gx[from + 3 * inner] = go;
            }
            else
                gc_prev = gc;
        ''', 'lstm_grad')(
            c_prev, *_plain(x), c, _given(gc, x),
            gx if gh is None else gh, gh is not None,
            gc_prev, gx)
    return gc_prev, gx


# ----------------------------------------------------------------------- two memories

_TWO = 'T c_prev1, T c_prev2, T a1, T i1, T f1, T o1, T a2, T i2, T f2, T o2'


def slstm(
        c_prev1: NdArray, c_prev2: NdArray, x1: NdArray,
        x2: NdArray) -> tuple[NdArray, NdArray]:
    c, h = _empty_like(c_prev1), _empty_like(c_prev1)
    kernel(_TWO, 'T c, T h', '''
        c = shared_cell<T>(tanh(a1), Sigmoid::of(i1), Sigmoid::of(f1), c_prev1,
                           tanh(a2), Sigmoid::of(i2), Sigmoid::of(f2), c_prev2);
        h = Sigmoid::of(T(o1 + o2)) * T(tanh(c));
    ''', 'slstm')(c_prev1, c_prev2, *extract_gates(x1), *extract_gates(x2), c, h)
    return c, h


def slstm_grad(
        c_prev1: NdArray, c_prev2: NdArray, x1: NdArray, x2: NdArray, c: NdArray,
        gc: NdArray, gh: NdArray) -> tuple[NdArray, NdArray, NdArray, NdArray]:
    gc1, gc2, gx1, gx2 = map(_empty_like, (c_prev1, c_prev2, x1, x2))
    kernel(
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

def _of_children(count, *names):
    """Parameters of type ``T`` for each child: one of each name, with a number."""
    return ', '.join(['T %s%d' % (name, k) for name in names for k in range(count)])


def _each_child(count, code):
    return '\n'.join([code.replace('#', str(k)) for k in range(count)])


# Kernels take arrays for each child, and CUDA limits the arguments of a kernel.
_MAX_CHILDREN = 16


def tree_lstm(x: NdArray, *cs: NdArray) -> tuple[NdArray, NdArray, NdArray]:
    n = len(cs)
    if n > _MAX_CHILDREN:
        return NotImplemented
    gates, c, h = _empty_like(x), _empty_like(cs[0]), _empty_like(cs[0])
    kernel(
        'T input_a, T input_i, T input_o, ' + _of_children(n, 'input_f', 'c'),
        'T a, T in, T o, %s, T c, T h' % _of_children(n, 'f'), '''
            a = tanh(input_a);
            in = Sigmoid::of(input_i);
            o = Sigmoid::of(input_o);
            T kept(0);
        ''' + _each_child(n, '''
            f# = Sigmoid::of(input_f#);
            kept = kept + T(f# * c#);
        ''') + '''
            c = a * in + kept;
            h = o * T(tanh(c));
        ''', 'tree_lstm')(
            *tree_gates(x, 3 + n), *cs, *tree_gates(gates, 3 + n), c, h)
    return gates, c, h


def tree_lstm_grad(
        gates: NdArray, c: NdArray, gc: NdArray, gh: NdArray,
        *cs: NdArray) -> tuple[NdArray, ...]:
    n = len(cs)
    if n > _MAX_CHILDREN:
        return NotImplemented
    gx, *gcs = [_empty_like(each) for each in (gates, *cs)]
    kernel(
        'T a, T in, T o, %s, T c, T gc, T gh' % _of_children(n, 'f', 'c'),
        'T ga, T gi, T go, ' + _of_children(n, 'gf', 'gc'), '''
            T gc_step;
            output_grad<T>(o, tanh(c), gc, gh, gc_step, go);
            input_grad<T>(gc_step, a, in, ga, gi);
        ''' + _each_child(n, 'kept_grad<T>(gc_step, f#, c#, gc#, gf#);'),
        'tree_lstm_grad')(
            *tree_gates(gates, 3 + n), *cs, c, _given(gc, c), _given(gh, c),
            *tree_gates(gx, 3 + n), *gcs)
    return (*gcs, gx)
