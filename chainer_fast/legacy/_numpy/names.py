"""Names that NumPy has removed."""
import sys
import types

import numpy

from chainer_fast._help.past import removed
from chainer_fast.legacy._python import modules, names


class _Cast(dict):
    """``numpy.cast[dtype]`` converts arrays."""

    def __missing__(self, dtype):
        return lambda a: numpy.asarray(a).astype(dtype)


class _Sizes(dict):
    """``numpy.nbytes[type]`` is the size of its numbers."""

    def __missing__(self, dtype):
        return numpy.dtype(dtype).itemsize


def _find_common_type(array_types, scalar_types):
    """Return the dtype of arrays, unless scalars are of a higher kind."""
    arrays = numpy.result_type(*array_types) if array_types else None
    scalars = numpy.result_type(*scalar_types) if scalar_types else None
    if arrays is None or scalars is None:
        return scalars if arrays is None else arrays
    kinds = 'buifcO'
    return scalars if kinds.find(scalars.kind) > kinds.find(arrays.kind) else arrays


def _obj2sctype(rep, default=None):
    if isinstance(rep, type) and issubclass(rep, numpy.generic):
        return rep
    try:
        return numpy.dtype(getattr(rep, 'dtype', rep)).type
    except TypeError:
        return default


def _asfarray(a, dtype=numpy.float64):
    is_inexact = numpy.issubdtype(dtype, numpy.inexact)
    return numpy.asarray(a, dtype=dtype if is_inexact else numpy.float64)


def _in1d(ar1, ar2, assume_unique=False, invert=False, **options):
    return numpy.isin(numpy.ravel(ar1), ar2, assume_unique, invert, **options)


def _sctypes():
    return {
        'int': [numpy.int8, numpy.int16, numpy.int32, numpy.int64],
        'uint': [numpy.uint8, numpy.uint16, numpy.uint32, numpy.uint64],
        'float': [numpy.float16, numpy.float32, numpy.float64, numpy.longdouble],
        'complex': [numpy.complex64, numpy.complex128, numpy.clongdouble],
        'others': [bool, object, bytes, str, numpy.void]}


def _maximum_sctype(t):
    kinds = {'i': numpy.int64, 'u': numpy.uint64, 'f': numpy.longdouble,
             'c': numpy.clongdouble}
    type_ = numpy.dtype(t).type
    return kinds.get(numpy.dtype(t).kind, type_)


def _issubclass(arg1, arg2):
    try:
        return issubclass(arg1, arg2)
    except TypeError:
        return False


def _always(value):
    return lambda: value


_SPECIAL = {
    'bool': _always(bool),
    'long': _always(int),
    'asscalar': _always(lambda a: a.item()),
    'alen': _always(lambda a: len(numpy.array(a, ndmin=1))),
    'in1d': _always(_in1d),
    'msort': _always(lambda a: numpy.sort(a, axis=0)),
    'asfarray': _always(_asfarray),
    'cast': _always(_Cast()),
    'nbytes': _always(_Sizes()),
    'find_common_type': _always(_find_common_type),
    'obj2sctype': _always(_obj2sctype),
    'sctype2char': _always(lambda sctype: numpy.dtype(_obj2sctype(sctype)).char),
    'sctypes': _sctypes,
    'issctype': _always(lambda rep: _issubclass(rep, numpy.generic)),
    'issubclass_': _always(_issubclass),
    'issubsctype': _always(lambda a, b: issubclass(_obj2sctype(a), _obj2sctype(b))),
    'maximum_sctype': _always(_maximum_sctype),
    'NINF': _always(-numpy.inf),
    'PZERO': _always(0.0),
    'NZERO': _always(-0.0),
}


def _umath_tests():
    module = types.ModuleType('numpy.core.umath_tests')
    vars(module).update(inner1d=lambda a, b: numpy.einsum('...i,...i->...', a, b),
                        matrix_multiply=numpy.matmul)
    return module


def _moved():
    """Return the removed modules, for :func:`modules.provide`."""
    known = {}
    for what, entry in removed.entries().items():
        if entry.part == 'numpy' and entry.instead == 'write numpy.NAME':
            known[what] = (_always(numpy), what)
    for what in ('numpy.linalg.linalg', 'numpy.fft.helper', 'numpy.fft.fftpack',
                 'numpy.testing.utils'):
        known[what] = (None, what)
    return known


def install(patches):
    names.provide(patches, numpy, 'numpy', {
        name: find for name, find in _SPECIAL.items() if name not in vars(numpy)})
    for name in ('lib', 'linalg', 'fft'):
        names.provide(patches, getattr(numpy, name), 'numpy')
    if 'numpy.testing' in sys.modules:
        names.provide(patches, sys.modules['numpy.testing'], 'numpy')
    modules.provide(patches, _moved())
    # NumPy 1.26 has a module of this name that cannot be imported.
    modules.provide(patches, {
        'numpy.core.umath_tests': (_umath_tests, 'numpy.core.umath_tests')},
        is_first=True)
