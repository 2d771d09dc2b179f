"""A check that the benchmark runs: every step at a tiny size, against the processor."""
import contextlib
import ctypes
import importlib

import numpy as np

from benchmarks.gpu import rows
from benchmarks.gpu.worker import WARM_UP, Worker

# How many losses are compared. Batch normalizations of few examples multiply errors of
# rounding, so that half floats are compared before they have been trained.
_COMPARED = {'float32': 2, 'tf32': 2, 'float16': 1}
_TOLERANCE = 1e-2


def run(row, mode, device):
    """Return the first losses of a step at a tiny size, after measuring it."""
    chainer = importlib.import_module('chainer_fast')
    module = importlib.import_module('benchmarks.gpu.sides.chainer_side')
    side = module.Side(mode, device)
    with contextlib.ExitStack() as stack:
        stack.enter_context(chainer.using_device(side.device))
        for name, value in side.settings.items():
            stack.enter_context(chainer.using_config(name, value))
        if device == '@numpy':
            step = side.make(row, rows.ROWS[row].tiny)
            return [float(step()) for _ in range(WARM_UP)]
        worker = Worker(side)
        losses = worker.make(row, 'tiny')
        assert worker.time(2) > 0
        assert worker.host() > 0
        assert worker.functions() > 0
        assert worker.peak() >= 0
        assert worker.versions()['card']
        return losses


def compare(row, mode):
    """Raise ``AssertionError`` if GPU and processor compute different losses."""
    found = run(row, mode, '@cupy:0')
    assert np.isfinite(found).all(), '%s in %s: losses %s' % (row, mode, found)
    if rows.ROWS[row].comparable:
        expected = run(row, mode, '@numpy')
        count = _COMPARED[mode]
        np.testing.assert_allclose(
            found[:count], expected[:count], rtol=_TOLERANCE, atol=_TOLERANCE,
            err_msg='%s in %s' % (row, mode))


def main(chosen):
    try:
        ctypes.CDLL('libcuda.so.1')
    except OSError:
        importlib.import_module('tests.doubles.host_cupy').install()
    for row in chosen:
        for mode in rows.ROWS[row].modes:
            compare(row, mode)
            print('%s in %s: as on the processor' % (rows.ROWS[row].title, mode))
