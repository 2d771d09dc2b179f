"""Programs that ask for ChainerX, on plain arrays."""
import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import links as L

DEVICE, TO_CHX = 'without ChainerX: device', 'without ChainerX: to_chx'


@pytest.fixture(autouse=True)
def plain(enable):
    enable('chainerx')


@pytest.mark.parametrize('spec', ['native', 'native:0', 'native:1'])
def test_native_is_numpy(spec, used):
    device = chainer.get_device(spec)
    assert device == chainer.get_device('@numpy') and device.xp is np
    assert used() == {DEVICE: 1}


@pytest.mark.gpu
@pytest.mark.parametrize('spec, name', [('cuda', '@cupy:0'), ('cuda:0', '@cupy:0')])
def test_cuda_is_cupy(spec, name):
    assert chainer.get_device(spec) == chainer.get_device(name)


def test_cuda_without_a_gpu_is_refused_as_cupy_is():
    if chainer.backends.cuda.available:
        pytest.skip('there is a GPU')
    errors = []
    for spec in ('@cupy:0', 'cuda:0'):
        with pytest.raises(RuntimeError) as error:
            chainer.get_device(spec)
        errors.append(str(error.value))
    assert errors[0] == errors[1]


def test_both_without_a_gpu(enable):
    chainer.legacy.disable()
    enable('chainerx', 'cpu')
    assert chainer.get_device('cuda:1') == chainer.get_device('@numpy')


@pytest.mark.parametrize('spec', ['native:x', 'native:-1', 'foo:0', ''])
def test_bad_devices_stay_bad(spec, used):
    with pytest.raises((RuntimeError, ValueError)):
        chainer.get_device(spec)
    assert not used()


def test_nothing_moves(used):
    x = np.zeros(3, 'f')
    assert chainer.backend.to_chx(x) is x
    assert chainer.backend.to_chx([x, None])[0] is x
    v = chainer.Variable(x)
    assert v.to_chx() is None and v.array is x
    link = L.Linear(3, 2)
    assert link.to_chx() is link and type(link.W.array) is np.ndarray
    link.to_device('native:0')
    assert type(link.W.array) is np.ndarray
    assert used() == {TO_CHX: 4, DEVICE: 1}
    with pytest.raises(TypeError):
        chainer.backend.to_chx(3)


def test_without_legacy_mode_it_is_chainerx():
    chainer.legacy.disable()
    assert chainer.get_device('native').xp is chainer.chainerx
    link = L.Linear(3, 2).to_chx()
    assert isinstance(link.W.array, chainer.chainerx.ndarray)
