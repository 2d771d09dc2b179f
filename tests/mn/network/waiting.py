"""A program whose processes add up a large array again and again, for a minute.

Arguments: a folder, where each process writes its errors; and the seconds for which the
last rank keeps the lock of the interpreter before it goes on: 0 for none.
"""
import ctypes
import os
import sys
import time

import numpy

from chainer_fast.mn import create_communicator


def main(folder, seconds):
    comm = create_communicator('flat')
    log = os.open(
        os.path.join(folder, 'errors%d' % comm.rank), os.O_WRONLY | os.O_CREAT)
    os.dup2(log, 2)
    array = numpy.ones(2_500_000, 'float32')
    until = time.monotonic() + 60
    for step in range(1000):
        total = comm.allreduce(array)
        assert (total == comm.size).all()
        if step == 1:
            open(os.path.join(folder, 'begun%d' % comm.rank), 'w').close()
            if seconds:
                if comm.rank == comm.size - 1:
                    ctypes.PyDLL(None).usleep(int(1e6 * seconds))
                return comm.allreduce(array)
        if comm.allreduce_obj(time.monotonic() > until):
            break


if __name__ == '__main__':
    main(sys.argv[1], float(sys.argv[2]))
