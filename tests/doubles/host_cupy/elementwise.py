"""Functions of elements that are not universal functions in CuPy, and its fusion."""
import numpy

from tests.doubles.host_cupy.array import (
    SCALARS,
    array_operand,
    ledger_launch,
    ndarray,
    operand,
    routines,
    view,
    wrap,
)
from tests.doubles.host_cupy.creation import array
from tests.doubles.host_cupy.indexing import nonzero
from tests.doubles.host_cupy.registry import method, routine


def elementwise(name, result, out=None, launches=1):
    result = numpy.asarray(result)
    for _ in range(launches):
        ledger_launch(name, result.size)
    if out is None:
        return wrap(numpy.array(result, order='C'))
    target = array_operand(out)
    if not numpy.can_cast(result.dtype, target.dtype, 'same_kind'):
        raise TypeError('output could not be coerced to %s' % target.dtype)
    target[...] = result
    return out


@routine
def where(condition, x=None, y=None):
    if x is None and y is None:
        return nonzero(condition)
    if x is None or y is None:
        raise ValueError('Must provide both \'x\' and \'y\' or neither.')
    return routines['_where'](routines['_as_bool'](condition), x, y)


# Kernels of functions that CuPy writes by others.
_STEPS = {'polygamma': 11, 'logsumexp': 8, 'softmax': 5, 'log_softmax': 6}


def composition(name, f):
    """Return a function that SciPy computes, of types as SciPy has them."""
    def g(*args, **kwargs):
        with numpy.errstate(all='ignore'):
            result = numpy.asarray(f(*map(operand, args), **kwargs))
        return elementwise(name, result, launches=_STEPS.get(name, 2))
    g.__name__ = name
    return g


@routine(names=['_as_bool'])
def _as_bool(condition):
    if numpy.isscalar(condition):
        return bool(condition)
    host = array_operand(condition)
    if host.dtype != bool:
        # where() has kernels for bool alone.
        return condition.astype(bool)
    return condition


@routine
def clip(a, a_min=None, a_max=None, out=None):
    array_operand(a)
    if a_min is None and a_max is None:
        raise ValueError('array_clip: must set either max or min')
    kind = a.dtype.kind
    if a_min is None:
        a_min = a.dtype.type('-inf') if kind == 'f' else numpy.iinfo(a.dtype).min
    if a_max is None:
        a_max = a.dtype.type('inf') if kind == 'f' else numpy.iinfo(a.dtype).max
    return routines['_clip'](a, a_min, a_max, out)


method(clip)


@routine
def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    host = array_operand(x)
    result = numpy.nan_to_num(host, True, nan, posinf, neginf)
    return elementwise('nan_to_num', result, None if copy else x)


@routine(names=['round', 'around'])
def around(a, decimals=0, out=None):
    return elementwise('around', numpy.around(array_operand(a), decimals), out)


def _round(self, decimals=0, out=None):
    return around(self, decimals, out)


_round.__name__ = 'round'
method(_round)


@routine
def fix(x, out=None):
    return elementwise('fix', numpy.fix(operand(x)), out)


@routine
def real(val):
    if not isinstance(val, ndarray):
        return array(val).real
    if val.dtype.kind != 'c':
        return val
    return view(val, val._host.real)


@routine
def imag(val):
    if not isinstance(val, ndarray):
        return array(val).imag
    if val.dtype.kind != 'c':
        return elementwise('zeros', numpy.zeros_like(array_operand(val)))
    return view(val, val._host.imag)


@routine
def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    return elementwise('isclose', numpy.isclose(
        operand(a), operand(b), rtol, atol, equal_nan), launches=2)


@routine
def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    return isclose(a, b, rtol, atol, equal_nan).all()


@routine
def array_equal(a1, a2, equal_nan=False):
    if a1.shape != a2.shape:
        return array(False)
    return elementwise('array_equal', numpy.array_equal(
        array_operand(a1), array_operand(a2), equal_nan), launches=2)


@routine
def array_equiv(a1, a2):
    return elementwise('array_equiv', numpy.array_equiv(
        array_operand(a1), array_operand(a2)), launches=2)


@routine
def convolve(a, v, mode='full'):
    return elementwise('convolve', numpy.convolve(
        array_operand(a), array_operand(v), mode))


@routine
def iscomplexobj(x):
    return x.dtype.kind == 'c'


@routine
def isrealobj(x):
    return x.dtype.kind != 'c'


@routine
def isscalar(element):
    return type(element) in SCALARS


@routine
def shares_memory(a, b, max_work=None):
    return numpy.shares_memory(a._host, b._host)


@routine
def may_share_memory(a, b, max_work=None):
    return numpy.may_share_memory(a._host, b._host)


def _dtype_of(x):
    return x.dtype if isinstance(x, ndarray) else x


@routine
def result_type(*arrays_and_dtypes):
    return numpy.result_type(*map(_dtype_of, arrays_and_dtypes))


@routine
def can_cast(from_, to, casting='safe'):
    return numpy.can_cast(_dtype_of(from_), to, casting)


@routine
def promote_types(type1, type2):
    return numpy.promote_types(type1, type2)


@routine
def common_type(*arrays):
    return numpy.common_type(*[numpy.empty(0, a.dtype) for a in arrays])


@routine
def min_scalar_type(a):
    return numpy.min_scalar_type(_dtype_of(a))


@routine
def interp(x, xp, fp, left=None, right=None, period=None):
    return elementwise('interp', numpy.interp(
        array_operand(x), array_operand(xp), array_operand(fp), left, right, period))


@routine
def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    raise NotImplementedError('the stand-in has no apply_along_axis')
