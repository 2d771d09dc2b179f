# Compiled steps of recurrent cells; the references document them. Part of compiled.pyx.
import numpy

cimport numpy as np
from cpython.object cimport PyObject
from numpy cimport PyArray_CheckExact, PyArray_CompareLists, PyArray_DATA, \
    PyArray_DIM, PyArray_DIMS, PyArray_NDIM, PyArray_SAMESHAPE, PyArray_SIZE, npy_intp

from chainer_fast._core.arrays.plain cimport (
    CF_PLAIN_FLAGS, empty_like, is_matrix, kind_of)
from chainer_fast._core.graphs.graph cimport (
    FunctionBase, Shortcut, input_array, new_ref, output_array)
from chainer_fast.backends.kernels.common.layout cimport without_gaps
from chainer_fast.backends.kernels.common.ufuncs cimport Unary, unary_of
from chainer_fast.backends.kernels.recurrent.cell cimport Cell

cdef extern from "numpy/arrayobject.h":
    object PyArray_FROM_OF(object, int)

cdef extern from "chainer_fast/backends/kernels/recurrent/loops.hpp" nogil:
    const Cell LSTM_STEP "chainer_fast::recurrent::LSTM"
    const Cell LSTM_GRAD "chainer_fast::recurrent::LSTM_GRAD"
    const Cell SLSTM "chainer_fast::recurrent::SLSTM"
    const Cell SLSTM_GRAD "chainer_fast::recurrent::SLSTM_GRAD"
    const Cell TREE_LSTM "chainer_fast::recurrent::TREE_LSTM"
    const Cell TREE_LSTM_GRAD "chainer_fast::recurrent::TREE_LSTM_GRAD"

cdef enum:
    MAX_CHILDREN = 16
    MAX_DIMS = 32
    MOST_ARRAYS = 5 + 2 * MAX_CHILDREN

cdef Unary _tanh = unary_of(numpy.tanh)


cdef object _plain(object array, char kind, object like, npy_intp rows):
    """Return the array in C order, if it is of a type and, but for the rows, a shape.

    Otherwise return ``NotImplemented``. A missing gradient stays None.
    """
    if array is None:
        return None
    if not PyArray_CheckExact(array) or PyArray_NDIM(array) != PyArray_NDIM(like) or (
            PyArray_DIM(<np.ndarray>array, 0) != rows
            or not PyArray_CompareLists(
                PyArray_DIMS(<np.ndarray>array) + 1, PyArray_DIMS(<np.ndarray>like) + 1,
                PyArray_NDIM(like) - 1)):
        return NotImplemented
    array = PyArray_FROM_OF(array, CF_PLAIN_FLAGS)
    return array if kind_of(array) == kind else NotImplemented


cdef void **_note(void **data, tuple arrays) noexcept:
    """Fill in where arrays are, NULL for None; return where the next ones go."""
    for array in arrays:
        data[0] = NULL if array is None else PyArray_DATA(<np.ndarray>array)
        data += 1
    return data


# ----------------------------------------------------------- one memory, or two of them

cdef char _kind(tuple cells, tuple gates) except -1:
    """Return the kind of cells, alike, and of their gates, four of each by turns; or 0.
    """
    cdef object c = cells[0], x = gates[0]
    cdef char kind = kind_of(x)
    cdef int d, ndim
    if kind == 0:
        return 0
    for arrays in (cells, gates):
        for each in <tuple>arrays:
            if kind_of(each) != kind or not PyArray_SAMESHAPE(
                    <np.ndarray>each, <np.ndarray>(<tuple>arrays)[0]):
                return 0
    ndim = PyArray_NDIM(x)
    if PyArray_NDIM(c) != ndim or not 2 <= ndim <= MAX_DIMS or (
            PyArray_DIM(<np.ndarray>x, 1) != 4 * PyArray_DIM(<np.ndarray>c, 1)
            or PyArray_DIM(<np.ndarray>x, 0) > PyArray_DIM(<np.ndarray>c, 0)):
        return 0
    for d in range(2, ndim):
        if PyArray_DIM(<np.ndarray>x, d) != 1 or PyArray_DIM(<np.ndarray>c, d) != 1:
            return 0
    # Two memories have as many samples as cells.
    if len(cells) > 1 and PyArray_SIZE(x) != 4 * PyArray_SIZE(c):
        return 0
    return kind


cdef tuple _without_gaps(tuple arrays):
    return tuple([without_gaps(each) for each in arrays])


cdef object _step(const Cell &cell, tuple cells, tuple gates):
    """Return cells, and as many outputs as there are samples."""
    cdef char kind = _kind(cells, gates)
    cdef npy_intp dims[MAX_DIMS]
    cdef npy_intp samples
    cdef void *data[MOST_ARRAYS]
    cdef int d
    if not kind:
        cells, gates = _without_gaps(cells), _without_gaps(gates)
        kind = _kind(cells, gates)
    if not kind:
        return NotImplemented
    c_prev = cells[0]
    samples = PyArray_DIM(<np.ndarray>gates[0], 0)
    for d in range(PyArray_NDIM(c_prev)):
        dims[d] = PyArray_DIM(<np.ndarray>c_prev, d)
    dims[0] = samples
    c = empty_like(c_prev)
    h = np.PyArray_EMPTY(PyArray_NDIM(c), dims, np.PyArray_TYPE(<np.ndarray>c), 0)
    _note(_note(_note(data, cells), gates), (c, h))
    if cell.run(kind, data, samples, dims[1], 0, _tanh):
        return NotImplemented
    if samples < PyArray_DIM(<np.ndarray>c, 0):
        c[samples:] = c_prev[samples:]
    return c, h


