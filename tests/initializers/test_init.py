import types

import numpy as np
import pytest

import chainer_fast
from chainer_fast import initializers
from tests import compare


def fill_one(array):
    array[...] = 1


class TestGenerateArray:

    def test_dtype_comes_from_the_configuration(self, device):
        assert initializers.generate_array(fill_one, 2, device.xp).dtype == np.float32
        with chainer_fast.using_config('dtype', np.dtype('d')):
            assert initializers.generate_array(
                fill_one, 2, device.xp).dtype == np.float64
        with chainer_fast.using_config('dtype', chainer_fast.mixed16):
            assert initializers.generate_array(
                fill_one, 2, device.xp).dtype == np.float16

    def test_initializer_goes_before_the_configuration(self, device):
        array = initializers.generate_array(initializers.One('d'), (2, 1), device.xp)
        assert array.dtype == np.float64
        compare.assert_array_equal(array, np.ones((2, 1)))

    @pytest.mark.parametrize('dtype', ['d', np.float64, np.dtype('d')])
    def test_agreeing_dtypes(self, device, dtype):
        array = initializers.generate_array(initializers.One('d'), (), device.xp, dtype)
        assert array.dtype == np.float64
        assert array.shape == ()

    def test_contradicting_dtypes(self, device):
        with pytest.raises(ValueError, match='float32'):
            initializers.generate_array(initializers.One('d'), 2, device.xp, np.float32)

    def test_mixed16_initializer(self, device):
        init = initializers.Normal(dtype=chainer_fast.mixed16)
        assert initializers.generate_array(init, (2,), device.xp).dtype == np.float16

    def test_device(self):
        array = initializers.generate_array(fill_one, 2, np, 'd', '@numpy')
        assert type(array) is np.ndarray
        other = types.ModuleType('other')
        with pytest.raises(ValueError, match='other'):
            initializers.generate_array(fill_one, 2, other, device='@numpy')


class TestGetInitializer:

    def test_none_is_lecun_normal(self):
        init = initializers._get_initializer(None)
        assert type(init) is initializers.LeCunNormal
        assert init.scale == 1

    @pytest.mark.parametrize('value', [3, 2.5, np.float32(1), np.arange(3), True])
    def test_values_become_constants(self, device, value):
        init = initializers._get_initializer(value)
        assert type(init) is initializers.Constant
        array = device.send(np.empty((2, 3)))
        init(array)
        compare.assert_array_equal(array, np.broadcast_to(value, (2, 3)))

    def test_callables_stay(self):
        assert initializers._get_initializer(fill_one) is fill_one

    @pytest.mark.parametrize('value', [[1, 2], (1,), object()])
    def test_anything_else_is_refused(self, value):
        with pytest.raises(TypeError, match=type(value).__name__):
            initializers._get_initializer(value)
        with pytest.raises(TypeError, match=type(value).__name__):
            initializers._check_is_initializer_like(value)

    @pytest.mark.parametrize('value', [None, 3, np.ones(2), fill_one])
    def test_check_accepts_what_can_be_used(self, value):
        initializers._check_is_initializer_like(value)
