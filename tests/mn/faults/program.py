"""A program whose processes wait for each other, until one of them fails.

Arguments: how it fails, the rank that fails, the operation, and the hook:
``no``, ``early`` or ``late``.
"""
import ctypes
import os
import signal
import subprocess
import sys
import time

import numpy

import chainer_fast
from chainer_fast.mn import create_communicator, global_except_hook
from chainer_fast.mn._watchdog import _waits


class Model(chainer_fast.Link):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.w = chainer_fast.Parameter(numpy.ones(1000, 'float32'))
        self.w.grad = numpy.ones(1000, 'float32')


def with_a_child():
    """Fork a process that lives on, as workers of iterators do for a while."""
    if os.fork() == 0:
        for descriptor in range(3):
            os.close(descriptor)
        time.sleep(5)
        os._exit(0)


def fail(how):
    sys.stderr.write('fails at %r\n' % time.time())
    sys.stderr.flush()
    if how == 'raise':
        raise ValueError('a wrong value')
    if how == 'exit':
        sys.exit(3)
    if how == '_exit':
        os._exit(0)
    if how == 'kill':
        with_a_child()
        time.sleep(.1)
        os.kill(os.getpid(), signal.SIGKILL)
    if how == 'stop':
        os.kill(os.getpid(), signal.SIGSTOP)
    if how == 'blocked':
        ctypes.PyDLL(None).usleep(5_000_000)    # with the lock of the interpreter
    if how == 'pause':
        subprocess.Popen(['sh', '-c', 'sleep 7; kill -CONT %d' % os.getpid()])
        os.kill(os.getpid(), signal.SIGSTOP)
    assert how in ('end', 'stop', 'blocked', 'pause')


def operate(comm, operation, failing):
    if operation == 'recv' and comm.rank == failing:
        for rank in range(comm.size):
            if rank != failing:
                comm.send_obj(0, rank)
    elif operation == 'recv':
        comm.recv_obj(failing)
    elif operation == 'bcast':
        comm.bcast(numpy.ones(3, 'float32'), root=failing)
    elif operation == 'multi_node_mean_grad':
        comm.multi_node_mean_grad(Model())
    else:
        comm.allreduce(numpy.ones(3, 'float32'))


def main(how, failing, operation, hook):
    _waits.PATIENCE = 1
    if hook == 'early':
        global_except_hook.add_hook()
    comm = create_communicator('naive')
    if hook == 'late':
        global_except_hook.add_hook()
    for time_of_failure in False, False, True:
        if time_of_failure and comm.rank == failing:
            time.sleep(.2)      # the others wait by then
            fail(how)
            if how in ('blocked', 'pause'):
                operate(comm, operation, failing)
            return
        operate(comm, operation, failing)


if __name__ == '__main__':
    main(sys.argv[1], int(sys.argv[2]), *sys.argv[3:])
