"""Compiled forms of rewritten modules, kept from one process to the next."""
import importlib.util
import os
import pathlib
import stat
import subprocess
import sys

import pytest

from tests.compat import processes

MODULE = '''def f(d): return d.has_key(1), xrange(2)
class A:
    def __nonzero__(self): return False
'''
MAIN = 'import old\nprint(old.f({1: 2}), bool(old.A()), old.__file__)\n'


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.delenv('PYTHONDONTWRITEBYTECODE', raising=False)
    monkeypatch.delenv('PYTHONPYCACHEPREFIX', raising=False)
    (tmp_path / 'old.py').write_text(MODULE)
    (tmp_path / 'main.py').write_text(MAIN)
    return tmp_path


def kept(folder):
    return sorted(folder.glob('**/*.legacy.pyc'))


def run(folder, option='--legacy=python'):
    """Return what the program prints, and the report."""
    done = processes.start('-m', 'chainer_fast', option, folder / 'main.py', cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def test_the_second_process_reads_what_the_first_kept(folder):
    first = run(folder)
    file, = kept(folder)
    written = file.stat().st_mtime_ns
    assert run(folder) == first
    assert file.stat().st_mtime_ns == written
    assert 'has_key' in first[1] and '__nonzero__' in first[1]
    assert first[0].startswith('(True, range(0, 2)) False')


def test_a_file_that_does_not_fit_is_made_anew(folder):
    run(folder)
    file, = kept(folder)
    good = file.read_bytes()
    for bad in b'', b'nonsense', good[:-1], good[:60] + b'\0' + good[61:], good + b'x':
        file.write_bytes(bad)
        assert run(folder)[0].startswith('(True,')
        assert file.read_bytes() == good
    run(folder, '--legacy=python3')
    other = file.read_bytes()
    assert other != good
    (folder / 'old.py').write_text(MODULE.replace('False', 'True'))
    assert ') True ' in run(folder)[0]


def test_a_folder_that_cannot_be_written(folder):
    inside = folder / '__pycache__'
    inside.write_text('a file where the folder would be')
    assert run(folder)[0].startswith('(True,')
    assert stat.S_ISREG(os.stat(inside).st_mode)


def test_no_files_if_python_writes_none(folder, monkeypatch):
    monkeypatch.setenv('PYTHONDONTWRITEBYTECODE', '1')
    run(folder)
    assert not kept(folder)


def test_files_elsewhere(folder, tmp_path, monkeypatch):
    monkeypatch.setenv('PYTHONPYCACHEPREFIX', str(tmp_path / 'elsewhere'))
    run(folder)
    file, = kept(folder)
    assert file.is_relative_to(tmp_path / 'elsewhere')


def test_what_lies_beside_counts(folder):
    package = folder / 'pk'
    package.mkdir()
    (package / '__init__.py').write_text('')
    (package / 'user.py').write_text('import helper_of_old\n')
    (folder / 'main.py').write_text(
        'import pk.user\nprint(pk.user.helper_of_old.__name__)\n')
    (package / 'helper_of_old.py').write_text('')
    option = '--legacy=python3'
    assert run(folder, option)[0] == run(folder, option)[0] == 'pk.helper_of_old\n'
    (folder / 'helper_of_old.py').write_text('')    # which wins, as it does today
    assert run(folder, option)[0] == 'helper_of_old\n'


def test_python_alone_reads_none_of_them(folder):
    run(folder)
    done = subprocess.run(
        [sys.executable, '-c', 'import old; print(bool(old.A()))'], cwd=folder,
        capture_output=True, text=True)
    assert done.stdout == 'True\n', done.stderr
    plain = importlib.util.cache_from_source(str(folder / 'old.py'))
    assert pathlib.Path(plain).exists()


def test_many_processes_at_once(folder):
    command = [sys.executable, '-m', 'chainer_fast', '--legacy=python', 'main.py']
    several = [subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, text=True,
        env={**os.environ, 'PYTHONPATH': processes.ROOT}) for _ in range(3)]
    for process in several:
        assert process.communicate()[0].startswith('(True,')
    assert all(name.endswith('.pyc') for name in os.listdir(folder / '__pycache__'))
    assert len(kept(folder)) == 1
