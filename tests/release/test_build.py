"""Which modules a build makes anew."""
import importlib.util
import os
import types
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytest.importorskip('Cython')


@pytest.fixture(scope='module')
def build():
    spec = importlib.util.spec_from_file_location('of_the_build', ROOT / 'setup.py')
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_only_what_was_written_for_present_modules_can_be_stale(
        build, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for age, name in enumerate(['removed.cpp', 'setup.py', 'present.cpp']):
        (tmp_path / name).write_text('')
        os.utime(name, (age, age))
    modules = [types.SimpleNamespace(sources=[each]) for each in (
        'present.pyx', 'never_translated.pyx')]
    assert not build.translated_before(modules)
    os.utime('setup.py', (9, 9))
    assert build.translated_before(modules)


def test_each_file_of_loops_becomes_part_of_a_module(build, monkeypatch):
    monkeypatch.chdir(ROOT)
    found = {Path(source) for extension in build.extensions()
             for source in extension.sources[1:]}
    assert len(found) > 5
    assert found == {*Path('chainer_fast').rglob('*.cc')}
