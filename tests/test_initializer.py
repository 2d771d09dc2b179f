import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainer_fast import initializer


@given(st.lists(st.integers(0, 6), min_size=2, max_size=5))
def test_fans_count_the_weights_of_each_unit(shape):
    fan_in, fan_out = initializer.get_fans(tuple(shape))
    weight = np.empty(shape)
    assert (type(fan_in), type(fan_out)) == (int, int)
    assert fan_in * shape[0] == weight.size == fan_out * shape[1]


@pytest.mark.parametrize('shape', [(), (3,), [2, 3], 3])
def test_fans_need_a_tuple_of_two_axes(shape):
    with pytest.raises(ValueError):
        initializer.get_fans(shape)


def test_base_class_is_abstract():
    init = initializer.Initializer('f')
    assert init.dtype == 'f'
    with pytest.raises(NotImplementedError):
        init(np.zeros(3, 'f'))
