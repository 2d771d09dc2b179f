"""The program that has started the job, where it would not end by itself.

Open MPI's waits for its daemon on every machine. It takes no notice of one that is
silent, because its machine is stopped or a cable is cut, and so would wait for ever for
a job that has ended. A user would press Ctrl-C three times, and kill it then; so does
this.
"""
import contextlib
import os
import subprocess

# Names of Open MPI's programs, 5 and 4; those of others end by themselves.
_NAMES = 'prterun', 'mpirun', 'orterun', 'mpiexec'

# It gets a second to end by itself. The others have to follow soon.
_COMMAND = 'for name in TERM TERM TERM KILL; do sleep 1; kill -$name %d || exit 0; done'


def hurry():
    """End the launcher soon, if it is the parent of this process.

    Returns
    -------
    subprocess.Popen or None
        What does it, in a session of its own, since the launcher kills that of this
        process.
    """
    parent = os.getppid()
    with contextlib.suppress(OSError), open('/proc/%d/comm' % parent) as file:
        if file.read().strip() in _NAMES:
            return subprocess.Popen(
                ['/bin/sh', '-c', _COMMAND % parent], stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                start_new_session=True)
    return None
