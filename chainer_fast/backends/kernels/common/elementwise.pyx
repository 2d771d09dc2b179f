"""Elementwise functions: what the graph engine and static chains know of one.

A record names the loops of a function and of its gradient, and what these read. The
graph engine applies the function by it, without calling the methods of its class; a
static chain puts the loops of many functions one after the other.
"""
cimport numpy as np
from cpython.object cimport PyObject
from libc.math cimport INFINITY
from numpy cimport PyArray_DATA, PyArray_SIZE

from chainer_fast._core.dense cimport common_dense_kind, dense_kind, empty_dense_like
from chainer_fast._core.floats cimport clear_float_errors, float_errors
from chainer_fast._core.graph cimport shortcut_of
from chainer_fast._core.shortcut cimport (
    fits_inputs, given, input_array, number, output_array, wanted)
from chainer_fast.backends.kernels.common.layout cimport in_order_of
from chainer_fast.backends.kernels.common.loops cimport LONG_LOOP, unary_of

np.import_array()

# Operands of gradients that are not inputs; or the gradient goes through as it is.
cdef enum:
    _OUTPUT = -1
    _GRADIENT = -2
    _PASSES = -3


cdef class Loop:
    """A loop over arrays of one shape and type."""


cdef Loop loop_of(Form form, const void *loops, tuple ufuncs=()):
    """Return a loop; an activation may want one or two ufuncs of NumPy."""
    cdef Loop made = Loop()
    made.any.form = form
    made.any.loops = loops
    for i, ufunc in enumerate(ufuncs):
        made.ufuncs[i] = unary_of(ufunc)
    made.any.ufuncs = made.ufuncs
    return made


cdef Loop ufunc_loop(ufunc, of_floats=None):
    """Return the loop of a ufunc, as :func:`unary_of` does."""
    cdef Loop made = loop_of(UNARY, NULL)
    made.ufuncs[0] = unary_of(ufunc, of_floats)
    made.any.loops = made.ufuncs
    return made


copy = loop_of(COPY, NULL)


cdef inline object _run(
        const AnyLoop &loop, char kind, object a, object b, double p, double q):
    """Return what a loop makes of one or two arrays, or None if it raised a flag."""
    cdef object out = empty_dense_like(a)
    cdef ptrdiff_t n = PyArray_SIZE(a)
    cdef void *pa = PyArray_DATA(<np.ndarray>a)
    cdef void *pb = PyArray_DATA(<np.ndarray>b)
    cdef void *pout = PyArray_DATA(<np.ndarray>out)
    clear_float_errors()
    if n < LONG_LOOP:
        loop.run(kind, pa, pb, NULL, pout, NULL, n, p, q)
    else:
        with nogil:
            loop.run(kind, pa, pb, NULL, pout, NULL, n, p, q)
    return None if float_errors() else out


