"""Processes of a job of MPI that start others."""
import contextlib
import multiprocessing
import os
import sys

# Whether mpi4py initializes MPI when it is imported.
_MPI_BEGINS = 'MPI4PY_RC_INITIALIZE'


@contextlib.contextmanager
def mpi_left_alone():
    """While it lasts, processes that are started do not take part in a job of MPI.

    A new one that is no fork imports the program's file, mpi4py included, which would
    begin with MPI under the number that the program has in its job.
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
