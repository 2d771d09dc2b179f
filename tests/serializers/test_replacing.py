"""Files that are replaced as a whole."""
import contextlib
import os
import stat
import threading

import pytest

from chainer_fast.serializers import _replacing
from chainer_fast.serializers._replacing import replacing


def write(path, content='new'):
    with replacing(str(path)) as draft, open(draft, 'w') as file:
        file.write(content)


def mode_of(path):
    return stat.S_IMODE(os.stat(path).st_mode)


@pytest.mark.posix('permissions of files')
@pytest.mark.parametrize('umask', [0o022, 0o077, 0])
def test_mode_of_a_new_file(tmp_path, umask):
    old = os.umask(umask)
    try:
        write(tmp_path / 'saved')
        open(tmp_path / 'plain', 'w').close()
    finally:
        os.umask(old)
    assert mode_of(tmp_path / 'saved') == mode_of(tmp_path / 'plain')


@pytest.mark.posix('permissions of files')
def test_a_file_keeps_its_mode(tmp_path):
    path = tmp_path / 'saved'
    path.write_text('old')
    path.chmod(0o751)
    write(path)
    assert path.read_text() == 'new'
    assert mode_of(path) == 0o751


@pytest.mark.posix('owners of files')
@pytest.mark.skipif(
    getattr(os, 'getuid', int)() != 0, reason='only root gives files away')
def test_a_file_keeps_its_owner(tmp_path):
    path = tmp_path / 'saved'
    path.write_text('old')
    os.chown(path, 12345, 54321)
    write(path)
    assert (path.stat().st_uid, path.stat().st_gid) == (12345, 54321)


def test_readers_keep_the_old_file(tmp_path):
    path = tmp_path / 'saved'
    path.write_text('old')
    with open(path) as reader:
        # Windows replaces no file that is open.
        refused = _replacing.os.name == 'nt'
        with pytest.raises(PermissionError) if refused else contextlib.nullcontext():
            write(path)
        assert reader.read() == 'old'
    assert path.read_text() == ('old' if refused else 'new')
    assert os.listdir(tmp_path) == ['saved']


@pytest.mark.posix('links')
def test_links_lead_to_the_file(tmp_path):
    (tmp_path / 'elsewhere').mkdir()
    target, link = tmp_path / 'elsewhere' / 'target', tmp_path / 'link'
    link.symlink_to('elsewhere/target')
    for content in ('first', 'second'):      # dangling at first
        write(link, content)
        assert link.is_symlink()
        assert target.read_text() == content
    assert os.listdir(tmp_path / 'elsewhere') == ['target']
    loop = tmp_path / 'loop'
    loop.symlink_to('loop')
    with pytest.raises(OSError):
        write(loop)
    assert loop.is_symlink()


def test_other_names_keep_the_old_file(tmp_path):
    """A backup made of hard links stays a backup."""
    path, backup = tmp_path / 'saved', tmp_path / 'backup'
    path.write_text('old')
    os.link(path, backup)
    write(path)
    assert backup.read_text() == 'old'


def test_failure(tmp_path):
    path = tmp_path / 'saved'
    path.write_text('old')
    with pytest.raises(KeyboardInterrupt), replacing(str(path)) as draft:
        assert os.path.dirname(draft) == str(tmp_path)
        with open(draft, 'w') as file:
            file.write('new')
        raise KeyboardInterrupt
    assert path.read_text() == 'old'
    assert os.listdir(tmp_path) == ['saved']


def test_failure_while_the_draft_is_open(tmp_path):
    path = tmp_path / 'saved'
    path.write_text('old')
    with pytest.raises(KeyError), replacing(str(path)) as draft, open(draft, 'w'):
        opened = open(draft)  # noqa: SIM115    # as by a library that fails
        raise KeyError
    opened.close()
    assert path.read_text() == 'old'


def test_it_is_on_the_disk_before_it_is_renamed(tmp_path, monkeypatch):
    order = []
    real = {'fsync': os.fsync, 'replace': os.replace}
    for name in real:
        monkeypatch.setattr(
            _replacing.os, name,
            lambda *args, name=name: (order.append(name), real[name](*args)))
    write(tmp_path / 'saved')
    # Windows opens no folders, to flush the second.
    assert order == ['fsync', 'replace'] + ['fsync'] * (_replacing.os.name == 'posix')


def test_what_may_not_be_written(tmp_path, monkeypatch):
    with pytest.raises((IsADirectoryError, PermissionError)) as info:
        write(tmp_path)
    assert info.value.filename == str(tmp_path)
    path = tmp_path / 'saved'
    path.write_text('old')

    def refuse(*args):
        raise PermissionError(13, 'Permission denied')

    # Root may write anything, so open is asked in its place.
    monkeypatch.setattr(_replacing, 'open', refuse, raising=False)
    with pytest.raises(PermissionError) as info:
        write(path)
    assert info.value.filename == str(path)
    monkeypatch.undo()
    assert path.read_text() == 'old'
    assert os.listdir(tmp_path) == ['saved']


@pytest.mark.posix('pipes have names')
def test_a_pipe_is_written_to(tmp_path):
    pipe = tmp_path / 'pipe'
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write(pipe)
    reader.join(10)
    assert read == ['new']
    assert stat.S_ISFIFO(os.stat(pipe).st_mode)


def test_a_folder_that_may_not_be_written(tmp_path, monkeypatch):
    path = tmp_path / 'saved'
    path.write_text('old')
    monkeypatch.setattr(_replacing.os, 'access', lambda *args: False)
    with replacing(str(path)) as draft:
        assert draft == str(path)
