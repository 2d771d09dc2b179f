"""Heartbeats that a process sends as long as it is not stopped.

They are sent by a thread that does not need the interpreter lock, so that a process
in a long computation of compiled code sends them, too. A stopped process, and one
whose machine has crashed, sends none.
"""
import threading

from cpython.pythread cimport (
    NOWAIT_LOCK,
    PyThread_acquire_lock,
    PyThread_allocate_lock,
    PyThread_free_lock,
    PyThread_release_lock,
    PyThread_type_lock,
    WAIT_LOCK,
)
from libcpp.vector cimport vector


cdef extern from "Python.h":
    ctypedef enum PyLockStatus:
        PY_LOCK_FAILURE
    PyLockStatus PyThread_acquire_lock_timed(
        PyThread_type_lock, long long, int) nogil


cdef extern from "chainer_fast/mn/_watchdog/send.hpp" namespace "chainer_fast":
    void send_byte(long long, char) nogil


#: The byte of a heartbeat.
BEAT = b'\x01'


cdef class Heart:
    """A thread that repeatedly sends a byte to each of some sockets.

    Other messages on these sockets are sent within ``with heart:``, so that no
    heartbeat interrupts them.

    Parameters
    ----------
    sockets : list of socket.socket
        They have timeouts, so that sending does not block.
    interval : float
        Seconds between two heartbeats; 0 for none.
    """

    cdef PyThread_type_lock _stop, _sending
    cdef vector[long long] _sockets
    cdef long long _interval
    cdef object _thread

    def __cinit__(self, sockets, double interval):
        self._stop, self._sending = PyThread_allocate_lock(), PyThread_allocate_lock()
        if self._stop == NULL or self._sending == NULL:
            raise MemoryError('cannot allocate locks for heartbeats')
        PyThread_acquire_lock(self._stop, WAIT_LOCK)
        for one in sockets:
            self._sockets.push_back(one.fileno())
        self._interval = <long long>(interval * 1e6)

    def __init__(self, sockets, interval):
        if self._interval > 0:
            self._thread = threading.Thread(
                target=self._beat, name='chainermn heart', daemon=True)
            self._thread.start()

    def __dealloc__(self):
        if self._stop != NULL:
            PyThread_free_lock(self._stop)
        if self._sending != NULL:
            PyThread_free_lock(self._sending)

    def _beat(self):
        cdef size_t i
        with nogil:
            while True:
                # A process that sends a message is alive.
                if PyThread_acquire_lock(self._sending, NOWAIT_LOCK):
                    for i in range(self._sockets.size()):
                        send_byte(self._sockets[i], 1)
                    PyThread_release_lock(self._sending)
                if PyThread_acquire_lock_timed(
                        self._stop, self._interval, 0) != PY_LOCK_FAILURE:
                    break

    def __enter__(self):
        with nogil:
            PyThread_acquire_lock(self._sending, WAIT_LOCK)
        return self

    def __exit__(self, *_):
        PyThread_release_lock(self._sending)

    def stop(self):
        """Stop sending; afterwards the sockets may be closed.

        A forked process does not have the thread, and does not call this.
        """
        thread, self._thread = self._thread, None
        if thread is not None:
            PyThread_release_lock(self._stop)
            thread.join()
