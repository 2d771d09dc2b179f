"""Temporary folders for files that are being written.

A program that is killed leaves its folders, with files of any size in them. Each folder
is locked while its program runs, so that the next program can recognize and remove
those folders. Windows has no locks of folders, but does not remove a file that is open:
there, each folder contains such a file.
"""
import contextlib
import os
import shutil
import sys
import tempfile

try:
    import fcntl
except ImportError:     # Windows
    fcntl = None

_PREFIX, _SUFFIX, _NEW = 'tmp', '.being_written', '.new'
_OPEN = '.open'     # the file in folders of Windows


@contextlib.contextmanager
def temporary_folder(parent, name):
    """Return a context with the path of a new folder, which is removed afterwards.

    Parameters
    ----------
    parent : str
        Folder to create it in.
    name : str
        Name of the file to be written.
    """
    path, lock = _make(parent, name)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
        if lock is not None:
            os.close(lock)
        if sys.platform == 'win32':     # the open file was left
            shutil.rmtree(path, ignore_errors=True)


def _make(parent, name):
    """Return a new folder and its lock, a file descriptor or ``None``."""
    while sys.platform == 'win32':
        path = tempfile.mkdtemp(_SUFFIX, _PREFIX + name, parent)
        # It may have been removed as a leftover.
        with contextlib.suppress(FileNotFoundError):
            return path, os.open(os.path.join(path, _OPEN), os.O_RDWR | os.O_CREAT)
    while True:
        new = tempfile.mkdtemp(_NEW, _PREFIX + name, parent)
        lock = _lock(new)
        path = new[:-len(_NEW)] + _SUFFIX
        try:
            os.rename(new, path)
        except FileNotFoundError:   # removed as a leftover before it was locked
            if lock is not None:
                os.close(lock)
        else:
            return path, lock


def remove_relics(parent):
    """Remove the temporary folders of programs that were killed.

    Parameters
    ----------
    parent : str
        Folder that contains them.
    """
    with contextlib.suppress(OSError):
        names = os.listdir(parent)
        for name in names:
            path = os.path.join(parent, name)
            if name.startswith(_PREFIX) and name.endswith(_NEW):
                # It is empty and not locked yet. A running program creates another one.
                with contextlib.suppress(OSError):
                    os.rmdir(path)
            elif name.startswith(_PREFIX) and name.endswith(_SUFFIX):
                _remove_relic(path)


def _remove_relic(path):
    """Remove a folder unless the program that uses it is running."""
    if sys.platform == 'win32':
        with contextlib.suppress(OSError):
            try:
                os.remove(os.path.join(path, _OPEN))
            except FileNotFoundError:   # new, or its program was killed by then
                os.rmdir(path)
            else:
                shutil.rmtree(path, ignore_errors=True)
        return
    lock = _lock(path)
    if lock is not None:
        shutil.rmtree(path, ignore_errors=True)
        os.close(lock)


def _lock(path):
    """Lock a folder; return a file descriptor, or ``None`` if it cannot be locked."""
    if sys.platform == 'win32':
        raise AssertionError('Windows has no locks of folders')
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:     # it is locked, or the file system does not support locks
        os.close(descriptor)
        return None
    return descriptor
