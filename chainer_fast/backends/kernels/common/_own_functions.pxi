# Functions of this package for floats as functions of NumPy, which support any strides.
#
# Loops of exponentials are those of `exponential.hpp`: NumPy's own for floats are wrong
# by up to two and a half units in the last place, and differ between processors. Those
# of special functions are of `in_double.hpp`: SciPy computes one element at a time.
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
    Given ERF "chainer_fast::ufunc_loop<chainer_fast::one_ulp::erf>"
    Given TANH "chainer_fast::ufunc_loop<chainer_fast::one_ulp::tanh>"

cdef extern from "chainer_fast/backends/kernels/common/double_loops.hpp" \
        namespace "chainer_fast" nogil:
    Given DIGAMMA "chainer_fast::special_loop<float, chainer_fast::in_double::digamma>"
    Given ERFC "chainer_fast::special_loop<float, chainer_fast::in_double::erfc>"
    Given GAMMALN "chainer_fast::special_loop<float, chainer_fast::in_double::gammaln>"
    Given NDTR "chainer_fast::special_loop<float, chainer_fast::in_double::ndtr>"
    Given DOUBLE_ERF "chainer_fast::special_loop<double, chainer_fast::in_double::erf>"
    Given ERFCX "chainer_fast::special_loop<float, chainer_fast::in_double::erfcx>"
    Given DOUBLE_ERFCX \
        "chainer_fast::special_loop<double, chainer_fast::in_double::erfcx>"
    Given ERFINV \
        "chainer_fast::special_loop<float, chainer_fast::in_double::erfinv<float>>"
    Given DOUBLE_ERFINV \
        "chainer_fast::special_loop<double, chainer_fast::in_double::erfinv<double>>"
    Given LOG_NDTR \
        "chainer_fast::special_loop<float, chainer_fast::in_double::log_ndtr>"
    Given DOUBLE_LOG_NDTR \
        "chainer_fast::special_loop<double, chainer_fast::in_double::log_ndtr>"
    Given NDTRI "chainer_fast::special_loop<float, chainer_fast::in_double::ndtri>"
    Given FLOAT_POWERS "chainer_fast::power_loop<float>"
    Given DOUBLE_POWERS "chainer_fast::power_loop<double>"
    Given FLOAT_REMAINDERS "chainer_fast::float_remainders"

cdef extern from "chainer_fast/backends/kernels/common/trigonometric.hpp" \
        namespace "chainer_fast" nogil:
    Given SINES
    Given COSINES


cdef class _Table:
    """The loops of a function for floats, and perhaps for doubles.

    It has to last as long as the function. Its loops may call NumPy's.
    """
    cdef Given functions[2]
    cdef void *data[2]
    cdef char[6] types
    cdef Unary of_numpy


cdef dict _tables = {}


cdef object _function(const char *name, const char *doc, Given loop, int arguments=1,
                      Given of_doubles=NULL):
    cdef _Table table = _Table()
    cdef int i, n = arguments + 1
    table.functions[0], table.functions[1] = loop, of_doubles
    table.data[0], table.data[1] = &table.of_numpy.f, &table.of_numpy.d
    for i in range(n):
        table.types[i], table.types[n + i] = np.NPY_FLOAT, np.NPY_DOUBLE
    if of_doubles is not NULL and hasattr(numpy, name.decode()):
        table.of_numpy = unary_of(getattr(numpy, name.decode()))
        if loop is NULL:
            table.functions[0], table.data[0] = (
                <Given>table.of_numpy.f.loop, table.of_numpy.f.data)
    function = make_ufunc(
        table.functions, table.data, table.types, 1 if of_doubles is NULL else 2,
        arguments, 1, PyUFunc_None, name, doc, 0)
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
digamma = _function(
    'digamma', 'Derivative of the logarithm of the gamma function.', DIGAMMA)
erf = _function('erf', 'Error function.', ERF, 1, DOUBLE_ERF)
erfc = _function('erfc', 'One minus the error function.', ERFC)
erfcx = _function('erfcx', 'exp(x * x) * erfc(x).', ERFCX, 1, DOUBLE_ERFCX)
erfinv = _function('erfinv', 'Inverse of the error function.', ERFINV, 1, DOUBLE_ERFINV)
fmod = _function(
    'fmod', 'Remainder with the sign of the dividend.', FLOAT_REMAINDERS, 2)
gammaln = _function('gammaln', 'Logarithm of the size of the gamma function.', GAMMALN)
log_ndtr = _function('log_ndtr', 'Logarithm of ndtr.', LOG_NDTR, 1, DOUBLE_LOG_NDTR)
ndtr = _function('ndtr', 'Distribution function of the standard normal.', NDTR)
ndtri = _function('ndtri', 'Inverse of ndtr.', NDTRI)
power = _function('power', 'Powers.', FLOAT_POWERS, 2, DOUBLE_POWERS)
if SINES is not NULL:
    sin = _function('sin', 'Sine.', NULL, 1, SINES)
    cos = _function('cos', 'Cosine.', NULL, 1, COSINES)
