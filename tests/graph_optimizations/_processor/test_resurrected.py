"""Calls that somebody comes back to, and memory that somebody still sees."""
import gc
import weakref

import numpy as np
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
from tests.graph_optimizations.static_chains import (
    Model,
    Static,
    affine,
    draw,
    every_loop,
)

SAVED = []


class Phoenix:
    """Puts what it holds back into reach when it is collected."""

    def __init__(self, **held):
        vars(self).update(held)
        self.itself = self

    def __del__(self):
        SAVED.append(vars(self).copy())


def gradients(y, x, chain):
    chain.cleargrads()
    x.cleargrad()
    y.grad = draw(9, *y.shape, dtype=y.dtype)
    y.backward()
    return [x.grad.copy(), *[p.grad.copy() for p in chain.params() if
                             p.grad is not None]]


def expected_of(compute, x):
    plain, x = Model(compute), chainer.Variable(x.array.copy())
    return gradients(plain(x), x, plain)


def assert_close(expected, actual):
    for a, b in zip(expected, actual, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


@pytest.fixture(autouse=True)
def forget():
    yield
    SAVED.clear()
    gc.collect()


@pytest.mark.parametrize('compute', [affine, every_loop])
@pytest.mark.parametrize('holds', ['result', 'node', 'lease'])
def test_a_result_that_a_finalizer_brings_back(compute, holds):
    static = Static(compute)
    for i in range(3):
        x = chainer.Variable(draw(i, 4, 3))
        gradients(static(x), x, static)
    x = chainer.Variable(draw(50, 4, 3))
    y = static(x)
    assert y.creator.label == 'static_graph'
    if holds == 'result':
        Phoenix(result=y)
    elif holds == 'node':
        Phoenix(node=y.node)
    else:
        Phoenix(node=y.node, creator=y.creator, lease=y.creator.lease)
    del y
    gc.collect()
    found, = SAVED
    # Other calls would take its workspace.
    for i in range(3):
        other = chainer.Variable(draw(60 + i, 4, 3))
        gradients(static(other), other, static)
    if holds == 'result':
        got = gradients(found['result'], x, static)
    else:
        function = found['node'].creator_node
        with chainer.no_backprop_mode():
            got = [g.array for g in function.backward(
                tuple(range(len(function.inputs))), (chainer.Variable(draw(9, 4, 3)),))]
    assert_close(expected_of(compute, x), got)


def test_a_result_that_a_weak_reference_calls_back_for():
    static = Static(affine)
    for _ in range(3):
        static(chainer.Variable(draw(0, 4, 3)))
    seen = []

    class Key:
        pass

    key = Key()
    x = chainer.Variable(draw(50, 4, 3))
    y = static(x)
    reference = weakref.ref(key, lambda _, y=y: seen.append(y))
    key.itself = key
    del y, key
    gc.collect()
    del reference
    for i in range(3):
        static(chainer.Variable(draw(60 + i, 4, 3)))
    y, = seen
    assert_close(expected_of(affine, x), gradients(y, x, static))


def test_workspaces_come_back_from_cycles():
    static = Static(affine)
    for _ in range(3):
        static(chainer.Variable(draw(0, 4, 3)))
    (planned,), = static.schedule_manager.calls._kept.values()
    workspace = id(*planned.workspaces)
    y = static(chainer.Variable(draw(0, 4, 3)))
    assert not planned.workspaces and [*map(id, planned.lent)] == [workspace]
    cycle = [y]
    cycle.append(cycle)
    del y, cycle
    gc.collect()
    assert [*map(id, planned.workspaces)] == [workspace] and not planned.lent


def test_a_chain_in_a_cycle_with_its_result():
    for _ in range(20):
        static = Static(affine)
        for _ in range(3):
            y = static(chainer.Variable(draw(0, 4, 3)))
        static.latest = [y]
        Phoenix(y=y, static=static)
        del y, static
        gc.collect()
        y, static = SAVED[-1]['y'], SAVED[-1]['static']
        x = chainer.Variable(draw(1, 4, 3))
        z = static(x)
        y.grad = draw(2, 4, 3)
        y.backward()
        assert_close(expected_of(affine, x), gradients(z, x, static))
        SAVED.clear()


KEPT = []
KEEPERS = {
    'array': lambda x: x,
    'view': lambda x: x[1:],
    'reversed': lambda x: x[::-1].T,
    'memoryview': memoryview,
    'DLPack': lambda x: np.from_dlpack(x) if x.flags.writeable else x,
    'base': lambda x: x if x.base is None else x.base,
    'weak reference': weakref.ref,
}


class Keep(chainer.FunctionNode):
    """A function of a user that keeps what it is given."""

    how = 'array'

    def forward(self, inputs):
        x, = inputs
        KEPT.append((KEEPERS[self.how](x), x.copy()))
        return x * 2,

    def backward(self, indexes, grads):
        return grads[0] * 2,


@pytest.mark.parametrize('how', KEEPERS)
@pytest.mark.parametrize('backprop', [True, False])
def test_memory_that_a_function_has_kept_is_not_used_again(how, backprop):
    def compute(chain, x):
        h = F.tanh(x) * F.sigmoid(x)
        function = Keep()
        function.how = how
        return F.tanh(function.apply((h,))[0]) + h

    static = Static(compute)
    KEPT.clear()
    with chainer.using_config('enable_backprop', backprop):
        for i in range(6):
            x = chainer.Variable(draw(i, 4, 3))
            y = static(x)
            if backprop:
                gradients(y, x, static)
            del y
    assert static.seen.count == 2 and len(KEPT) == 6
    for got, copied in KEPT:
        if how == 'weak reference':
            got = got()
            if got is None:
                continue
        if how == 'base':
            assert copied.tobytes() in got.tobytes()
            continue
        expected = copied if how == 'weak reference' else KEEPERS[how](copied)
        np.testing.assert_array_equal(np.asarray(got), np.asarray(expected))
    KEPT.clear()
