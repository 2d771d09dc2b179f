"""Every way through the package leads to the same results and gradients."""
import functools
import warnings

import numpy as np
import pytest

from chainer_fast import chainerx
from chainer_fast import functions as F
from chainer_fast.functions.activation.relu import ReLU
from tests import programs, ways
from tests.fuzz import graphs


def program_of(name):
    return programs.MAKERS[name](np.random.RandomState(1))


@functools.cache
def expected(name):
    """Return what the references of kernels compute, called by functions' methods."""
    program = program_of(name)
    with graphs.general_way():
        return ways.take_step(program.compute, program.arrays)


def assert_close(found, expected):
    assert (found is None) == (expected is None)
    if expected is None:
        return
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    if expected.dtype.kind != 'f':
        np.testing.assert_array_equal(found, expected)
        return
    tolerance = 1e-12 if expected.dtype == np.float64 else 1e-5
    np.testing.assert_allclose(
        found, expected, tolerance, tolerance * abs(expected).max(initial=1))


@pytest.mark.filterwarnings('ignore')   # of functions that are experimental, or old
@pytest.mark.parametrize('name', programs.MAKERS)
def test_same_results(way, name):
    program = program_of(name)
    if way is ways.on_chainerx and name in programs.WITH_NUMPY:
        with pytest.raises(TypeError, match='chainerx'):
            way(program.compute, program.arrays)
        return
    found = way(program.compute, program.arrays)
    assert len(found) == len(expected(name))
    for each in zip(found, expected(name), strict=True):
        assert_close(*each)


def test_plans():
    """Most programs have one."""
    refused = {}
    for name in programs.MAKERS:
        program = program_of(name)
        chain = ways.StaticChain(program.compute)
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            for _ in range(3):
                ways.take_step(chain, program.arrays)
        if chain.refused:
            refused[name] = chain.refused
    assert len(refused) < len(programs.MAKERS) / 4, refused


def test_each_way_is_another_one(way):
    seen = []

    def compute(x):
        seen.append(x.xp)
        return F.relu(x)

    with ways.called_methods(ReLU) as called:
        way(compute, [np.array([[-1, 2]], 'f')])
    assert called == {
        ways.by_methods: {'forward', 'backward'},
        ways.by_plan: {'forward'},      # while it is recorded
    }.get(way, set())
    assert seen == {
        ways.by_plan: [np] * 2,     # and not a third time
        ways.on_chainerx: [chainerx]}.get(way, [np])
