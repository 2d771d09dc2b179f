"""Counts of what programs ask of the device: launches, synchronisations and copies.

The stand-in reports here; tests read the counts::

    with ledger.record() as counts:
        y = F.relu(x)
    assert len(counts.launches) == 1
    assert not counts.synchronisations
"""
import contextlib
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep
_open = []


class Record:
    """Counts of one ``with`` block.

    Attributes
    ----------
    launches : list of str
        Names of the operations on the device, in order.
    synchronisations : list of (str, str)
        Each time the host waited for the device: what made it wait, and the place,
        ``'file:line'``, outside of the stand-in.
    to_device, to_host : list of (int, str)
        Copies between the memories: the number of bytes, and the place.
    """

    def __init__(self):
        self.launches = []
        self.synchronisations = []
        self.to_device = []
        self.to_host = []

    def __repr__(self):
        return '\n'.join('%s: %s' % item for item in vars(self).items())


@contextlib.contextmanager
def record():
    """Count everything until the end of the ``with`` block; blocks can be nested."""
    counts = Record()
    _open.append(counts)
    try:
        yield counts
    finally:
        # By identity: a nested record may be equal.
        del _open[[r is counts for r in _open].index(True)]


@contextlib.contextmanager
def paused():
    """Count nothing, e.g. while the stand-in computes one operation by several."""
    counted = _open[:]
    _open.clear()
    try:
        yield
    finally:
        _open[:] = counted


def launch(name):
    """Report one operation on the device."""
    for counts in _open:
        counts.launches.append(name)


def synchronise(what):
    """Report that the host waits for the device."""
    if _open:
        entry = what, _place()
        for counts in _open:
            counts.synchronisations.append(entry)


def to_device(nbytes):
    """Report a copy from host memory to the device."""
    if _open:
        entry = nbytes, _place()
        for counts in _open:
            counts.to_device.append(entry)


def to_host(nbytes):
    """Report a copy from the device to host memory."""
    if _open:
        entry = nbytes, _place()
        for counts in _open:
            counts.to_host.append(entry)


def _place():
    frame = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename.startswith(_HERE):
        frame = frame.f_back
    if frame is None:
        return '?'
    return '%s:%d' % (frame.f_code.co_filename, frame.f_lineno)


@contextlib.contextmanager
def fusing():
    """Count apart what runs in the ``with`` block, as it becomes one launch."""
    counted = _open[:]
    counts = Record()
    _open[:] = [counts]
    try:
        yield counts
    finally:
        _open[:] = counted
