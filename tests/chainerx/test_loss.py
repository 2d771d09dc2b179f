import numpy as np
import pytest

import chainer_fast.functions as F
from chainer_fast import chainerx
from tests.chainerx.checks import array, check, same, uniform

pytestmark = pytest.mark.usefixtures('place')


@pytest.mark.parametrize('name, args, kwargs', [
    ('absolute_error', (), {}), ('squared_error', (), {}),
    ('huber_loss', (.4,), {'reduce': 'no'}),
    ('gaussian_kl_divergence', (), {'reduce': 'no'})])
def test_losses_of_two_arrays(name, args, kwargs):
    operands = uniform(3, 4), uniform(3, 4, seed=1)
    routine = getattr(chainerx, name)
    same(lambda *a: routine(*a, *args),
         lambda *a: getattr(F, name)(*a, *args, **kwargs), *operands)
    check(lambda *a: routine(*a, *args), *operands)
    mixed = routine(array(operands[0].astype('float16')), array(operands[1]), *args)
    assert mixed.dtype == 'float64'


@pytest.mark.parametrize('dtype', ['int8', 'int16', 'int32', 'int64'])
@pytest.mark.parametrize('name, args, shape, kwargs', [
    ('hinge', (), (4,), {}), ('hinge', (2.,), (4,), {'norm': 'L2'}),
    ('sigmoid_cross_entropy', (), (4, 2), {'normalize': False}),
    ('softmax_cross_entropy', (), (4,), {})])
def test_losses_of_labels(name, args, shape, kwargs, dtype):
    x = uniform(4, 2)
    t = (uniform(*shape, seed=3) > 0).astype(dtype)
    routine = getattr(chainerx, name)
    same(lambda v: routine(v, array(t), *args),
         lambda v: getattr(F, name)(v, t, reduce='no', **kwargs), x)
    check(lambda v: routine(v, array(t), *args), x)


@pytest.mark.parametrize(
    'name', ['hinge', 'sigmoid_cross_entropy', 'softmax_cross_entropy'])
def test_labels_that_do_not_fit(name):
    x, routine = array(uniform(4, 2)), getattr(chainerx, name)
    with pytest.raises(chainerx.DimensionError):
        routine(x, array(np.zeros((3, 2, 1), int)))
    with pytest.raises(chainerx.DtypeError):
        routine(x, array(np.zeros(4)))
    with pytest.raises(chainerx.DtypeError):
        routine(array(np.zeros((4, 2), int)), array(np.zeros(4, int)))


def test_norms_of_hinge_are_two():
    with pytest.raises(ValueError, match='norm'):
        chainerx.hinge(array(uniform(4, 2)), array(np.zeros(4, int)), 3.)
