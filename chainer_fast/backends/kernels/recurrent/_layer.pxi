# Compiled layers of recurrent networks; the references document them.
#
# They take arrays of single precision on processors for which there is code.
#
# Part of compiled.pyx.
import numpy

cimport numpy as np
from libc.stddef cimport ptrdiff_t
from libcpp.vector cimport vector
from numpy cimport PyArray_CheckExact, PyArray_DATA, PyArray_DIM, PyArray_EMPTY, \
    PyArray_NDIM, PyArray_SimpleNewFromData, npy_intp

from chainer_fast._core.arrays.plain cimport CF_PLAIN_FLAGS, is_matrix, is_vector
from chainer_fast._core.graphs.graph cimport report_float_errors
from chainer_fast._cpu.shared cimport Scratch, take
from chainer_fast.backends.kernels.common.contiguous cimport contiguous
from chainer_fast.backends.kernels.common.ufuncs cimport Unary, unary_of
from chainer_fast.backends.kernels.recurrent.cell cimport plain_sizes

cdef extern from "numpy/arrayobject.h":
    object PyArray_FROM_OF(object, int)

cdef extern from "chainer_fast/backends/kernels/recurrent/layer.hpp" \
        namespace "chainer_fast::recurrent":
    ctypedef struct Layer:
        ptrdiff_t mode, gates, inputs, units, batch, rows, steps
        const ptrdiff_t *sizes
        const ptrdiff_t *starts
        bint reverse
        const Unary *tanh

    ptrdiff_t size_of_trace "layer::size_of<layer::Trace>"(
        const Layer &) noexcept
    ptrdiff_t size_of_forward "layer::size_of<layer::Forward>"(
        const Layer &) noexcept
    ptrdiff_t size_of_backward "layer::size_of<layer::Backward>"(
        const Layer &) noexcept
    int layer_forward "layer::released<layer::layer_forward>"(
        Layer, object x, const float **w, const float **b, object hx, object cx,
        void *trace, void *memory, object ys, object hy, object cy) noexcept
    int layer_backward "layer::released<layer::layer_backward>"(
        Layer, object gys, void *trace, void *memory, object ghy, object gcy, object gx,
        float **gw, float **gb, object ghx, object gcx) noexcept

cdef extern from "chainer_fast/backends/kernels/common/panels.hpp" \
        namespace "chainer_fast":
    const void *find_tiles() noexcept

cdef extern from *:
    """
    namespace layer = chainer_fast::recurrent;
    """

cdef enum:
    MAX_GATES = 4
    # Layers of fewer units, which would be mostly padding, are left to the reference.
    FEWEST_UNITS = 4
    # Results of this many elements are worth keeping the memory of.
    LARGE = 1 << 15

# The order of the loops in `scan.hpp`.
cdef dict _LAYERS = {
    'lstm': (0, 4), 'gru': (1, 3), 'rnn_tanh': (2, 1), 'rnn_relu': (3, 1)}


cdef class Trace:
    """What the gradient of a layer needs, in an order that only it knows."""
    cdef Layer layer
    cdef Scratch memory
    # Samples of each step, and the first row of each.
    cdef vector[ptrdiff_t] sizes
    cdef vector[ptrdiff_t] starts


cdef inline float *_data(object array) noexcept:
    return <float *>PyArray_DATA(<np.ndarray>array)


cdef object _plain_rows(object array, npy_intp rows, npy_intp columns):
    """Return an array in C order, or None if it is not one of floats of this shape.

    Arrays of one axis have no columns: -1.
    """
    if not PyArray_CheckExact(array):
        return None
    array = PyArray_FROM_OF(array, CF_PLAIN_FLAGS)
    fits = (is_vector(array, b'f', rows) if columns < 0
            else is_matrix(array, b'f', rows, columns))
    return array if fits else None


cdef object _gradient(object array, npy_intp rows, npy_intp columns):
    """Return a gradient in C order and single precision, from any precision."""
    plain = _plain_rows(array, rows, columns)
    if plain is None:
        plain = _plain_rows(contiguous(array, np.NPY_FLOAT), rows, columns)
    if plain is None:
        raise ValueError(
            'the gradient of states of shape %s must have that shape, but has %s'
            % ((rows, columns), numpy.shape(array)))
    return plain


cdef list _gates(groups, int gates, npy_intp n, npy_intp columns,
                 npy_intp last_columns, const float **data):
    """Note where the matrices or biases of each gate are, or return None.

    Those for the input have other columns than those for the last state. Each half is
    an array for each gate, or a single one with all gates. The result owns the memory.
    """
    cdef list plain = []
    cdef Py_ssize_t half = len(groups) // 2
    cdef int k, g, rows
    if half != 1 and half != gates:
        return None
    rows = gates // half
    for k in range(2 * half):
        width = columns if k < half else last_columns
        array = _plain_rows(groups[k], rows * n, width)
        if array is None:
            return None
        plain.append(array)
        for g in range(rows):
            data[k * rows + g] = _data(array) + g * n * (1 if width < 0 else width)
    return plain


