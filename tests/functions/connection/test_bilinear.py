import numpy as np
import pytest

from chainer_fast import functions as F
from chainer_fast import grad
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable
from tests import compare
from tests.functions import gradients

SHAPES = [(4, 2), (4, 3), (2, 3, 5), (2, 5), (3, 5), (5,)]


def inputs(count):
    return [gradients.uniform(s, i) for i, s in enumerate(SHAPES[:count])]


@pytest.mark.parametrize('count', [3, 6])
def test_values_and_gradients(device, count):
    xs = inputs(count)
    expected = np.einsum('ij,ik,jkl->il', *xs[:3])
    if count == 6:
        expected += xs[0] @ xs[3] + xs[1] @ xs[4] + xs[5]
    compare.assert_allclose(F.bilinear(*device.send(xs)).array, expected)
    gradients.check(device, F.bilinear, *xs)


def test_axes_are_flattened(device):
    e1, e2, W = inputs(3)
    y = F.bilinear(*device.send((e1.reshape(4, 1, 2), e2.reshape(4, 3, 1), W)))
    compare.assert_array_equal(y.array, F.bilinear(*device.send((e1, e2, W))).array)
    gradients.check(device, F.bilinear, e1.reshape(4, 1, 2), e2.reshape(4, 3, 1), W)


def test_single_second_gradients(device):
    # Of the gradients of gradients, all but one are absent.
    xs = [Variable(device.send(x)) for x in inputs(6)]
    y = F.bilinear(*xs) ** 2
    for x in xs:
        g, = grad([y], [x], enable_double_backprop=True)
        assert g.shape == x.shape
        for v, h in zip(xs, grad([g], xs), strict=True):
            assert h.shape == v.shape


def test_the_optional_coefficients_come_together(device):
    xs = inputs(6)
    for missing in 3, 4, 5:
        with pytest.raises(ValueError):
            F.bilinear(
                *device.send([None if i == missing else x for i, x in enumerate(xs)]))


@pytest.mark.parametrize('i', range(6))
def test_types_are_checked(device, i):
    for spoilt in (lambda x: x.astype('f'), lambda x: np.concatenate([x, x], -1)):
        xs = inputs(6)
        xs[i] = spoilt(xs[i])
        with pytest.raises(type_check.InvalidType):
            F.bilinear(*device.send(xs))
