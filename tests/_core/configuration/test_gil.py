"""The engine runs with the global interpreter lock or not at all."""
import sys

import pytest

from chainer_fast._core.configuration import gil
from tests.compat import processes

SWITCHED_OFF = '''
import sys
sys._is_gil_enabled = lambda: False
import chainer_fast
'''


def switch(monkeypatch, on):
    monkeypatch.setattr(sys, '_is_gil_enabled', lambda: on, raising=False)


def test_switched_on(monkeypatch):
    switch(monkeypatch, True)
    assert gil.is_on()
    gil.require()


def test_an_interpreter_that_always_has_it(monkeypatch):
    monkeypatch.delattr(sys, '_is_gil_enabled', raising=False)
    assert gil.is_on()
    gil.require()


def test_switched_off(monkeypatch):
    switch(monkeypatch, False)
    assert not gil.is_on()
    with pytest.raises(ImportError, match='PYTHON_GIL'):
        gil.require()


def test_import_is_refused(tmp_path):
    (tmp_path / 'program.py').write_text(SWITCHED_OFF)
    process = processes.start('program.py', cwd=tmp_path)
    assert process.returncode == 1
    last = process.stderr.splitlines()[-1]
    assert last.startswith('ImportError: chainer_fast needs the global interpreter')
