"""Atomic writing of files."""
import contextlib
import errno
import os
import secrets
import shutil
import stat

# Errors of file systems that do not support flushing.
_NOTHING_TO_FLUSH = errno.EINVAL, errno.ENOTSUP, errno.ENOSYS


@contextlib.contextmanager
def replacing(name):
    """Return a context with the path of a draft, which then replaces the file.

    The draft is in the same folder, and is flushed to the disk before it is renamed, so
    that either the old file or the new one exists, even if the machine stops. If
    anything fails, the draft is removed and the file is not changed.

    A symbolic link is kept; the file that it refers to is replaced. Permissions, and if
    possible the owner, are kept; a new file has those that :func:`open` would set. A
    file without write permission is not replaced. A file that cannot be replaced, such
    as a pipe or a file in a read-only directory, is its own draft.

    Parameters
    ----------
    name : str
        Name of the file.

    Raises
    ------
    OSError
        If the file may not be written.
    """
    if not name:    # its real path is the folder
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
    target = os.path.realpath(name)
    folder = os.path.dirname(target)
    with _called(name):
        old = _status(target)
    if old is not None and not (
            stat.S_ISREG(old.st_mode) and os.access(folder, os.W_OK)):
        yield target
        return
    draft = os.path.join(folder, '.%s.tmp' % secrets.token_hex(8))
    with _called(name):
        opened = os.open(
            draft, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, 'O_BINARY', 0),
            0o666)
    try:
        try:
            if old is not None:
                _keep_owner(draft, old)
                shutil.copymode(target, draft)
            yield draft
            _flush(opened)
        finally:
            os.close(opened)
        os.replace(draft, target)
    except BaseException:
        with contextlib.suppress(OSError):      # on Windows, it may still be open
            os.unlink(draft)
        raise
    _flush_folder(folder)


@contextlib.contextmanager
def _called(name):
    """Return a context in which errors name the file as the caller named it."""
    try:
        yield
    except OSError as error:
        error.filename = name
        raise


def _status(target):
    """Return the status of a file, or None; raise if it is not writable."""
    try:
        status = os.stat(target)
    except FileNotFoundError:
        return None
    if stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode):
        open(target, 'r+b').close()
    return status


def _keep_owner(draft, old):
    new = os.stat(draft)
    if hasattr(os, 'chown') and (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        with contextlib.suppress(OSError):      # only root may change owners
            os.chown(draft, old.st_uid, old.st_gid)


def _flush(descriptor):
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NOTHING_TO_FLUSH:
            raise


def _flush_folder(folder):
    """Flush the new name of a file to the disk, if the system can open folders."""
    if os.name != 'posix':
        return
    try:
        opened = os.open(folder, os.O_RDONLY)
    except PermissionError:     # the folder is writable, but not readable
        return
    try:
        _flush(opened)
    finally:
        os.close(opened)
