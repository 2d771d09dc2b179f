"""Locks between processes."""
import contextlib
import errno
import sys

if sys.platform == 'win32':
    import msvcrt
else:
    import fcntl


@contextlib.contextmanager
def locked(path):
    """Hold a file as a lock between processes, if the file system supports locks.

    The system releases the lock when a process ends, in whatever way. Without a lock,
    two processes may do the same work twice.

    Parameters
    ----------
    path : str
        The file, which stays there, empty.
    """
    with open(path, 'ab') as file, contextlib.ExitStack() as at_end:
        with contextlib.suppress(OSError):
            _acquire(file)
            at_end.callback(_release, file)
        yield


if sys.platform == 'win32':
    def _acquire(file):
        while True:
            file.seek(0)
            try:
                msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
            except OSError as error:
                if error.errno != errno.EDEADLK:    # it gave up after ten seconds
                    raise
            else:
                return

    def _release(file):
        # Closing the file would release it too, at some later time.
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)

else:
    def _acquire(file):
        fcntl.flock(file, fcntl.LOCK_EX)

    def _release(file):
        fcntl.flock(file, fcntl.LOCK_UN)
