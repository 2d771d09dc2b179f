"""Tests of many processes.

Tests with the mark ``mpi`` take part in one MPI job and hold for any number of
processes: ``pytest`` runs them in one process, ``make test-mpi`` in two and in three.
There a failure ends all processes, which would otherwise wait for each other.
"""
import os
import pathlib
import tempfile

import pytest


def pytest_configure():
    # All processes of a job would clean the same folder of temporary files at once, and
    # fail where another one was quicker.
    for name in 'OMPI_COMM_WORLD_RANK', 'PMI_RANK':
        if name in os.environ:
            folder = pathlib.Path(tempfile.gettempdir(), 'rank-' + os.environ[name])
            folder.mkdir(exist_ok=True)
            os.environ['PYTEST_DEBUG_TEMPROOT'] = str(folder)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    if not report.failed or item.get_closest_marker('mpi') is None:
        return
    from mpi4py import MPI
    if MPI.COMM_WORLD.size > 1:
        print('rank %d of %d: %s failed\n%s' % (
            MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size, item.nodeid, report.longreprtext),
            flush=True)
        MPI.COMM_WORLD.Abort(1)


@pytest.fixture(scope='module')
def comm():
    """All processes of the job."""
    # Not above: the stand-in for CuPy comes first.
    from chainer_fast.mn import create_communicator
    return create_communicator('naive')
