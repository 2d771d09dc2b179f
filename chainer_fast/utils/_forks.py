"""Forks of a process that has other threads.

A fork has only the thread that made it. A lock that another thread had at that moment
is never released in it, so that whoever asks for the lock waits for ever.
"""
import contextlib
import multiprocessing
import os
import sys
import typing as tp

import numpy

# A thread that draws for longer than this holds up no fork.
_LONGEST_DRAW = 10.

_held = []
_random: tp.Any = numpy.random


def _hold():
    """Take the lock of ``numpy.random``, once a draw that is under way is over."""
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
    """While it lasts, forks get an OpenCV that starts no threads, if it is in use.

    Its threads go to sleep some time after they are used. A fork meanwhile would wait
    for their locks.
    """
    cv2: tp.Any = sys.modules.get('cv2')
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
