"""Processes of an MPI job that start other processes."""
import contextlib
import multiprocessing
import os
import sys

# Whether mpi4py initializes MPI when it is imported.
_MPI_BEGINS = 'MPI4PY_RC_INITIALIZE'


@contextlib.contextmanager
def mpi_left_alone():
    """Return a context in which new processes do not take part in an MPI job.

    A new process that is not a fork imports the file of the program, and with it
    mpi4py, which would initialize MPI with the rank of the program in its job.
    """
    if ('mpi4py' not in sys.modules or _MPI_BEGINS in os.environ
            or multiprocessing.get_start_method() == 'fork'):
        yield
        return
    os.environ[_MPI_BEGINS] = '0'
    try:
        yield
    finally:
        del os.environ[_MPI_BEGINS]