cdef class Elementwise(Shortcut):
    """An elementwise function of one or two arrays, and its gradient.

    Parameters
    ----------
    loop : Loop
        The function.
    inputs : int
        Number of arrays that it takes.
    gradients : tuple or Loop
        For each input the loop of its gradient with the operand that stands before the
        gradient of the output: the number of an input, ``'y'`` for the output, or
        ``'g'`` if there is no other; None if the gradient of the output is that of the
        input. A loop makes those of both inputs at once, from both and the gradient.
    parameters : tuple of str
        Attributes of the function that are constants of all these loops, two at most.
    least, most : float
        The range of the first parameter; the methods of the class serve others.
    """

    def __init__(self, Loop loop, int inputs, gradients, tuple parameters=(),
                 double least=-INFINITY, double most=INFINITY):
        self.loop = loop
        self.inputs = inputs
        self.gradients = gradients
        self._first, self._second = (*parameters, None, None)[:2]
        self._least, self._most = least, most
        self._at_once = isinstance(gradients, Loop)
        self._compares = True
        if self._at_once:
            self.retain_inputs = (0, 1)
            return
        kept = set()
        for i, gradient in enumerate(gradients):
            self._operands[i] = _PASSES
            if gradient is not None:
                made, operand = gradient
                self._grads[i] = (<Loop?>made).any
                self._operands[i] = {'y': _OUTPUT, 'g': _GRADIENT}.get(operand, operand)
                kept.add(self._operands[i])
        self.retain_inputs = tuple(sorted([i for i in kept if i >= 0])) or None
        self.retain_outputs = (0,) if _OUTPUT in kept else None
        # A lone operand shows what the gradient has to look like.
        self._compares = inputs > 1 or not kept or _GRADIENT in kept

    cdef bint _serves(self, FunctionBase function, double *p, double *q) except -1:
        """Read the parameters; tell whether the loops are for them."""
        return number(function, self._first, p) and (
            self._least <= p[0] <= self._most) and number(function, self._second, q)

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        cdef double p = 0
        cdef double q = 0
        cdef object a = <object>x[0]
        cdef object b = <object>x[n - 1]
        cdef char kind
        if n != self.inputs:
            return None
        kind = dense_kind(a) if n == 1 else common_dense_kind(a, b)
        if not kind or self._first is not None and not self._serves(function, &p, &q):
            return None
        return _run(self.loop.any, kind, a, b, p, q)

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef double p = 0
        cdef double q = 0
        cdef object a, g
        cdef char kind
        cdef int i, operand
        if self._compares and not fits_inputs(function, gy, self.inputs):
            return 0
        if self._first is not None and not self._serves(function, &p, &q):
            return 0
        if self._at_once:
            return self._both(function, gy, gx)
        for i in range(self.inputs):
            operand = self._operands[i]
            if operand == _PASSES:
                gx[i] = given(gy)
                continue
            if self.inputs > 1 and not wanted(function, i):
                continue
            a = g = gy
            if operand == _GRADIENT:
                kind = dense_kind(gy)
            else:
                a = (output_array(function) if operand == _OUTPUT
                     else input_array(function, operand))
                kind = common_dense_kind(a, gy)
                if not kind and dense_kind(a):
                    g = in_order_of(gy, a)
                    kind = common_dense_kind(a, g)
            if not kind:
                return 0
            gx[i] = given(_run(self._grads[i], kind, a, g, p, q))
            if gx[i] is NULL:
                return 0
        return 1

    cdef int _both(self, FunctionBase function, object gy, PyObject **gx) except -1:
        """Find both gradients, wanted or not: NumPy warns of errors in either."""
        cdef object a = input_array(function, 0)
        cdef object b = input_array(function, 1)
        cdef object ga, gb
        cdef char kind = common_dense_kind(a, b)
        if not kind:
            return 0
        if not common_dense_kind(a, gy):
            gy = in_order_of(gy, a)
            if not common_dense_kind(a, gy):
                return 0
        ga = empty_dense_like(a)
        gb = empty_dense_like(a)
        clear_float_errors()
        (<Loop>self.gradients).any.run(
            kind, PyArray_DATA(<np.ndarray>a), PyArray_DATA(<np.ndarray>b),
            PyArray_DATA(<np.ndarray>gy), PyArray_DATA(<np.ndarray>ga),
            PyArray_DATA(<np.ndarray>gb), PyArray_SIZE(a), 0, 0)
        if float_errors():
            return 0
        gx[0] = given(ga)
        gx[1] = given(gb)
        return 1


def elementwise_of(FunctionBase function, Py_ssize_t inputs):
    """Return the record of an elementwise function, and its parameters.

    Parameters
    ----------
    function : FunctionNode
    inputs : int
        Number of arrays that it is applied to.

    Returns
    -------
    tuple of (Elementwise, tuple of float) or None
        None if it has no record, or is used in a way for which there are no loops.
    """
    cdef Shortcut shortcut = shortcut_of(function)
    cdef double p = 0
    cdef double q = 0
    if type(shortcut) is not Elementwise or (
            (<Elementwise>shortcut).inputs != inputs):
        return None
    if (<Elementwise>shortcut)._first is not None and (
            not (<Elementwise>shortcut)._serves(function, &p, &q)):
        return None
    return shortcut, (p, q)
