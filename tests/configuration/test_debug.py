import pytest

import chainer_fast


def test_debug_mode():
    assert not chainer_fast.is_debug()
    with chainer_fast.using_config('debug', False):
        chainer_fast.set_debug(True)
        assert chainer_fast.is_debug() is True
        with pytest.deprecated_call(match='DebugMode'):
            mode = chainer_fast.DebugMode(False)
        with mode:
            assert chainer_fast.is_debug() is False
        assert chainer_fast.is_debug() is True
    assert chainer_fast.is_debug() is False


def test_debug_mode_keeps_the_value():
    with pytest.deprecated_call():
        mode = chainer_fast.DebugMode('yes')
    with mode:
        assert chainer_fast.config.debug == 'yes'
        assert chainer_fast.is_debug() is True


def test_debug_mode_ends_with_an_exception_and_can_be_nested():
    with pytest.deprecated_call():
        mode = chainer_fast.DebugMode(True)
    with pytest.raises(KeyError), mode, mode:
        raise KeyError
    assert not chainer_fast.is_debug()
