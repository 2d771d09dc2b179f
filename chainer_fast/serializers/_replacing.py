"""Writing files that appear as a whole or not at all."""
import contextlib
import errno
import os
import secrets
import shutil
import stat

# What file systems say that have no notion of flushing.
_NOTHING_TO_FLUSH = errno.EINVAL, errno.ENOTSUP, errno.ENOSYS


@contextlib.contextmanager
def replacing(name):
    """Return a context with the path of a draft, which then takes the file's place.

    The draft lies in the same folder and is on the disk before it is renamed, so that
    even if the machine stops there is the old file or the new one.  If anything goes
    wrong the draft is removed and the file left alone.

    A symbolic link keeps leading to the file, which is replaced where it lies.
    Permissions, and if possible the owner, remain; those of a new file are what
    :func:`open` would give it.  A file that may not be written is not replaced either.
    What cannot be replaced, such as a pipe or a file in a directory that is read-only,
    is its own draft.

    Parameters
    ----------
    name : str
        Name of the file.

    Raises
    ------
    OSError
        If the file may not be written.
    """
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
        os.unlink(draft)
        raise
    _flush_folder(folder)


@contextlib.contextmanager
def _called(name):
    """Return a context in which errors name the file as the caller did."""
    try:
        yield
    except OSError as error:
        error.filename = name
        raise


def _status(target):
    """Return the status of a file, or None; an error if it may not be written."""
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
        with contextlib.suppress(OSError):      # only root may give files away
            os.chown(draft, old.st_uid, old.st_gid)


def _flush(descriptor):
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NOTHING_TO_FLUSH:
            raise


def _flush_folder(folder):
    """Put the new name of a file onto the disk, where folders can be opened."""
    if os.name != 'posix':
        return
    try:
        opened = os.open(folder, os.O_RDONLY)
    except PermissionError:     # names may be written to it, but not listed
        return
    try:
        _flush(opened)
    finally:
        os.close(opened)