cdef object _step_grad(const Cell &cell, tuple cells, tuple gates, object c, object gc,
                       object gh):
    """Return the gradients of the cells before the step, then those of the gates."""
    cdef char kind = _kind(cells, gates)
    cdef npy_intp rows, samples
    cdef void *data[MOST_ARRAYS]
    if not kind:
        cells, gates = _without_gaps(cells), _without_gaps(gates)
        kind = _kind(cells, gates)
    if not kind:
        return NotImplemented
    c_prev, inputs = cells[0], cells + gates
    rows = PyArray_DIM(<np.ndarray>c_prev, 0)
    samples = PyArray_DIM(<np.ndarray>gates[0], 0)
    c, gc = _plain(c, kind, c_prev, rows), _plain(gc, kind, c_prev, rows)
    gh = _plain(gh, kind, c_prev, samples)
    if c is None or c is NotImplemented or gc is NotImplemented or (
            gh is NotImplemented):
        return NotImplemented
    results = tuple([empty_like(each) for each in inputs])
    _note(_note(_note(data, inputs), (c, gc, gh)), results)
    if cell.run(kind, data, samples, PyArray_DIM(<np.ndarray>c_prev, 1), 0, _tanh):
        return NotImplemented
    if samples < rows:
        results[0][samples:] = 0 if gc is None else gc[samples:]
    return results


def lstm(c_prev, x):
    return _step(LSTM_STEP, (c_prev,), (x,))


def lstm_grad(c_prev, x, c, gc, gh):
    return _step_grad(LSTM_GRAD, (c_prev,), (x,), c, gc, gh)


def slstm(c_prev1, c_prev2, x1, x2):
    return _step(SLSTM, (c_prev1, c_prev2), (x1, x2))


def slstm_grad(c_prev1, c_prev2, x1, x2, c, gc, gh):
    return _step_grad(SLSTM_GRAD, (c_prev1, c_prev2), (x1, x2), c, gc, gh)


cdef class CellShortcut(Shortcut):
    """A step of one memory or two: of cells and gates, to a cell and an output.

    Parameters
    ----------
    memories : int
    """
    cdef Py_ssize_t memories

    def __init__(self, Py_ssize_t memories):
        self.memories = memories
        self.traits.retain_inputs = tuple(range(2 * memories))
        self.traits.retain_outputs = (0,)
        self.traits.in_single = True

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        cdef object found
        if n != 2 * self.memories:
            return None
        if n == 2:
            found = _step(LSTM_STEP, (<object>x[0],), (<object>x[1],))
        else:
            found = _step(SLSTM, (<object>x[0], <object>x[1]),
                          (<object>x[2], <object>x[3]))
        return None if found is NotImplemented else found

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef object c = output_array(function)
        cdef object found
        cdef Py_ssize_t i
        cdef list x = [input_array(function, i) for i in range(2 * self.memories)]
        gc, gh = gy
        if self.memories == 1:
            found = _step_grad(LSTM_GRAD, (x[0],), (x[1],), c, gc, gh)
        else:
            found = _step_grad(SLSTM_GRAD, (x[0], x[1]), (x[2], x[3]), c, gc, gh)
        if found is NotImplemented:
            return 0
        for i in range(2 * self.memories):
            gx[i] = new_ref((<tuple>found)[i])
        return 1


# ---------------------------------------------------------------------------- trees

cdef char _tree_kind(object gates, object like, tuple cs) except -1:
    """Return the kind of gates and of the cells of children; 0 if they do not fit."""
    cdef char kind = kind_of(like)
    cdef npy_intp samples, units
    if kind == 0 or PyArray_NDIM(like) != 2 or len(cs) > MAX_CHILDREN:
        return 0
    samples, units = PyArray_DIM(<np.ndarray>like, 0), PyArray_DIM(<np.ndarray>like, 1)
    for child in cs:
        if not is_matrix(child, kind, samples, units):
            return 0
    return kind if is_matrix(gates, kind, samples, (3 + len(cs)) * units) else 0


def tree_lstm(x, *cs):
    cdef void *data[MOST_ARRAYS]
    cdef char kind = _tree_kind(x, cs[0], cs) if cs else 0
    if kind == 0:
        return NotImplemented
    results = empty_like(x), empty_like(cs[0]), empty_like(cs[0])
    _note(_note(_note(data, (x,)), results), cs)
    if TREE_LSTM.run(kind, data, PyArray_DIM(<np.ndarray>cs[0], 0),
                     PyArray_DIM(<np.ndarray>cs[0], 1), len(cs), _tanh):
        return NotImplemented
    return results


def tree_lstm_grad(gates, c, gc, gh, *cs):
    cdef char kind = _tree_kind(gates, c, cs)
    cdef npy_intp samples, units
    cdef void *data[MOST_ARRAYS]
    if kind == 0:
        return NotImplemented
    samples, units = PyArray_DIM(<np.ndarray>c, 0), PyArray_DIM(<np.ndarray>c, 1)
    gc, gh = _plain(gc, kind, c, samples), _plain(gh, kind, c, samples)
    if gc is NotImplemented or gh is NotImplemented:
        return NotImplemented
    gx = empty_like(gates)
    gcs = tuple([empty_like(c) for _ in cs])
    _note(_note(_note(data, (gates, c, gc, gh, gx)), cs), gcs)
    if TREE_LSTM_GRAD.run(kind, data, samples, units, len(cs), _tanh):
        return NotImplemented
    return (*gcs, gx)
