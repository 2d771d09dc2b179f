"""Dtypes and numbers under their present and former names in NumPy."""
import builtins

import numpy
from numpy import bool_, dtype, e, euler_gamma, inf, nan, newaxis, pi

bool, int, float = builtins.bool, builtins.int, builtins.float
int8, int16, int32, int64 = numpy.int8, numpy.int16, numpy.int32, numpy.int64
uint8 = numpy.uint8
float16, float32, float64 = numpy.float16, numpy.float32, numpy.float64

Inf = Infinity = PINF = infty = inf
NAN = NaN = nan
# Not as an attribute, which legacy mode would count.
NINF = vars(numpy).get('NINF', -inf)
NZERO = vars(numpy).get('NZERO', -0.)
PZERO = vars(numpy).get('PZERO', 0.)

__all__ = [
    'Inf', 'Infinity', 'NAN', 'NINF', 'NZERO', 'NaN', 'PINF', 'PZERO', 'bool', 'bool_',
    'dtype', 'e', 'euler_gamma', 'float', 'float16', 'float32', 'float64', 'inf',
    'infty', 'int', 'int16', 'int32', 'int64', 'int8', 'nan', 'newaxis', 'pi', 'uint8']
