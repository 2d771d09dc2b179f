"""Arrays for loops of floats and doubles, which compute halves in single precision."""
cimport numpy as np
from numpy cimport PyArray_CheckExact, PyArray_SIZE, PyArray_TYPE

from chainer_fast._core.arrays.plain cimport kind_of
from chainer_fast._core.graphs.graph cimport as_floats, as_halves


cdef inline object plain_floats(object x):
    """Return a plain array of the values of ``x``, or None if no code supports it.

    Halves become floats, which represent their values exactly.
    """
    cdef int typenum
    if kind_of(x):
        return x
    if not PyArray_CheckExact(x) or PyArray_SIZE(x) == 0:
        return None
    x = as_floats(x)
    typenum = PyArray_TYPE(<np.ndarray>x)
    if typenum != np.NPY_FLOAT and typenum != np.NPY_DOUBLE:
        return None
    return np.PyArray_FROM_OTF(x, typenum, np.NPY_ARRAY_IN_ARRAY)


cdef inline object in_type_of(object x, object y):
    """Return ``y``, which is in native bytes, in the type of ``x``."""
    if PyArray_TYPE(<np.ndarray>y) == PyArray_TYPE(<np.ndarray>x) and (
            np.PyArray_ISNOTSWAPPED(<np.ndarray>x)):
        return y
    return as_halves(y) if PyArray_TYPE(<np.ndarray>x) == np.NPY_FLOAT16 and (
        np.PyArray_ISNOTSWAPPED(<np.ndarray>x)) else y.astype(x.dtype)
