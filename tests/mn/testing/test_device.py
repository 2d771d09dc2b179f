import pytest

from chainer_fast.mn import testing


def test_processor():
    assert testing.get_device().name == '@numpy'


@pytest.mark.gpu
def test_gpu():
    assert testing.get_device(0).name == '@cupy:0'


def test_chainerx():
    assert testing.get_device(use_chainerx=True).name == 'native:0'
