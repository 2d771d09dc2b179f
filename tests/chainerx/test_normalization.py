import numpy as np
import pytest

import chainer_fast.functions as F
from chainer_fast import chainerx
from tests.chainerx.checks import array, check, same, uniform, values

pytestmark = pytest.mark.usefixtures('place')

SHAPES = [((4, 3), (3,), None), ((2, 3, 4, 2), (3,), (0, 2, 3)),
          ((2, 3, 4, 2), (3, 4, 2), 0)]


def _operands(shape, reduced):
    return [uniform(*shape)] + [uniform(*reduced, seed=i) for i in (1, 2)]


@pytest.mark.parametrize('shape, reduced, axis', SHAPES)
def test_batch_norm(shape, reduced, axis):
    operands = _operands(shape, reduced)
    expected = [abs(uniform(*reduced, seed=i)) for i in (3, 4)]
    running = [array(each.copy()) for each in expected]

    def routine(*arrays):
        return chainerx.batch_norm(*arrays, *running, 1e-3, .8, axis)

    same(routine, lambda *a: F.batch_normalization(
        *a, running_mean=expected[0], running_var=expected[1], eps=1e-3, decay=.8,
        axis=axis), *operands)
    for each, other in zip(running, expected, strict=True):
        np.testing.assert_allclose(values(each), other)
    check(routine, *operands)


@pytest.mark.parametrize('shape, reduced, axis', SHAPES)
def test_fixed_batch_norm(shape, reduced, axis):
    operands = _operands(shape, reduced) + [
        uniform(*reduced, seed=3), abs(uniform(*reduced, seed=4)) + .1]
    same(lambda *a: chainerx.fixed_batch_norm(*a, axis=axis),
         lambda *a: F.fixed_batch_normalization(*a, axis=axis), *operands)
    check(lambda *a: chainerx.fixed_batch_norm(*a, axis=axis), *operands)


@pytest.mark.parametrize('bad', range(1, 5))
@pytest.mark.parametrize('name', ['batch_norm', 'fixed_batch_norm'])
def test_shapes_that_do_not_fit(name, bad):
    arrays = [array(uniform(*shape)) for shape in ((4, 3), (3,), (3,), (3,), (3,))]
    arrays[bad] = array(uniform(3, 2))
    with pytest.raises(chainerx.DimensionError):
        getattr(chainerx, name)(*arrays)


def test_running_values_in_a_graph_are_not_updated():
    arrays = [array(abs(uniform(*shape))) for shape in ((4, 3), (3,), (3,), (3,), (3,))]
    arrays[3].require_grad()
    with pytest.raises(chainerx.ChainerxError):
        chainerx.batch_norm(*arrays)
