"""Ending the launcher of the job, if it would not end by itself.

Open MPI's launcher waits for its daemon on every machine. It does not detect that a
daemon is silent because its machine is stopped or a cable is cut, and would wait
forever for a job that has ended. A user would press Ctrl-C three times, and then kill
it; this module does the same.
"""
import contextlib
import os
import subprocess

# Names of the launchers of Open MPI 5 and 4; those of other libraries end by
# themselves.
_NAMES = 'prterun', 'mpirun', 'orterun', 'mpiexec'

# It has a second to end by itself. The next signals follow soon.
_COMMAND = 'for name in TERM TERM TERM KILL; do sleep 1; kill -$name %d || exit 0; done'


def hurry():
    """End the launcher after a short time, if it is the parent of this process.

    Returns
    -------
    subprocess.Popen or None
        The process that ends it, in a separate session, since the launcher kills
        that of this process.
    """
    parent = os.getppid()
    with contextlib.suppress(OSError), open(
            '/proc/%d/comm' % parent, encoding='utf-8', errors='replace') as file:
        if file.read().strip() in _NAMES:
            return subprocess.Popen(
                ['/bin/sh', '-c', _COMMAND % parent], stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                start_new_session=True)
    return None
