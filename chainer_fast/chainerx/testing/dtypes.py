"""Names of dtypes by kind."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy

all_dtypes = (
    'bool_', 'int8', 'int16', 'int32', 'int64', 'uint8', 'float16', 'float32',
    'float64')


def _of(kinds):
    return tuple([name for name in all_dtypes if numpy.dtype(name).kind in kinds])


float_dtypes = _of('f')
signed_dtypes = _of('if')
unsigned_dtypes = _of('u')
integral_dtypes = _of('iu')
signed_integral_dtypes = _of('i')
nonfloat_dtypes = _of('biu')
numeric_dtypes = _of('iuf')


def parametrize_dtype_specifier(
        argname: str, dtypes: Sequence[str] | None = None,
        additional_args: Sequence[Any] = ()) -> Any:
    """Return a decorator that runs a test with all names of dtypes.

    Parameters
    ----------
    argname : str
        The parameter of the test.
    dtypes : sequence of str, optional
        Names of the dtypes, by default all.
    additional_args : sequence
        Further values for the parameter.
    """
    import pytest
    if dtypes is None:
        dtypes = all_dtypes
    found: list[Any] = []
    for name in dtypes:
        dtype = numpy.dtype(name)
        found += [name, dtype.type, dtype]
        found += [each for each in (bool, int, float) if numpy.dtype(each) == dtype]
    return pytest.mark.parametrize(argname, found + list(additional_args))
