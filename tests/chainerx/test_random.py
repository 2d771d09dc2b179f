import numpy as np
import pytest

from chainer_fast import chainerx
from tests.chainerx import checks
from tests.chainerx.checks import values

pytestmark = pytest.mark.usefixtures('place')


@pytest.mark.parametrize('name, args, mean, deviation', [
    ('normal', (), 0, 1), ('normal', (3, .5), 3, .5), ('uniform', (), .5, 12 ** -.5),
    ('uniform', (2, 4), 3, 2 * 12 ** -.5)])
def test_distributions(name, args, mean, deviation):
    routine = getattr(chainerx.random, name)
    x = routine(*args, size=(100, 200))
    assert (x.dtype, x.device) == ('float64', chainerx.get_default_device())
    assert abs(values(x).mean() - mean) < .05 * deviation
    assert abs(values(x).std() / deviation - 1) < .05
    assert routine(*args).shape == ()
    assert routine(size=3, device='native:1').device.name == 'native:1'


def test_generator_is_numpys():
    if chainerx.get_default_device().native:
        np.random.seed(0)
        first = values(chainerx.random.normal(size=3))
        np.random.seed(0)
        np.testing.assert_array_equal(first, np.random.normal(size=3))


def test_other_functions_of_the_generator():
    x = chainerx.random.standard_gamma(checks.array(np.full(3, 1e6)), (5, 3))
    assert (x.dtype, x.shape) == ('float64', (5, 3))
    assert x.device is chainerx.get_default_device()
    assert abs(values(x) / 1e6 - 1).max() < .01
    assert chainerx.random.seed(0) is None
    for name in 'no_such', '_pickle', 'mtrand':
        with pytest.raises(AttributeError):
            getattr(chainerx.random, name)
