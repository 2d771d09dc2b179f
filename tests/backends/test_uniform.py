import numpy as np
import pytest

from chainer_fast.backends import _uniform


class OtherState:
    """Generator that has public methods only."""

    def random_sample(self, size, dtype):
        return size, dtype


@pytest.mark.gpu
@pytest.mark.parametrize('shape', [(), 3, (2, 0), (2, 3)])
@pytest.mark.parametrize('dtype', 'fd')
def test_draw(device, shape, dtype):
    device.seed(0)
    expected = device.xp.random.random_sample(shape, dtype)
    device.seed(0)
    drawn = _uniform.draw(shape, np.dtype(dtype))
    assert (drawn.dtype, drawn.shape) == (expected.dtype, expected.shape)
    assert (device.xp.where(drawn == 1, 0, drawn) == expected).all()


@pytest.mark.gpu
def test_rand(device, monkeypatch):
    device.seed(0)
    expected = _uniform.draw((2, 3), 'd')
    device.seed(0)
    assert (_uniform.rand(2, 3) == expected).all()
    assert _uniform.rand(2, dtype='f').dtype == 'f'
    monkeypatch.setattr(
        device.xp.random, 'rand', lambda *shape, **options: (shape, options))
    assert _uniform.rand(2, 3, dtype='f') == ((2, 3), {'dtype': 'f'})


@pytest.mark.gpu
def test_another_version_of_cupy(device, monkeypatch):
    monkeypatch.setattr(device.xp.random, 'get_random_state', OtherState)
    assert _uniform.draw((2, 3), 'f') == ((2, 3), 'f')
