"""Dtypes and numbers under the names that they have in NumPy, also those it had."""
import builtins

import numpy
from numpy import (  # noqa: F401
    bool_,
    dtype,
    e,
    euler_gamma,
    float16,
    float32,
    float64,
    inf,
    int8,
    int16,
    int32,
    int64,
    nan,
    newaxis,
    pi,
    uint8,
)

bool, int, float = builtins.bool, builtins.int, builtins.float

Inf = Infinity = PINF = infty = inf
NAN = NaN = nan
NINF: float = getattr(numpy, 'NINF', -inf)
NZERO: float = getattr(numpy, 'NZERO', -0.)
PZERO: float = getattr(numpy, 'PZERO', 0.)

__all__ = [
    'Inf', 'Infinity', 'NAN', 'NINF', 'NZERO', 'NaN', 'PINF', 'PZERO', 'bool', 'bool_',
    'dtype', 'e', 'euler_gamma', 'float', 'float16', 'float32', 'float64', 'inf',
    'infty', 'int', 'int16', 'int32', 'int64', 'int8', 'nan', 'newaxis', 'pi', 'uint8']
