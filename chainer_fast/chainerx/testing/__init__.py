"""Tools to test routines: comparisons, dtypes, and tests with NumPy and ChainerX."""
from chainer_fast.chainerx.testing import dtypes
from chainer_fast.chainerx.testing._array import (
    assert_allclose, assert_allclose_ex, assert_array_equal, assert_array_equal_ex)
from chainer_fast.chainerx.testing._comparison import (
    ignore, numpy_chainerx_allclose, numpy_chainerx_array_equal)
from chainer_fast.chainerx.testing._helper import _DeviceBuffer, _fromnumpy
from chainer_fast.chainerx.testing.dtypes import (
    all_dtypes, float_dtypes, integral_dtypes, nonfloat_dtypes, numeric_dtypes,
    parametrize_dtype_specifier, signed_dtypes, signed_integral_dtypes,
    unsigned_dtypes)

__all__ = [
    '_DeviceBuffer', '_fromnumpy', 'all_dtypes', 'assert_allclose',
    'assert_allclose_ex', 'assert_array_equal', 'assert_array_equal_ex', 'dtypes',
    'float_dtypes', 'ignore', 'integral_dtypes', 'nonfloat_dtypes', 'numeric_dtypes',
    'numpy_chainerx_allclose', 'numpy_chainerx_array_equal',
    'parametrize_dtype_specifier', 'signed_dtypes', 'signed_integral_dtypes',
    'unsigned_dtypes']
