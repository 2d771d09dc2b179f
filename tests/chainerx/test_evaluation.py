import numpy as np
import pytest

import chainer_fast.functions as F
from chainer_fast import chainerx
from tests.chainerx.checks import array, uniform, values

pytestmark = pytest.mark.usefixtures('place')


@pytest.mark.parametrize('ignore_label', [None, 0])
@pytest.mark.parametrize('dtype, label_dtype', [
    ('float16', 'int16'), ('float32', 'int32'), ('float64', 'int8')])
def test_accuracy(dtype, label_dtype, ignore_label):
    y = uniform(10, 3, 2).astype(dtype)
    t = np.random.default_rng(0).integers(3, size=(10, 2)).astype(label_dtype)
    found = chainerx.accuracy(array(y).require_grad(), array(t), ignore_label)
    assert found.dtype == dtype
    assert not found._is_connected()
    assert values(found) == F.accuracy(y, t, ignore_label).array


def test_arrays_that_do_not_fit():
    y, t = array(uniform(10, 3)), array(np.zeros(5, int))
    with pytest.raises(chainerx.DimensionError):
        chainerx.accuracy(y, t)
    with pytest.raises(chainerx.DtypeError):
        chainerx.accuracy(y, y)
    with pytest.raises(chainerx.DtypeError):
        chainerx.accuracy(t, t)
