"""Every step with a budget of launches, recorded: it uses nothing that may be gone."""
import gc

import numpy
import pytest

import chainer_fast as chainer
from chainer_fast.backends import cuda
from chainer_fast.graph_optimizations._gpu.recorder import Recorder
from tests import devices
from tests.backends.kernels import budgets

pytestmark = pytest.mark.gpu

# CuPy multiplies their matrices, which it does in no graph.
NOT_RECORDED = ('n_step_', 'spatial_transformer_grid')
RECORDED = [row[:2] for row in budgets.BUDGETS if not row[0].startswith(NOT_RECORDED)]


class Inputs(budgets.Inputs):
    """Notes the variables and links that a step is made of."""

    def __init__(self):
        super().__init__(devices.Device('@cupy:0'), 'f')
        self.leaves = []

    def variable(self, *shape):
        self.leaves.append(super().variable(*shape))
        return self.leaves[-1]

    def link(self, make, *args, **kwargs):
        link = super().link(make, *args, **kwargs)
        self.leaves += [param for _, param in sorted(link.namedparams())]
        return link


def results(forward):
    ys = forward()
    return [y for y in (ys if isinstance(ys, tuple) else (ys,))
            if isinstance(y, chainer.Variable)]


def differentiate(ys, grads, leaves):
    for y, gy in zip(ys, grads, strict=True):
        y.grad = gy
    chainer.backward([y for y in ys if y.grad is not None])
    found = [x.grad for x in leaves]
    for x in leaves:
        x.cleargrad()
    return found


def values(arrays):
    return [None if array is None else array.get() for array in arrays]


def start(step):
    numpy.random.seed(0)
    new = Inputs()
    forward = step(new)
    for x in new.leaves:
        x.cleargrad()
    cuda.cupy.random.seed(0)
    return forward, new


@pytest.mark.parametrize('name, step', RECORDED, ids=[name for name, _ in RECORDED])
def test_step(name, step):
    forward, new = start(step)
    ys = results(forward)
    grads = [new.array(*y.shape) if y.creator is not None and y.dtype == 'f' else None
             for y in ys]
    expected = values([y.array for y in ys]), values(
        differentiate(ys, grads, new.leaves))

    forward, new = start(step)
    recorder = Recorder()
    recorded, ys = recorder.record(lambda: results(forward))
    backward, gxs = recorder.record(lambda: differentiate(ys, grads, new.leaves))
    gc.collect()
    cuda.memory_pool.free_all_blocks()
    for _ in range(2):
        cuda.cupy.random.seed(0)
        recorded.launch()
        backward.launch()
        for found, wanted in zip((
                values([y.array for y in ys]), values(gxs)), expected, strict=True):
            for a, b in zip(found, wanted, strict=True):
                if a is None or b is None:
                    assert a is b
                else:
                    numpy.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize('name, step', [
    row[:2] for row in budgets.BUDGETS if row[0].startswith(NOT_RECORDED)])
def test_steps_that_say_why_they_are_not_recorded(name, step):
    forward, _ = start(step)
    forward()
    with pytest.raises(NotImplementedError, match='cuBLAS'):
        Recorder().record(forward)
