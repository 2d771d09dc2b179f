"""Gradients of weights that several functions use, in plans."""
import numpy

import chainer_fast as chainer
import chainer_fast.functions as F
from chainer_fast._core.graphs import graph
from chainer_fast.graph_optimizations._processor import plans
from tests.graph_optimizations._processor.tiles import ROWS, UNITS, needs_tiles
from tests.graph_optimizations.static_chains import draw

#: So many rows are never together: there are several products.
USES = graph.rows_together(UNITS, UNITS, 4) // ROWS + 4

class Weights(chainer.Chain):

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.w = chainer.Parameter(draw(1, UNITS, UNITS, dtype='f') / 8)
            self.v = chainer.Parameter(draw(2, UNITS, UNITS, dtype='f') / 8)

    def forward(self, x):
        total = F.sum(self.w * .1)
        w = self.v * 2
        for _ in range(USES):
            x = F.tanh(F.linear(F.linear(x, self.w), w))
            total += F.sum(x)
        # Many rows are multiplied at once as they are.
        many = F.concat([x] * 8, axis=0)
        return total + F.sum(F.linear(many, self.w)) + F.sum(F.linear(many, w))

    def gradients(self, x):
        self.cleargrads()
        loss = self(x)
        loss.backward()
        return [loss.array, self.w.grad, self.v.grad]


class Static(Weights):

    @chainer.static_graph
    def forward(self, x):
        return super().forward(x)


@needs_tiles
def test_sum_over_uses(monkeypatch):
    plain, static = Weights(), Static()
    copied = []
    step = plans.PackRows
    monkeypatch.setattr(
        plans, 'PackRows', lambda *args: copied.append(args) or step(*args))
    for k in range(4):
        x = draw(k, ROWS, UNITS, dtype='f')
        for a, b in zip(plain.gradients(x), static.gradients(x), strict=True):
            numpy.testing.assert_allclose(
                b, a, rtol=0, atol=1e-5 * max(abs(a).max(), 1))
    assert len(copied) > 2 * USES - 4


@needs_tiles
def test_threads_change_nothing():
    static = Static()
    x = draw(0, ROWS, UNITS, dtype='f')
    with chainer.using_config('num_threads', 1):
        expected = [static.gradients(x) for _ in range(3)][-1]
    for threads in 2, 3, 16:
        with chainer.using_config('num_threads', threads):
            for a, b in zip(expected, static.gradients(x), strict=True):
                numpy.testing.assert_array_equal(a, b)
