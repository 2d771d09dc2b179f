"""Losses of plain arrays in single and double precision; ``NotImplemented`` for others.

Labels are plain, too, and of 32 or 64 bits. If a flag is raised, the reference computes
again, and warns.
"""
import numpy

cimport numpy as np
from libc.stddef cimport ptrdiff_t
from numpy cimport PyArray_DATA, PyArray_DIM, PyArray_EMPTY, PyArray_NDIM, \
    PyArray_SAMESHAPE, PyArray_SIZE, PyArray_TYPE, npy_intp

from chainer_fast._core.floats cimport clear_float_errors, float_errors
from chainer_fast._core.plain cimport common_kind, empty_like, is_numpy_number, kind_of
from chainer_fast.backends.kernels.common.labels cimport label_at, plain_labels
from chainer_fast.backends.kernels.common.loops cimport Unary, unary_of

np.import_array()

cdef extern from "chainer_fast/backends/kernels/losses/loops.hpp" \
        namespace "chainer_fast":
    cdef struct SigmoidParts:
        Unary exp
        Unary log1p
        Unary tanh

    void huber_loop(
        char kind, object x, object t, object out, ptrdiff_t n, double delta) noexcept
    void huber_grad_loop(
        char kind, object x, object t, object g, object out, ptrdiff_t runs,
        ptrdiff_t run, double delta) noexcept
    void sum_rows_loop(
        char kind, object x, object out, ptrdiff_t rows, ptrdiff_t columns) noexcept
    void sigmoid_losses_loop(
        char kind, object x, object t, bint wide, object out, ptrdiff_t n,
        double ignored, const SigmoidParts *parts) noexcept
    void sigmoid_gradients_loop(
        char kind, object x, object t, bint wide, object g, bint g_single, object out,
        ptrdiff_t n, double ignored, double number,
        const SigmoidParts *parts) noexcept
    void hinge_loop(
        char kind, object x, object classes, object out, ptrdiff_t rows,
        ptrdiff_t columns, bint squared) noexcept
    void hinge_gradients_loop(
        char kind, object x, object classes, object g, bint g_single, object out,
        ptrdiff_t rows, ptrdiff_t columns, bint squared, double n) noexcept

cdef SigmoidParts _parts
_parts.exp = unary_of(numpy.exp)
_parts.log1p = unary_of(numpy.log1p)
_parts.tanh = unary_of(numpy.tanh)


cdef bint _is_number(object x) noexcept:
    """Tell whether an object becomes a double without any code of the user's."""
    return type(x) is int or type(x) is float or is_numpy_number(x)


# ----------------------------------------------------------------- errors of two arrays

def huber_losses(x, t, delta):
    cdef char kind = common_kind(x, t)
    if not kind or not _is_number(delta):
        return NotImplemented
    out = empty_like(x)
    clear_float_errors()
    huber_loop(kind, x, t, out, PyArray_SIZE(x), delta)
    return NotImplemented if float_errors() else out


