"""Scales that are negative or no numbers: Chainer's signs and NaN."""
import numpy as np
import pytest

from chainer_fast import initializers
from tests import compare


@pytest.mark.parametrize('shape', [(3, 3), (2, 4), (4, 2), (2, 2, 3), (5,)])
@pytest.mark.parametrize('scale', [1.5, -1.5, -1])
def test_the_sign_of_an_orthogonal_scale_does_not_count(shape, scale):
    filled = []
    for each in scale, abs(scale):
        np.random.seed(0)
        array = np.empty(shape, 'f')
        initializers.Orthogonal(each)(array)
        filled.append(array)
    compare.assert_array_equal(*filled)


def test_the_sign_of_an_orthogonal_scale_of_one_number_counts():
    filled = []
    for scale in 1.5, -1.5:
        np.random.seed(0)
        array = np.empty((), 'f')
        initializers.Orthogonal(scale)(array)
        filled.append(array)
    assert filled[0] == -filled[1] != 0


@pytest.mark.parametrize('make', [initializers.Orthogonal, initializers.Identity])
def test_no_number(make):
    array = np.empty((3, 3), 'f')
    make(scale=float('nan'))(array)
    assert np.isnan(array).all()


def test_zeros_of_a_negative_identity():
    array = np.empty((2, 2), 'f')
    initializers.Identity(-2)(array)
    compare.assert_array_equal(array, [[-2, 0], [0, -2]])
    assert np.signbit(array).all()


@pytest.mark.filterwarnings('error')
def test_an_infinite_identity_warns_as_numpy_does():
    with pytest.raises(RuntimeWarning, match='invalid value encountered in multiply'):
        initializers.Identity(np.inf)(np.empty((2, 2), 'f'))


@pytest.mark.parametrize('option', [['fan_in'], {}, np.array([1])])
def test_options_that_are_no_names(option):
    for make in (
            initializers.UpsamplingDeconvFilter, initializers.DownsamplingConvFilter):
        with pytest.raises(ValueError, match='interpolation'):
            make(option)
    with pytest.raises(ValueError, match='fan_option'):
        initializers.HeNormal(fan_option=option)(np.empty((2, 2), 'f'))
