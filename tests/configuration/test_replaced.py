import threading

import pytest

import chainer_fast as chainer
from chainer_fast import configuration


@pytest.fixture
def lookups(monkeypatch):
    """Names that a program's own lookup, in place of Chainer's, is asked for."""
    names = []

    def look_up(self, name):
        names.append(name)
        own = self._local.__dict__
        return own[name] if name in own else getattr(self._global, name)

    def assign(self, name, value):
        names.append(name)
        setattr(self._local, name, value)

    monkeypatch.setattr(configuration.LocalConfig, '__getattr__', look_up)
    monkeypatch.setattr(configuration.LocalConfig, '__setattr__', assign)
    return names


def test_parts():
    config = chainer.config
    assert config._global is chainer.global_config
    assert not hasattr(config._local, 'train')
    config._local.train = False
    assert config.train is False and config._local.__dict__['train'] is False
    del config._local.train
    assert config.train is True
    with pytest.raises(AttributeError, match='train'):
        del config._local.train


def test_own_configuration_has_own_entries():
    config = configuration.LocalConfig(chainer.global_config)
    config._local.train = False
    assert (config.train, chainer.config.train) == (False, True)
    assert config._global is chainer.global_config


def test_replaced_lookup_is_asked(lookups):
    with chainer.using_config('train', False):
        assert chainer.config.train is False
    assert chainer.config.train is True
    assert lookups.count('train') >= 2
    with pytest.raises(AttributeError):
        _ = chainer.config.no_such_entry
    with chainer.no_backprop_mode():
        assert chainer.config.enable_backprop is False


def test_threads_have_their_own_entries(lookups):
    seen = []
    with chainer.using_config('train', False):
        thread = threading.Thread(target=lambda: seen.append(chainer.config.train))
        thread.start()
        thread.join()
    assert seen == [True]


def test_lookup_can_be_put_back(monkeypatch):
    original = configuration.LocalConfig.__getattr__
    assert original(chainer.config, 'train') is True
    configuration.LocalConfig.__getattr__ = lambda self, name: name
    try:
        assert chainer.config.train == 'train'
    finally:
        configuration.LocalConfig.__getattr__ = original
    assert chainer.config.train is True
    assert not hasattr(configuration.LocalConfig, 'train')


def test_show(lookups, capsys):
    chainer.config.show()
    assert 'enable_backprop' in capsys.readouterr().out


def test_chainerx_is_an_attribute():
    from chainer_fast import chainerx
    assert chainer.chainerx is chainerx
