# Exponentials of floats as functions of NumPy, which so take arrays of any strides.
#
# Their loops are those of `exponential.hpp`. NumPy's own for floats are wrong by up to
# two and a half units in the last place, and differ between processors.
#
# Part of ufuncs.pyx.

cdef extern from "numpy/ufuncobject.h":
    ctypedef void (*Given "PyUFuncGenericFunction")(
        char **, const np.npy_intp *, const np.npy_intp *, void *)
    object make_ufunc "PyUFunc_FromFuncAndData"(
        Given *functions, void **data, char *types, int ntypes, int nin, int nout,
        int identity, const char *name, const char *doc, int unused)
    int PyUFunc_None

cdef extern from "chainer_fast/backends/kernels/common/exponential_loops.hpp" \
        namespace "chainer_fast" nogil:
    Given EXP "chainer_fast::ufunc_loop<chainer_fast::one_ulp::exp>"
    Given EXPM1_OF_NEGATIVE \
        "chainer_fast::ufunc_loop<chainer_fast::one_ulp::expm1_of_negative>"
    Given LOG1P_EXP_OF_NEGATIVE \
        "chainer_fast::ufunc_loop<chainer_fast::one_ulp::log1p_exp_of_negative>"
    Given SIGMOID "chainer_fast::ufunc_loop<chainer_fast::one_ulp::sigmoid>"
    Given TANH "chainer_fast::ufunc_loop<chainer_fast::one_ulp::tanh>"


cdef class _Table:
    """The loop of a function; it has to last as long as the function."""
    cdef Given function
    cdef void *data
    cdef char[2] types


cdef dict _tables = {}


cdef object _function(const char *name, const char *doc, Given loop):
    cdef _Table table = _Table()
    table.function = loop
    table.types[0] = table.types[1] = np.NPY_FLOAT
    function = make_ufunc(
        &table.function, &table.data, table.types, 1, 1, 1, PyUFunc_None, name, doc, 0)
    _tables[function] = table
    return function


exp = _function('exp', 'Exponential function.', EXP)
tanh = _function('tanh', 'Hyperbolic tangent.', TANH)
expm1_of_negative = _function(
    'expm1_of_negative', 'exp(x) - 1 where x is not positive.', EXPM1_OF_NEGATIVE)
log1p_exp_of_negative = _function(
    'log1p_exp_of_negative', 'log(1 + exp(x)) where x is not positive.',
    LOG1P_EXP_OF_NEGATIVE)
sigmoid = _function('sigmoid', 'Logistic sigmoid.', SIGMOID)
