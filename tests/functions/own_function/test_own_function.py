"""A function from outside of the package: one element, one class, one record."""
import importlib
import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chainer_fast as chainer
import chainer_fast.functions as F
from benchmarks.functions import records
from chainer_fast import gradient_check
from chainer_fast._core.graphs import graph
from chainer_fast.backends.kernels.common import elementwise
from tests import ways
from tests._core import shortcut_cases
from tests.graph_optimizations import static_chains

FOLDER = pathlib.Path(__file__).parent
ROOT = FOLDER.parents[2]


@pytest.fixture(scope='module')
def own(tmp_path_factory):
    """The module of the function, compiled in a folder of its own."""
    folder = tmp_path_factory.mktemp('own') / 'softsign'
    shutil.copytree(FOLDER, folder, ignore=shutil.ignore_patterns('test_*', '__*'))
    # A sanitizer that tests run under is not for compilers.
    environment = {**os.environ, 'PYTHONPATH': str(ROOT), 'LD_PRELOAD': ''}
    subprocess.run(
        [sys.executable, 'setup.py'], cwd=folder, check=True, env=environment)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        yield importlib.import_module('softsign')


def draw(*shape, dtype='f'):
    return np.random.RandomState(0).uniform(-2, 2, shape).astype(dtype)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_shortcut_and_methods_agree(own, data):
    record, _ = graph.registered(own.Softsign)
    kind = data.draw(st.sampled_from(shortcut_cases.Kind))
    args = ({}, *data.draw(shortcut_cases.of_record(own.Softsign, record, kind)),
            [True], np.ones_like)
    found, _ = ways.outcome(*args)
    with ways.General():
        expected, _ = ways.outcome(*args)
    if isinstance(expected[0], type):
        assert found == expected
    else:
        for a, b in zip(found, expected, strict=True):
            # Halves are rounded once, and by the methods after each operation.
            is_half = b is not None and b.dtype == 'e'
            assert ways.same_but_rounding(a, b, 1) if is_half else ways.same_bits(a, b)


def test_plain_arrays_take_the_shortcut(own):
    x = chainer.Variable(draw(3, 4))
    with ways.called_methods(own.Softsign) as called:
        F.sum(own.softsign(x, 2.)).backward()
    assert not called
    np.testing.assert_allclose(x.grad, 2 / (2 + abs(x.array)) ** 2, 1e-6)


def test_gradients(own):
    x, g, gg = draw(3, 4, dtype='d'), draw(3, 4, dtype='d'), draw(3, 4, dtype='d')
    gradient_check.check_backward(own.softsign, x, g)
    gradient_check.check_double_backward(own.softsign, x, g, gg)


def test_static_chain(own):
    static_chains.check(
        lambda chain, x: own.softsign(F.tanh(x) * 3, .5) + x, draw(4, 3, dtype='d'))
    record, constants = elementwise.elementwise_of(own.Softsign(.5), 1)
    assert (record.loop.name, constants) == ('Softsign::of', (.5, 0))


@pytest.mark.gpu
@pytest.mark.parametrize('dtype', ['e', 'f', 'd'])
def test_on_a_gpu(own, device, dtype):
    x = draw(3, 4, dtype=dtype)
    there = chainer.Variable(device.send(x))
    with ways.called_methods(own.Softsign) as called:
        y = own.softsign(there, 2.)
        y.grad = device.xp.ones_like(y.array)
        y.backward()
    assert not called
    tolerance = {'e': 2e-3, 'f': 1e-6, 'd': 1e-12}[dtype]
    wide = 2 + abs(x.astype('d'))
    np.testing.assert_allclose(y.array.get(), x / wide, tolerance)
    np.testing.assert_allclose(there.grad.get(), 2 / wide ** 2, tolerance)


def test_benchmark(own):
    step = records.step(own.Softsign, 'small')
    assert [x.grad is not None for x in step()] == [True]
