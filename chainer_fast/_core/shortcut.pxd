"""Questions that compiled shortcuts ask about a function of the graph."""
from cpython.object cimport PyObject

from chainer_fast._core.graph cimport FunctionBase

cdef PyObject *given(object array) noexcept
cdef bint wanted(FunctionBase function, Py_ssize_t i)
cdef object input_array(FunctionBase function, Py_ssize_t i)
cdef object output_array(FunctionBase function)
cdef bint fits_inputs(FunctionBase function, object gy, Py_ssize_t n) except -1
cdef int place_of(object axis, int ndim) except -2
cdef bint number(
    FunctionBase function, str name, double *value, bint casts=*) except -1
