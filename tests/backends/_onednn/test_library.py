"""The library is found, and opened only when it is wanted."""
import os
import subprocess
import sys

import numpy as np
import pytest

import chainer_fast
from chainer_fast.backends import intel64
from chainer_fast.backends._onednn import _find, library

IS_IT_OPEN = '''
def is_open():
    with open('/proc/self/maps') as maps:
        return 'libdnnl' in maps.read()
'''


def run(code, **environ):
    inherited = {name: value for name, value in os.environ.items()
                 if name != 'CHAINER_USE_IDEEP'}
    done = subprocess.run(
        [sys.executable, '-c', IS_IT_OPEN + code], env={**inherited, **environ},
        capture_output=True, text=True)
    assert not done.returncode, done.stderr
    return done.stdout.split()


WORK = '''
import numpy as np
import chainer_fast as chainer
import chainer_fast.functions as F
print(is_open())
x, W = np.ones((1, 2, 8, 8), 'f'), np.ones((2, 2, 3, 3), 'f')
F.convolution_2d(x, W)
F.linear(np.ones((64, 64), 'f'), np.ones((64, 64), 'f'))
print(is_open())
'''


@pytest.mark.usefixtures('onednn')
@pytest.mark.parametrize('setting, opened', [
    (None, 'False'), ('never', 'False'), ('auto', 'True'), ('always', 'True')])
def test_opened_when_first_wanted(setting, opened):
    environ = {} if setting is None else {'CHAINER_USE_IDEEP': setting}
    assert run(WORK, **environ) == ['False', opened]


@pytest.mark.usefixtures('onednn')
def test_facts():
    assert library.reason() == ''
    assert library.version().startswith('3.')
    assert _find.path().endswith(('libdnnl.so.3', 'libdnnl.so.3.2'))


@pytest.fixture
def no_wheel(monkeypatch):
    monkeypatch.setattr(library, 'available', lambda: False)
    monkeypatch.setattr(library, 'reason', lambda: 'there is none')


def test_without_the_wheel(no_wheel):
    with pytest.raises(RuntimeError, match="there is none.*install onednn-cpu-gomp"):
        intel64.check_ideep_available()
    for level in 'auto', 'always':
        with chainer_fast.using_config('use_ideep', level):
            assert not intel64.should_use_ideep('>=auto')


def test_not_installed(monkeypatch, tmp_path):
    monkeypatch.setattr(_find, 'WHEEL', 'no-such-wheel')
    monkeypatch.setattr(sys, 'prefix', str(tmp_path))
    monkeypatch.setattr(sys, 'base_prefix', str(tmp_path))
    assert _find.path() is None
    (tmp_path / 'lib').mkdir()
    (tmp_path / 'lib' / 'libdnnl.so.3').write_bytes(b'')
    assert _find.path() == str(tmp_path / 'lib' / 'libdnnl.so.3')


@pytest.mark.usefixtures('onednn')
def test_wrong_setting():
    with chainer_fast.using_config('use_ideep', 'sometimes'), \
            pytest.raises(ValueError, match='use_ideep'):
        chainer_fast.functions.convolution_2d(
            np.ones((1, 2, 8, 8), 'f'), np.ones((2, 2, 3, 3), 'f'))
