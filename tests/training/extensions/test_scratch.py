"""Temporary folders of files that are being written, on each system by its own way."""
import os
import subprocess
import sys
import tempfile

import pytest

from chainer_fast.training.extensions import _scratch

USE = '''
import os, sys
from chainer_fast.training.extensions import _scratch
with _scratch.temporary_folder(sys.argv[1], 'file') as folder:
    with open(os.path.join(folder, 'file'), 'w', encoding='utf-8') as file:
        file.write('half')
    print(folder, flush=True)
    sys.stdin.read()
'''


@pytest.mark.parametrize('is_killed', [False, True])
def test_folder_is_removed_when_its_program_has_ended(is_killed, tmp_path):
    with subprocess.Popen(
            [sys.executable, '-c', USE, str(tmp_path)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True) as program:
        folder = program.stdout.readline().strip()
        assert os.path.dirname(folder) == str(tmp_path)
        _scratch.remove_relics(tmp_path)
        assert os.path.exists(os.path.join(folder, 'file'))
        if is_killed:
            program.kill()
        else:
            program.stdin.close()
        program.wait(30)
    assert os.path.exists(folder) is is_killed
    _scratch.remove_relics(tmp_path)
    assert os.listdir(tmp_path) == []


def test_folder_that_is_removed_before_it_is_locked_is_replaced(tmp_path, monkeypatch):
    made = []

    def make(*args, mkdtemp=tempfile.mkdtemp):
        made.append(mkdtemp(*args))
        if len(made) < 3:
            _scratch.remove_relics(tmp_path)    # as another program may do
        return made[-1]

    monkeypatch.setattr(tempfile, 'mkdtemp', make)
    with _scratch.temporary_folder(str(tmp_path), 'file') as folder:
        assert len(made) == 3
        _scratch.remove_relics(tmp_path)
        assert os.path.isdir(folder)
    assert os.listdir(tmp_path) == []


def test_error_removes_the_folder(tmp_path):
    with pytest.raises(KeyError), _scratch.temporary_folder(
            str(tmp_path), 'file') as folder:
        open(os.path.join(folder, 'file'), 'wb').close()
        raise KeyError
    assert os.listdir(tmp_path) == []
