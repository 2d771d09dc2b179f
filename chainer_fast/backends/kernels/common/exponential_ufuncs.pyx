"""Exponentials of floats as functions of NumPy, which so take arrays of any strides.

Their loops for floats are those of `exponential.hpp`; for other types those of NumPy's
function stand in, where there is one. NumPy's own for floats are wrong by up to two and
a half units in the last place, and differ between processors.
"""
import numpy

cimport numpy as np
from cpython.object cimport PyObject

np.import_array()
np.import_ufunc()

cdef enum:
    MAX_TYPES = 4

cdef extern from "numpy/ufuncobject.h":
    ctypedef void (*InnerLoop "PyUFuncGenericFunction")(
        char **, const np.npy_intp *, const np.npy_intp *, void *)
    ctypedef struct cf_ufunc "PyUFuncObject":
        int ntypes
        InnerLoop *functions
        void **data
        char *types
    object make_ufunc "PyUFunc_FromFuncAndData"(
        InnerLoop *functions, void **data, char *types, int ntypes, int nin, int nout,
        int identity, const char *name, const char *doc, int unused)
    int PyUFunc_None

cdef extern from "chainer_fast/backends/kernels/common/exponential_loops.hpp" \
        namespace "chainer_fast" nogil:
    InnerLoop EXP "chainer_fast::ufunc_loop<chainer_fast::one_ulp::exp>"
    InnerLoop EXPM1_OF_NEGATIVE \
        "chainer_fast::ufunc_loop<chainer_fast::one_ulp::expm1_of_negative>"
    InnerLoop LOG1P_EXP_OF_NEGATIVE \
        "chainer_fast::ufunc_loop<chainer_fast::one_ulp::log1p_exp_of_negative>"
    InnerLoop SIGMOID "chainer_fast::ufunc_loop<chainer_fast::one_ulp::sigmoid>"
    InnerLoop TANH "chainer_fast::ufunc_loop<chainer_fast::one_ulp::tanh>"


cdef class _Table:
    """The loops of a function; it has to last as long as the function."""
    cdef InnerLoop functions[MAX_TYPES]
    cdef void *data[MAX_TYPES]
    cdef char types[2 * MAX_TYPES]
    cdef int count

    cdef int add(self, int typenum, InnerLoop function, void *data) except -1:
        self.functions[self.count] = function
        self.data[self.count] = data
        self.types[2 * self.count] = self.types[2 * self.count + 1] = typenum
        self.count += 1
        return 0


_tables = []


cdef object _function(const char *name, const char *doc, InnerLoop floats, ufunc=None):
    """Return a function with a loop for floats, and NumPy's loops for other types."""
    cdef _Table table = _Table()
    cdef cf_ufunc *numpys
    cdef int i
    cdef int typenum
    _tables.append(table)
    # NumPy tries the types in this order.
    for typenum in (np.NPY_FLOAT16, np.NPY_FLOAT, np.NPY_DOUBLE, np.NPY_LONGDOUBLE):
        if typenum == np.NPY_FLOAT:
            table.add(typenum, floats, NULL)
        elif ufunc is not None:
            numpys = <cf_ufunc *><PyObject *>ufunc
            for i in range(numpys.ntypes):
                if numpys.types[2 * i] == typenum == numpys.types[2 * i + 1]:
                    table.add(typenum, numpys.functions[i], numpys.data[i])
                    break
    return make_ufunc(
        table.functions, table.data, table.types, table.count, 1, 1, PyUFunc_None,
        name, doc, 0)


exp = _function('exp', 'Exponential function.', EXP, numpy.exp)
tanh = _function('tanh', 'Hyperbolic tangent.', TANH, numpy.tanh)
expm1_of_negative = _function(
    'expm1_of_negative', 'exp(x) - 1 where x is not positive.', EXPM1_OF_NEGATIVE,
    numpy.expm1)
log1p_exp_of_negative = _function(
    'log1p_exp_of_negative', 'log(1 + exp(x)) of floats that are not positive.',
    LOG1P_EXP_OF_NEGATIVE)
sigmoid = _function('sigmoid', 'Logistic sigmoid of floats.', SIGMOID)
