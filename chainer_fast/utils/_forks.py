"""Forks of a process that has other threads.

A forked process has only the thread that called fork. A lock that another thread held
at that moment is never released in it, so that acquiring the lock blocks forever.
"""
import contextlib
import multiprocessing
import os
import sys
from typing import Any

import numpy

# A fork does not wait longer than this for a thread that draws.
_LONGEST_DRAW = 10.

_held = []
_random: Any = numpy.random


def _hold():
    """Acquire the lock of ``numpy.random``, after the current draw has finished."""
    lock = _random.get_bit_generator().lock
    _held.append(lock if lock.acquire(timeout=_LONGEST_DRAW) else None)


def _release():
    lock = _held.pop()
    if lock is not None:
        lock.release()


if hasattr(os, 'register_at_fork'):
    os.register_at_fork(before=_hold, after_in_parent=_release, after_in_child=_release)


@contextlib.contextmanager
def opencv_without_threads():
    """Return a context in which OpenCV, if it is in use, starts no threads in forks.

    Its threads become idle some time after they are used. A process forked before that
    would wait for their locks.
    """
    cv2: Any = sys.modules.get('cv2')
    if (not hasattr(cv2, 'setNumThreads')
            or multiprocessing.get_start_method() != 'fork'):
        yield
        return
    number = cv2.getNumThreads()
    cv2.setNumThreads(0)
    try:
        yield
    finally:
        cv2.setNumThreads(number)
