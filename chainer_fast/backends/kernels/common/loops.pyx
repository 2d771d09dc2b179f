"""What the shortcuts of elementwise functions share: loops over plain arrays.

What a small model pays for is not arithmetic but the way to it: argument parsing, type
resolution and dispatch of each ufunc call. A shortcut goes from the arrays straight to a
loop and back.
"""
import numpy

cimport numpy as np
from cpython.object cimport PyObject
from numpy cimport PyArray_DATA, PyArray_SAMESHAPE, PyArray_SIZE, npy_intp

from chainer_fast._core.floats cimport clear_float_errors, float_errors
from chainer_fast._core.graph cimport FunctionBase
from chainer_fast._core.plain cimport empty_like, kind_of
from chainer_fast._core.shortcut cimport given

np.import_array()
np.import_ufunc()

cdef extern from "numpy/ufuncobject.h":
    # The fields of C: what Cython's declarations call by these names depends on NumPy.
    ctypedef struct cf_ufunc "PyUFuncObject":
        int ntypes
        InnerLoop *functions
        void **data
        char *types


cdef void _loop2(Pair2 loops, char kind, void *a, void *b, void *out,
                 npy_intp n) noexcept nogil:
    if kind == b'f':
        loops.f(<float *>a, <float *>b, <float *>out, n)
    else:
        loops.d(<double *>a, <double *>b, <double *>out, n)


cdef object run2(Pair2 loops, char kind, object a, object b):
    """Return ``loop(a, b)``, or None if it raised a flag."""
    cdef object out = empty_like(a)
    cdef npy_intp n = PyArray_SIZE(a)
    cdef void *pa = PyArray_DATA(<np.ndarray>a)
    cdef void *pb = PyArray_DATA(<np.ndarray>b)
    cdef void *pout = PyArray_DATA(<np.ndarray>out)
    clear_float_errors()
    if n < LONG_LOOP:
        _loop2(loops, kind, pa, pb, pout, n)
    else:
        with nogil:
            _loop2(loops, kind, pa, pb, pout, n)
    return None if float_errors() else out


cdef void _loop1(Pair1 loops, char kind, void *a, double c, void *out,
                 npy_intp n) noexcept nogil:
    if kind == b'f':
        loops.f(<float *>a, <float>c, <float *>out, n)
    else:
        loops.d(<double *>a, c, <double *>out, n)


cdef object run1(Pair1 loops, char kind, object a, double c):
    """Return ``loop(a, c)``, or None if it raised a flag."""
    cdef object out = empty_like(a)
    cdef npy_intp n = PyArray_SIZE(a)
    cdef void *pa = PyArray_DATA(<np.ndarray>a)
    cdef void *pout = PyArray_DATA(<np.ndarray>out)
    clear_float_errors()
    if n < LONG_LOOP:
        _loop1(loops, kind, pa, c, pout, n)
    else:
        with nogil:
            _loop1(loops, kind, pa, c, pout, n)
    return None if float_errors() else out


cdef class UfuncLoop:
    """Inner loops of a ufunc of one argument, called without the ufunc."""

    def __cinit__(self, ufunc):
        cdef cf_ufunc *table
        cdef int i
        if not isinstance(ufunc, numpy.ufunc) or ufunc.nin != 1 or ufunc.nout != 1:
            raise TypeError('expected a ufunc of one argument, got %r' % (ufunc,))
        table = <cf_ufunc *><PyObject *>ufunc
        # The first loop that fits is NumPy's choice; slower ones may come after it.
        for i in reversed(range(table.ntypes)):
            if table.types[2 * i] == np.NPY_FLOAT and (
                    table.types[2 * i + 1] == np.NPY_FLOAT):
                self.loop_f = <InnerLoop>table.functions[i]
                self.data_f = <void *>table.data[i]
            elif table.types[2 * i] == np.NPY_DOUBLE and (
                    table.types[2 * i + 1] == np.NPY_DOUBLE):
                self.loop_d = <InnerLoop>table.functions[i]
                self.data_d = <void *>table.data[i]
        if self.loop_f is NULL or self.loop_d is NULL:
            raise RuntimeError('NumPy has no loop of floats for %r' % ufunc)

    cdef void _loop(self, char kind, void *a, void *out, npy_intp n) noexcept nogil:
        cdef char *args[2]
        cdef npy_intp steps[2]
        args[0] = <char *>a
        args[1] = <char *>out
        steps[0] = steps[1] = 4 if kind == b'f' else 8
        if kind == b'f':
            self.loop_f(args, &n, steps, self.data_f)
        else:
            self.loop_d(args, &n, steps, self.data_d)

    cdef object run(self, char kind, object a):
        """Return the ufunc of ``a``, or None if its loop raised a flag."""
        cdef object out = empty_like(a)
        cdef npy_intp n = PyArray_SIZE(a)
        cdef void *pa = PyArray_DATA(<np.ndarray>a)
        cdef void *pout = PyArray_DATA(<np.ndarray>out)
        clear_float_errors()
        if n < LONG_LOOP:
            self._loop(kind, pa, pout, n)
        else:
            with nogil:
                self._loop(kind, pa, pout, n)
        return None if float_errors() else out

    cdef int run_in_place(self, char kind, void *data, npy_intp n) noexcept nogil:
        """Apply the ufunc to ``n`` numbers where they are; leaves the flags alone."""
        self._loop(kind, data, data, n)
        return 0


cdef class BinaryShortcut(Shortcut):
    """Elementwise operation on two arrays of one shape."""

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        if n != 2:
            return None
        cdef object a = <object>x[0]
        cdef object b = <object>x[1]
        cdef char kind = kind_of(a)
        if not kind or kind_of(b) != kind or not PyArray_SAMESHAPE(
                <np.ndarray>a, <np.ndarray>b):
            return None
        return run2(self.loops, kind, a, b)


cdef class UnaryShortcut(Shortcut):
    """Elementwise function of one array, by a ufunc's loop; retains its output.

    The gradient is ``grad(y, gy)``.
    """

    cdef object forward(self, FunctionBase function, PyObject **x, Py_ssize_t n):
        if n != 1:
            return None
        cdef object a = <object>x[0]
        cdef char kind = kind_of(a)
        return self.ufunc.run(kind, a) if kind else None

    cdef int backward(
            self, FunctionBase function, object gy, PyObject **gx) except -1:
        cdef char kind = kind_of(gy)
        cdef object y = function.kept_outputs
        if not kind or kind_of(y) != kind or not PyArray_SAMESHAPE(
                <np.ndarray>y, <np.ndarray>gy):
            return 0
        gx[0] = given(run2(self.grad, kind, y, gy))
        return gx[0] is not NULL