cdef object _new_matrix(npy_intp rows, npy_intp columns):
    """Return a new array; one of the large ones is in memory that is used again."""
    cdef npy_intp dims[2]
    cdef int ndim = 1 if columns < 0 else 2
    cdef Scratch memory
    dims[0], dims[1] = rows, columns
    if rows * columns < LARGE:
        return PyArray_EMPTY(ndim, dims, np.NPY_FLOAT32, 0)
    memory = take(rows * columns * sizeof(float))
    array = PyArray_SimpleNewFromData(ndim, dims, np.NPY_FLOAT32, memory.data)
    np.set_array_base(array, memory)
    return array


cdef Trace _trace(mode, gates, sizes, npy_intp rows, npy_intp inputs, npy_intp units,
                  npy_intp batch, bint reverse):
    """Return an empty trace of a layer of this shape."""
    cdef Trace trace = Trace.__new__(Trace)
    cdef ptrdiff_t size, start = 0
    for size in sizes:
        trace.sizes.push_back(size)
        trace.starts.push_back(start)
        start += size
    trace.layer = Layer(
        mode=mode, gates=gates, inputs=inputs, units=units, batch=batch, rows=rows,
        steps=len(sizes), sizes=trace.sizes.data(), starts=trace.starts.data(),
        reverse=reverse, tanh=&_tanh)
    trace.memory = take(size_of_trace(trace.layer) * sizeof(float))
    return trace


def layer(x, ws, bs, hx, cx, tuple sizes, mode, bint reverse):
    cdef npy_intp m, n, rows, batch
    cdef int kind, gates
    cdef const float *w[2 * MAX_GATES]
    cdef const float *b[2 * MAX_GATES]
    cdef Scratch memory
    cdef Trace trace
    cdef int flags
    # From here on these are plain numbers, not objects that run Python code.
    sizes = plain_sizes(sizes)
    if type(mode) is not str:
        return NotImplemented
    if find_tiles() is NULL or not (
            PyArray_CheckExact(hx) and PyArray_NDIM(x) == 2 and PyArray_NDIM(hx) == 2):
        return NotImplemented
    kind, gates = _LAYERS[mode]
    rows, m = PyArray_DIM(<np.ndarray>x, 0), PyArray_DIM(<np.ndarray>x, 1)
    batch, n = PyArray_DIM(<np.ndarray>hx, 0), PyArray_DIM(<np.ndarray>hx, 1)
    # No step has more samples than the one before.
    falling = [batch, *sizes, 0]
    if n < FEWEST_UNITS or falling != sorted(falling, reverse=True) or (
            sum(sizes) != rows):
        return NotImplemented
    x, hx = _plain_rows(x, rows, m), _plain_rows(hx, batch, n)
    cx = _plain_rows(cx, batch, n) if kind == 0 else None
    if x is None or hx is None or (kind == 0 and cx is None):
        return NotImplemented
    ws, bs = _gates(ws, gates, n, m, n, w), _gates(bs, gates, n, -1, -1, b)
    if ws is None or bs is None:
        return NotImplemented

    trace = _trace(kind, gates, sizes, rows, m, n, batch, reverse)
    memory = take(size_of_forward(trace.layer) * sizeof(float))
    ys, hy = _new_matrix(rows, n), _new_matrix(batch, n)
    cy = None if cx is None else _new_matrix(batch, n)
    flags = layer_forward(
        trace.layer, x, w, b, hx, cx, trace.memory.data, memory.data, ys, hy, cy)
    if flags:
        report_float_errors(flags)
    return ys, hy, cy, trace


def layer_grad(gys, trace, x, ghy, gcy, sizes, mode, reverse, bint wants_gx):
    cdef npy_intp m, n, rows, batch
    cdef int flags
    cdef float *gw[2]
    cdef float *gb[2]
    cdef Scratch memory
    cdef Layer shape
    if not isinstance(trace, Trace):
        return NotImplemented
    shape = (<Trace>trace).layer
    m, n, rows, batch = shape.inputs, shape.units, shape.rows, shape.batch
    if numpy.shape(x) != (rows, m):
        raise ValueError(
            'inputs of the shape %s have been replaced by others of the shape %s since '
            'the layer was applied' % ((rows, m), numpy.shape(x)))
    gys, ghy = _gradient(gys, rows, n), _gradient(ghy, batch, n)
    gcy = None if gcy is None else _gradient(gcy, batch, n)

    memory = take(size_of_backward(shape) * sizeof(float))
    gx = _new_matrix(rows, m) if wants_gx else None
    gw_x, gw_h = _new_matrix(shape.gates * n, m), _new_matrix(shape.gates * n, n)
    gb_x, gb_h = _new_matrix(shape.gates * n, -1), _new_matrix(shape.gates * n, -1)
    ghx = _new_matrix(batch, n)
    gcx = None if gcy is None else _new_matrix(batch, n)
    gw[0], gw[1], gb[0], gb[1] = _data(gw_x), _data(gw_h), _data(gb_x), _data(gb_h)
    flags = layer_backward(
        shape, gys, (<Trace>trace).memory.data, memory.data, ghy, gcy, gx, gw, gb, ghx,
        gcx)
    if flags:
        report_float_errors(flags)
    return gx, ghx, gcx, (gw_x, gw_h, gb_x, gb_h)
