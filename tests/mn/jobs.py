"""Jobs of several processes, started with mpiexec."""
import os
import shutil
import subprocess
import sys


def mpiexec():
    """Return the path of ``mpiexec``, or None.

    An MPI that is installed beside this Python comes first, as it does for mpi4py.
    """
    beside = os.path.join(os.path.dirname(sys.executable), 'mpiexec')
    return beside if os.access(beside, os.X_OK) else shutil.which('mpiexec')


def environment(**variables):
    """Return the environment of a job.

    There are few threads, processes that wait leave the processors to others, and root
    may start it.
    """
    return {
        **os.environ, 'OMPI_ALLOW_RUN_AS_ROOT': '1',
        'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM': '1', 'OMP_NUM_THREADS': '1',
        'OPENBLAS_NUM_THREADS': '1', 'OMPI_MCA_mpi_yield_when_idle': '1', **variables}


def run(processes, *arguments, timeout=120, env=(), **options):
    """Run ``python ARGUMENTS`` in so many processes and return what it printed.

    Open MPI's own mpiexec now and then ends on a busy machine before it has started
    anything; then it is called again.

    Returns
    -------
    subprocess.CompletedProcess
        With the exit status of mpiexec, and the texts of standard output and error.
    """
    start = [mpiexec(), '--oversubscribe', '-n', str(processes)]
    for _ in range(3):
        ended = subprocess.run(
            [*start, sys.executable, *arguments],
            timeout=timeout, env=environment(**dict(env)), capture_output=True,
            text=True, stdin=subprocess.DEVNULL, **options)
        if 'listener thread failed to start' not in ended.stderr:
            break
    return ended
