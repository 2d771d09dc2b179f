import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainer_fast import initializers
from tests import compare

shapes = st.lists(st.integers(1, 5), max_size=4).map(tuple)


@given(shapes, st.integers(0, 2 ** 32 - 1), st.sampled_from('fd'))
def test_shorter_side_is_orthogonal(device, shape, seed, dtype):
    array = device.send(np.empty(shape, dtype))
    rng = np.random.RandomState(seed)
    initializers.Orthogonal(2.0, rng=rng)(array)
    matrix = array.reshape(len(array) if shape else 1, -1)
    if len(matrix) > matrix.shape[1]:
        matrix = matrix.T
    compare.assert_allclose(
        matrix @ matrix.T, 4 * np.eye(len(matrix)), atol=1e-5)


def test_known_values():
    # What Chainer 7.8.1 draws.
    for shape, expected in [
        ((), -1.1),
        ((1,), [1.1]),
        ((4, 3), [[0.6395851031879377, -0.5270757174885251, 0.2852250325017961],
                  [0.8124713029749768, 0.7056962604128829, -0.1732773957978639],
                  [0.34446959578596736, -0.6550707014081505, -0.5153366708767078],
                  [0.14886898670062504, -0.07117831291807084, 0.9127155858149748]]),
        ((2, 3), [[0.9434900650975174, 0.21402105863504398, 0.5234706138103816],
                  [0.3014033716009824, 0.6712375156215868, -0.8176773234043613]]),
    ]:
        np.random.seed(0)
        array = np.empty(shape)
        initializers.Orthogonal()(array)
        compare.assert_allclose(array, expected, rtol=1e-10)


def test_single_elements_take_both_signs(device):
    rng = np.random.RandomState(0)
    for shape in [(), (1,)]:
        init = initializers.Orthogonal(1.0, rng=rng)
        signs = set()
        for _ in range(30):
            array = device.send(np.empty(shape))
            init(array)
            signs.add(array.item())
        assert signs == {1.0, -1.0}


MODES = {
    'auto': lambda n_out, n_in: True,
    'projection': lambda n_out, n_in: n_out <= n_in,
    'embedding': lambda n_out, n_in: n_out >= n_in,
    'basis': lambda n_out, n_in: n_out == n_in,
}


@pytest.mark.parametrize('mode', MODES)
@pytest.mark.parametrize('shape', [(), (1,), (3,), (2, 3), (3, 2), (4, 2, 2)])
def test_modes(device, mode, shape):
    n_out, n_in = shape[0] if shape else 1, math.prod(shape[1:])
    init = initializers.Orthogonal(mode=mode)
    array = device.send(np.empty(shape))
    if MODES[mode](n_out, n_in):
        init(array)
        assert np.isfinite(array).all()
    else:
        with pytest.raises(ValueError, match=mode):
            init(array)


def test_unknown_mode():
    with pytest.raises(ValueError, match='sideways'):
        initializers.Orthogonal(mode='sideways')


@pytest.mark.parametrize('shape', [(0,), (0, 3), (3, 0)])
def test_empty(device, shape):
    with pytest.raises(ValueError, match='empty'):
        initializers.Orthogonal()(device.send(np.empty(shape)))
