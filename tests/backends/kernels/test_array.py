"""Values added at places that an index names: the compiled form."""
import collections

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from chainer_fast.backends.kernels import array as kernels


def values(shape, dtype):
    return np.asarray(np.random.RandomState(0).standard_normal(shape), dtype)


@given(hnp.array_shapes(max_dims=3, max_side=12),
       hnp.array_shapes(max_dims=2, min_side=0), st.booleans())
@pytest.mark.parametrize('dtype', 'fd')
@pytest.mark.parametrize('label', 'il')
def test_add_at(dtype, label, shape, places, from_zeros):
    index = np.random.RandomState(1).randint(-shape[0], shape[0], places).astype(label)
    x, base = values(places + shape[1:], dtype), values(shape, dtype)
    before = base.copy()
    args = x, (index,), shape if from_zeros else base
    found = kernels.add_at.compiled(*args)
    if x.size:
        np.testing.assert_array_equal(
            found, kernels.add_at.reference(*args), strict=True)
    else:
        assert found is NotImplemented
    np.testing.assert_array_equal(base, before)


def test_add_at_leaves_other_indexes_to_the_reference():
    x, index = values((3, 4), 'f'), np.array([0, 1, 1])

    def refuses(x, index, base):
        return kernels.add_at.compiled(x, index, base) is NotImplemented

    assert not refuses(x, (index,), (2, 4))
    assert refuses(x, (index, np.array([0, 1, 2])), (2, 4))
    assert refuses(x, ([0, 1, 1],), (2, 4))
    assert refuses(x, collections.namedtuple('Index', 'rows')(index), (2, 4))
    assert refuses(x, (index == 0,), (3, 4))
    assert refuses(x, (index,), (1, 4))
    assert refuses(x, (index - 3,), (2, 4))
    assert refuses(x, (index,), (2, 5))
    assert refuses(x, (index[:2],), (2, 4))
    assert refuses(x, (index,), np.zeros((2, 4)))
    assert refuses(x[:, 0].copy(), (index,), ())


def test_add_at_warns_of_overflow():
    x = np.full((2, 1), 3e38, 'f')
    with pytest.warns(RuntimeWarning, match='overflow'):
        found = kernels.add_at(x, (np.array([0, 0]),), (1, 1))
    np.testing.assert_array_equal(found, [[np.inf]])
