"""Modules written for tests of legacy mode."""
import importlib
import itertools
import sys

import pytest

from chainer_fast import legacy

_numbers = itertools.count()


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Return a function that writes a module, and imports it or runs into its error."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def load(text):
        name = 'program_of_old_%d' % next(_numbers)
        (tmp_path / (name + '.py')).write_text(text, encoding='utf-8')
        importlib.invalidate_caches()
        return importlib.import_module(name)
    yield load
    legacy.disable()
    for name in list(sys.modules):
        if name.startswith('program_of_old_'):
            del sys.modules[name]


@pytest.fixture
def used():
    """Return a function that returns ``{what: number of uses}``."""
    def used():
        from chainer_fast.legacy import _report
        return {what: sum(places.values()) for what, places in _report.uses().items()}
    return used


@pytest.fixture
def enable():
    """Function that enables legacy mode until the end of the test."""
    yield legacy.enable
    legacy.disable()
