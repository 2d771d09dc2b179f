"""Functions that behave on Windows in other ways than on POSIX."""
import errno
import fcntl
import os
import signal
import time
import types

from lesser_system import files


def rename(src, dst, **kwargs):
    """Rename a file or folder, unless there is one of the new name."""
    if os.path.lexists(dst):
        raise FileExistsError(errno.EEXIST, 'the new name exists', src, None, dst)
    os.rename(src, dst, **kwargs)


def stat(path, **kwargs):
    """Return the status of a file; there are no files of the kernel."""
    files.refuse_kernel(path)
    return os.stat(path, **kwargs)


def fsync(descriptor):
    """Flush a file that is open for writing."""
    number = descriptor if isinstance(descriptor, int) else descriptor.fileno()
    if fcntl.fcntl(number, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
        raise OSError(errno.EBADF, 'the file is not open for writing')
    os.fsync(number)


def signal_function(lacking):
    """Return ``signal.signal`` for a system without some signals."""
    numbers = {int(signal.Signals[name]) for name in lacking}

    def set_handler(number, handler):
        if int(number) in numbers:
            raise ValueError('invalid signal value')
        return signal.signal(number, handler)
    return set_handler


def msvcrt():
    """Return the part of the module ``msvcrt`` that locks files.

    The region begins at the file's position. A lock is tried ten times, on Windows for
    ten seconds.
    """
    module = types.ModuleType('msvcrt')
    module.LK_UNLCK, module.LK_LOCK, module.LK_NBLCK = 0, 1, 2

    def locking(descriptor, mode, count):
        start = os.lseek(descriptor, 0, os.SEEK_CUR)
        if mode == module.LK_UNLCK:
            return fcntl.lockf(descriptor, fcntl.LOCK_UN, count, start)
        for _ in range(10 if mode == module.LK_LOCK else 1):
            try:
                return fcntl.lockf(
                    descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, count, start)
            except BlockingIOError:
                time.sleep(.02)
        if mode == module.LK_LOCK:
            raise OSError(errno.EDEADLK, 'the region stayed locked')
        raise PermissionError(errno.EACCES, 'the region is locked')

    module.locking = locking
    return module
