# Shortcuts of functions that score a few classes out of many.
#
# They call the kernels, as the methods of the functions do. The gradient of a matrix of
# classes that is a leaf is stored as the rows that are used.
#
# Part of compiled.pyx.
cimport numpy as np
from cpython.object cimport PyObject
from libc.stddef cimport ptrdiff_t
from numpy cimport (
    PyArray_CheckExact, PyArray_DIM, PyArray_ITEMSIZE, PyArray_NDIM, PyArray_SIZE)

from chainer_fast._core.arrays.plain cimport kind_of
from chainer_fast._core.graphs.graph cimport (
    FunctionBase, Shortcut, VariableNodeBase, input_array, new_ref, wanted)
from chainer_fast.backends.kernels import negative_sampling as kernels
from chainer_fast.backends.kernels.common.labels cimport plain_labels


cdef bint _are_plain(object x, object W) noexcept:
    """Return whether samples and the matrix of classes fit together."""
    return (kind_of(x) and kind_of(x) == kind_of(W) and PyArray_NDIM(x) == 2
            and PyArray_NDIM(W) == 2 and PyArray_DIM(x, 1) == PyArray_DIM(W, 1))


cdef bint _are_labels(object t, object x) noexcept:
    """Return whether there is a label for each sample."""
    return (plain_labels(t) and PyArray_ITEMSIZE(<np.ndarray>t) == sizeof(int)
            and PyArray_NDIM(t) == 1 and PyArray_SIZE(t) == PyArray_DIM(x, 0))


cdef bint _fits_output(object x, object W, object gy) noexcept:
    """Return whether the inputs, which may have changed, and a gradient are plain.

    This check precedes any computation; otherwise the methods would compute, and warn,
    a second time.
    """
    return kind_of(gy) and kind_of(gy) == kind_of(x) and _are_plain(x, W)


cdef int _spread(FunctionBase function, int of_W, x, W, g, ids, counted,
                 PyObject **gx) except -1:
    """Set gradients of the samples, the first input, and of the matrix of classes."""
    cdef VariableNodeBase node = <VariableNodeBase>function.input_nodes[of_W]
    cdef ptrdiff_t rows
    if wanted(function, 0):
        gx[0] = new_ref(kernels.sum_rows(g, W, ids, counted))
    if node.needs_grad:
        rows = len(W)
        gW = NotImplemented
        if node.creator_base is None:
            gW = spread_rows(g, x, ids, counted, rows, True)
        if gW is NotImplemented:
            gW = kernels.spread_rows(g, x, ids, counted, rows)
        gx[of_W] = new_ref(gW)
    return 1


cdef class NegativeSamplingShortcut(Shortcut):
    """Loss of distinguishing the target from noise samples."""

    def __cinit__(self):
        self.traits.retain_inputs = (0, 1, 2)

    cdef object forward(self, FunctionBase function, PyObject **inputs, Py_ssize_t n):
        if n != 3:
            return None
        x, t, W = <object>inputs[0], <object>inputs[1], <object>inputs[2]
        if not _are_plain(x, W) or not _are_labels(t, x):
            return None
        # From here on the methods cannot be used instead: samples are drawn only once.
        return function._losses(x, t, W)

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef object x = input_array(function, 0)
        cdef object W = input_array(function, 2)
        if not _fits_output(x, W, gy):
            return 0
        counted = function.ignore_mask
        g = kernels.factors(function.wx, counted, gy)
        return _spread(function, 2, x, W, g, function.samples, counted, gx)


cdef class ScoresShortcut(Shortcut):
    """Products of samples with the rows of their candidates."""

    def __cinit__(self):
        self.traits.retain_inputs = (0, 1)
        self.traits.in_single = True

    cdef object forward(self, FunctionBase function, PyObject **inputs, Py_ssize_t n):
        if n != 2:
            return None
        x, W = <object>inputs[0], <object>inputs[1]
        if not _are_plain(x, W):
            return None
        y = kernels.scores(x, W, function.ids, function.counted)
        return y if PyArray_CheckExact(y) else None

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef object x = input_array(function, 0)
        cdef object W = input_array(function, 1)
        if not _fits_output(x, W, gy):
            return 0
        return _spread(function, 1, x, W, gy, function.ids, function.counted, gx)


cdef class TreeShortcut(Shortcut):
    """Loss of the paths through a tree, by an old-style function."""

    def __cinit__(self):
        self.traits.retain_inputs = (0, 1, 2)

    cdef object forward(self, FunctionBase function, PyObject **inputs, Py_ssize_t n):
        if n != 3:
            return None
        x, t, W = <object>inputs[0], <object>inputs[1], <object>inputs[2]
        tree = function.function
        if not _are_plain(x, W) or not _are_labels(t, x) or (
                PyArray_DIM(W, 0) != tree.parser_size):
            return None
        loss, = tree.forward_cpu((x, t, W))
        return loss

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef object x = input_array(function, 0)
        cdef object W = input_array(function, 2)
        if not _fits_output(x, W, gy):
            return 0
        tree = function.function
        g = kernels.tree_factors(tree._scores, tree._turns, gy)
        return _spread(function, 2, x, W, g, tree._nodes, None, gx)
