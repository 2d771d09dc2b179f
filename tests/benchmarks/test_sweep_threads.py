"""Steps of the sweep spend their time in loops that several threads can share."""
import sys
import time

import pytest

import chainer_fast as chainer
from benchmarks.sweep import cases
from chainer_fast._cpu import shared

pytestmark = pytest.mark.skipif(
    sys.platform != 'linux', reason='there are no threads for loops elsewhere')

#: Steps that take less are too short to be shared.
LEAST = 200e-6

#: Rows whose steps may spend less than this part of their time in such loops, and why.
PART = .4
ALONE = {}


def rows():
    """Return the keys of rows of medium size, of floats in C order."""
    return [key for key, row in cases.ROWS.items()
            if row.title.endswith(' medium') and row.dtype == 'f']


def shared_part(key):
    """Return seconds of a step on one thread, and the part that could be shared."""
    step = cases.chainer_step(chainer, key)
    step()
    found = []
    with chainer.using_config('num_threads', 2):
        shared.note_loops(True)
        try:
            for _ in range(5):
                begin = time.perf_counter()
                step()
                took = time.perf_counter() - begin
                loops = sum([took for _, _, took in shared.noted_loops()]) / 1e9
                found.append((took, loops / took))
        finally:
            shared.note_loops(False)
    return min(found)


if __name__ == '__main__':
    for key in rows():
        took, part = shared_part(key)
        if took > LEAST and part < PART:
            print('%.2f ms %.2f %s' % (took * 1e3, part, key))
