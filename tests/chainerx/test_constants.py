import math

import numpy as np

from chainer_fast import chainerx


def test_dtypes_are_numpys():
    for name in ('bool_', 'int8', 'int16', 'int32', 'int64', 'uint8', 'float16',
                 'float32', 'float64', 'dtype', 'newaxis', 'nan', 'inf', 'pi', 'e'):
        assert getattr(chainerx, name) is getattr(np, name)
    assert (chainerx.bool, chainerx.int, chainerx.float) == (bool, int, float)


def test_numbers():
    for name in 'Inf', 'Infinity', 'PINF', 'infty':
        assert getattr(chainerx, name) == np.inf
    assert -np.inf == chainerx.NINF
    assert math.isnan(chainerx.NaN)
    assert math.isnan(chainerx.NAN)
    assert math.copysign(1, chainerx.NZERO) == -1
    assert math.copysign(1, chainerx.PZERO) == 1
