"""A program that is all right, with processes that end at different times.

The first argument says how they end: ``normal``, or ``finalize`` for ``MPI.Finalize()``
and ``os._exit`` at once, while the thread that says farewell is not there yet. Only the
last one takes its time, and so hears of it. The second one says how workers start.
"""
import atexit
import multiprocessing
import os
import subprocess
import sys
import time

import numpy
from mpi4py import MPI

from chainer_fast import iterators
from chainer_fast.mn import create_communicator
from chainer_fast.mn._watchdog import _channel, _waits


def fork_one_that_fails():
    """Fork a process that fails and ends like Python, but leaves MPI alone."""
    child = os.fork()
    if child == 0:
        os.close(2)
        error = ValueError('of no importance to the job')
        sys.excepthook(ValueError, error, None)
        atexit._run_exitfuncs()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


def delay_messages():
    hear = _channel.Channel._hear

    def hear_later(*args):
        time.sleep(.2)
        hear(*args)

    _channel.Channel._hear = hear_later


def main(end, method):
    method, _, forks = method.partition(', ')
    multiprocessing.set_start_method(method)
    _waits.PATIENCE = .3
    comm = create_communicator('naive')
    assert _waits.active
    comm.allreduce(numpy.ones(3))

    if not forks:
        fork_one_that_fails()
    subprocess.run([sys.executable, '-c', 'pass'], check=True)
    iterator = iterators.MultiprocessIterator(
        list(range(12)), 4, n_processes=2, repeat=False, shuffle=False)
    assert [sum(batch) for batch in iterator] == [6, 22, 38]
    iterator.finalize()

    part = comm.split(comm.rank % 2, comm.rank)
    part.allreduce(numpy.ones(3))
    own = create_communicator('naive', comm.mpi_comm.Split(int(comm.rank == 0), 0))
    own.allreduce(numpy.ones(3))
    if comm.rank == 0:
        comm.mpi_comm.send('without us', 1)
    elif comm.rank == 1:
        comm.mpi_comm.recv(source=0)

    # The others take part and end, while rank 0 waits for the last rank.
    if comm.rank == comm.size - 1:
        time.sleep(1.5)
    comm.gather_obj(comm.rank)
    if comm.rank == 0:
        time.sleep(1)
    if end == 'finalize':
        delay_messages()
        rank, size = comm.rank, comm.size
        MPI.Finalize()
        if rank == size - 1:
            time.sleep(1)
        os._exit(0)


if __name__ == '__main__':
    main(*sys.argv[1:])
