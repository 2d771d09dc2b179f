"""How jobs of MPI are started."""
import os
import shutil

# Open MPI runs as root only if two variables ask for it. Processes that wait leave the
# processors to others.
ENVIRONMENT = {
    'OMPI_ALLOW_RUN_AS_ROOT': '1', 'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM': '1',
    'OMPI_MCA_mpi_yield_when_idle': '1'}


def start(python, processes):
    """Return what stands before the command of each process; None without mpiexec.

    An MPI that is installed beside this Python comes first, as it does for mpi4py.
    """
    beside = os.path.join(os.path.dirname(python), 'mpiexec')
    mpiexec = beside if os.access(beside, os.X_OK) else shutil.which('mpiexec')
    return mpiexec and [mpiexec, '--oversubscribe', '-n', str(processes)]