def huber_grad(x, t, g, delta):
    cdef char kind = common_kind(x, t)
    cdef ptrdiff_t runs
    if not kind or kind_of(g) != kind or not _is_number(delta) or not delta > 0:
        return NotImplemented
    if PyArray_SAMESHAPE(<np.ndarray>x, <np.ndarray>g):
        runs = PyArray_SIZE(x)
    elif PyArray_NDIM(x) == 2 and PyArray_NDIM(g) == 2 and (
            PyArray_DIM(<np.ndarray>g, 0) == PyArray_DIM(<np.ndarray>x, 0)
            and PyArray_DIM(<np.ndarray>g, 1) == 1):
        runs = PyArray_SIZE(g)
    else:
        return NotImplemented
    out = empty_like(x)
    clear_float_errors()
    huber_grad_loop(kind, x, t, g, out, runs, PyArray_SIZE(x) // runs, delta)
    return NotImplemented if float_errors() else out


cdef bint _fits(object g, object x) noexcept:
    """Tell whether there is a gradient for each element of ``x``, or one for all."""
    return kind_of(g) == kind_of(x) and (
        PyArray_NDIM(g) == 0 or PyArray_SAMESHAPE(<np.ndarray>x, <np.ndarray>g))


# ----------------------------------------------------- a sigmoid and labels of elements

cdef char _kind_with_labels(object x, object t, object ignored) except -1:
    """Return the kind of ``x`` if its labels and the ignored one fit the loops, else 0.

    These compare labels as doubles: small ones are exact.
    """
    if not kind_of(x) or not plain_labels(t) or type(ignored) is not int or (
            not PyArray_SAMESHAPE(<np.ndarray>x, <np.ndarray>t)):
        return 0
    return kind_of(x) if abs(ignored) < 2**31 else 0


cdef bint _are_wide(object t) noexcept:
    return PyArray_TYPE(<np.ndarray>t) == np.NPY_INT64


def sigmoid_losses(x, t, ignore_label):
    cdef char kind = _kind_with_labels(x, t, ignore_label)
    if not kind:
        return NotImplemented
    out = empty_like(x)
    clear_float_errors()
    sigmoid_losses_loop(
        kind, x, t, _are_wide(t), out, PyArray_SIZE(x), ignore_label, &_parts)
    return NotImplemented if float_errors() else out


def sigmoid_mean(x, t, ignore_label, n):
    losses = sigmoid_losses(x, t, ignore_label)
    if losses is NotImplemented:
        return NotImplemented
    if n is None:
        n = numpy.maximum(numpy.count_nonzero(t != ignore_label), 1)
    # Others may have changed ``x`` in the meantime.
    total = PyArray_EMPTY(0, NULL, PyArray_TYPE(<np.ndarray>losses), 0)
    clear_float_errors()
    sum_rows_loop(kind_of(losses), losses, total, 1, PyArray_SIZE(losses))
    if float_errors():
        return NotImplemented
    total[()] /= n
    return total, n


def sigmoid_gradient(x, t, g, ignore_label, number):
    cdef char kind = _kind_with_labels(x, t, ignore_label)
    if not kind or not _fits(g, x) or not _is_number(number):
        return NotImplemented
    out = empty_like(x)
    clear_float_errors()
    sigmoid_gradients_loop(
        kind, x, t, _are_wide(t), g, PyArray_NDIM(g) == 0, out, PyArray_SIZE(x),
        ignore_label, number, &_parts)
    return NotImplemented if float_errors() else out


# ------------------------------------------------------------------- one class of a row

cdef object _classes(object x, object t):
    """Return the class of each row of scores, or None if one has none.

    It is an array of our own, since others may write to ``t`` while a loop runs.
    """
    cdef npy_intp i, label, n
    if not kind_of(x) or not plain_labels(t) or PyArray_NDIM(x) != 2 or (
            PyArray_NDIM(t) != 1):
        return None
    n = PyArray_DIM(<np.ndarray>x, 0)
    if PyArray_DIM(<np.ndarray>t, 0) != n:
        return None
    classes = PyArray_EMPTY(1, &n, np.NPY_INTP, 0)
    for i in range(n):
        label = label_at(t, i)
        if label < 0 or label >= PyArray_DIM(<np.ndarray>x, 1):
            return None
        (<npy_intp *>PyArray_DATA(<np.ndarray>classes))[i] = label
    return classes


def hinge_losses(x, t, bint squared):
    cdef object classes = _classes(x, t)
    if classes is None:
        return NotImplemented
    out = empty_like(x)
    clear_float_errors()
    hinge_loop(kind_of(x), x, classes, out, PyArray_DIM(<np.ndarray>x, 0),
               PyArray_DIM(<np.ndarray>x, 1), squared)
    return NotImplemented if float_errors() else out


def hinge_gradient(x, t, g, bint squared, double n):
    cdef object classes = _classes(x, t)
    if classes is None or not _fits(g, x):
        return NotImplemented
    out = empty_like(x)
    clear_float_errors()
    hinge_gradients_loop(
        kind_of(x), x, classes, g, PyArray_NDIM(g) == 0, out,
        PyArray_DIM(<np.ndarray>x, 0), PyArray_DIM(<np.ndarray>x, 1), squared, n)
    return NotImplemented if float_errors() else out
