"""The simulation of many threads."""
import importlib

import numpy as np
import pytest

import chainer_fast
import chainer_fast.functions as F
from chainer_fast._cpu import shared

# With the package come the names by which its scripts import each other.
importlib.import_module('benchmarks')
scaling, cases = map(importlib.import_module, ('scaling', 'models.cases'))


def test_a_loop_takes_as_long_as_those_with_most_pieces():
    # Four threads with two pieces or three, and one whose start is not worth it.
    loops = [(4, 9, 900_000), (2, 2, 6_000)]
    assert scaling.shared(loops, 5_000) == pytest.approx((305_000 + 6_000) / 1e9)


def test_parts_are_those_of_a_step():
    x = np.ones(1 << 18, 'f')
    model = chainer_fast.Link()
    with model.init_scope():
        model.p = chainer_fast.Parameter(x)
    optimizer = chainer_fast.optimizers.SGD().setup(model)
    parts = scaling.Parts()
    shared.note_loops(True)
    try:
        with chainer_fast.using_config('num_threads', 4), parts.observing():
            optimizer.update(lambda: F.mean(F.relu(model.p)))
        F.relu(x)
    finally:
        shared.note_loops(False)
    assert {'ReLU, forward', 'ReLU, backward', 'the update'} <= set(parts.took)
    assert all(took >= 0 for took in parts.took.values())
    assert [threads for threads, _, _ in parts.loops['ReLU, forward']] == [4]


def test_a_step_is_measured():
    step = cases.chainer_step(chainer_fast, 'M.cnn', tiny=True)
    shared.note_loops(True)
    try:
        alone, inside, then = scaling.measure(step, 16, 5e3, 3)
        rows = scaling.slowest_parts(step, 16, 5e3, 2)
    finally:
        shared.note_loops(False)
    # Nothing of it is worth a second thread.
    assert (inside, then) == (0, alone)
    assert any('Convolution2DFunction' in name for name, *_ in rows)
