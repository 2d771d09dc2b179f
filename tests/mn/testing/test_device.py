import pytest

from chainer_fast.mn import testing


def test_processor():
    assert testing.get_device().name == '@numpy'


@pytest.mark.gpu
def test_gpu():
    assert testing.get_device(0).name == '@cupy:0'


@pytest.mark.parametrize('number, name', [(None, 'native:0'), (1, 'cuda:1')])
def test_chainerx(number, name):
    with pytest.raises(RuntimeError, match=name):
        testing.get_device(number, True)
