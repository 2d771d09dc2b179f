"""Code of static chains that reads arrays."""
import numpy as np
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
import chainer_fast.links as L
from chainer_fast._core.graphs import graph
from tests.graph_optimizations.static_chains import Model, Static, draw, refused

READS = {
    'array': lambda x: x.array,
    'data': lambda x: x.data,
    'raw_array': lambda x: x.raw_array,
    'as_array': chainer.as_array,
    'getattr': lambda x: getattr(x, 'array'),  # noqa: B009
    'node': lambda x: x.node.data,
    'plain numpy': lambda x: np.asarray([row.array for row in x]),
    'text': lambda x: np.array(
        [float('nan' not in str(x))], x.dtype) * np.ones(x.shape, x.dtype),
    'repr': lambda x: np.full(x.shape, 'nan' not in repr(x), x.dtype),
    'item': lambda x: np.full(x.shape, F.sum(x).item(), x.dtype),
    'DLPack': lambda x: np.from_dlpack(x),
    'pickle': lambda x: x.__reduce__()[1][0],
    'local': lambda x: (lambda array: array)(x.array),
    'debug_print': lambda x: np.full(x.shape, len(x.debug_print()) > 9, x.dtype),
}


def masked(read):
    def compute(chain, x):
        array = read(x)
        mask = (np.zeros(x.shape, 'f') if array is None else array != 0).astype('f')
        return F.linear(x, chain.w) * mask
    return compute


@pytest.mark.parametrize('how', READS)
def test_a_mask_that_is_equal_in_the_first_calls(how):
    compute = masked(READS[how])
    static, plain = Static(compute), Model(compute)
    for i in range(6):
        x = draw(i, 4, 3) + 1
        if i > 3:
            x[0] = 0
        np.testing.assert_allclose(
            static(chainer.Variable(x)).array, plain(chainer.Variable(x)).array,
            rtol=1e-6)
    assert static.seen.count == 6
    if how != 'node':
        assert 'reads the array of a variable' in refused(static)
        assert 'test_reads.py' in refused(static)
        assert 'allow_array_reads=True' in refused(static)


def branches(chain, x):
    h = F.linear(x, chain.w)
    return F.tanh(h) if x.array.sum() > 0 else F.relu(h)


def scales(chain, x):
    return x * float(F.sum(x).array.clip(0, 1))


def indexes(chain, x):
    return x[np.flatnonzero(x.array[:, 0] > 0)]


def wraps_and_looks(chain, x):
    h = F.tanh(x)
    return chainer.Variable(h.array) * x + (h.array > 0).astype('f')


def takes_a_name(chain, x):
    h = F.tanh(x)
    array = h.array
    return chainer.Variable(array) * x + (array > 0).astype('f')


def of_a_parameter(chain, x):
    scale = np.abs(chain.w.array).max()
    return F.linear(x, chain.w / float(min(scale, .01)))


def of_a_gradient(chain, x):
    return x * (1. if chain.w.grad is None else 2.)


@pytest.mark.parametrize('compute', [
    branches, scales, indexes, wraps_and_looks, takes_a_name, of_a_parameter,
    of_a_gradient])
def test_whatever_is_made_of_an_array(compute):
    static, plain = Static(compute), Model(compute)
    for chain in (static, plain):
        chain.cleargrads()
    for i in range(6):
        x = abs(draw(i, 4, 3)) + 1
        if i > 3:
            x[0] = x[0] * 0 - 9
        np.testing.assert_allclose(
            static(chainer.Variable(x)).array, plain(chainer.Variable(x)).array,
            rtol=1e-6)
    assert static.seen.count == 6, static.schedule_manager.calls.refused


def shapes(chain, x):
    n = x.array.shape[0] + x.data.ndim + x.array.size + len(x)
    if x.array.dtype == np.float32 and x.data is not None and chain.w.array is not None:
        n += 1
    if getattr(x, 'array', x).shape == ():
        n += 1
    return x * n


def wraps(chain, x):
    h = F.tanh(x)
    return chainer.Variable(h.array) * x + F.tanh(h.array) * x + h.data * x


def gives_arrays(chain, x):
    h = F.tanh(F.linear(x, chain.w))
    return h, h.array


def goes_on(chain, x):
    h = F.linear(x, chain.w) if chain.v2 is None else F.linear(x, chain.w) + chain.v2
    chain.v2 = chainer.Variable(h.array, requires_grad=False)
    return h


class Wrapped(chainer.Chain):
    """Links that look at their own arrays."""

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.linear = L.Linear(None, 4)
            self.norm = L.BatchNormalization(4)
            self.layer = L.LayerNormalization()
            self.lstm = L.LSTM(None, 4)
            self.maxout = L.Maxout(None, 4, 2)
            self.words = L.EmbedID(9, 4)

    def __call__(self, x):
        self.lstm.reset_state()
        h = self.lstm(self.layer(self.norm(self.linear(x))))
        h = F.dropout(self.maxout(h)) + self.words(np.arange(4, dtype='i'))
        return F.swish(h, np.ones(4, 'f')) + F.normalize(h)


LINKS = Wrapped()


@pytest.mark.parametrize('compute', [shapes, wraps, gives_arrays, goes_on])
def test_what_makes_no_difference(compute):
    static, plain = Static(compute), Model(compute)
    for chain in (static, plain):
        chain.v2 = None
    for i in range(6):
        x = draw(i, 4, 3)
        found = static(chainer.Variable(x)), plain(chainer.Variable(x))
        a, b = (chainer.as_array(y[-1] if isinstance(y, tuple) else y) for y in found)
        np.testing.assert_allclose(a, b, rtol=1e-5)
    assert static.seen.count < 6, static.schedule_manager.calls.refused


def test_links_may_look_at_their_arrays():
    class Chain(Wrapped):
        count = 0

        @chainer.static_graph
        def __call__(self, x):
            Chain.count += 1
            return super().__call__(x)

    chain = Chain()
    for i in range(6):
        y = chain(draw(i, 4, 3))
        chain.cleargrads()
        y.grad = np.ones_like(y.array)
        y.backward()
    assert Chain.count == 3, chain.schedule_manager.calls.refused


def test_the_user_may_allow_it():
    class Chain(Model):
        @chainer.static_graph(allow_array_reads=True)
        def forward(self, x):
            return super().forward(x)

    chain = Chain(masked(READS['array']))
    for _ in range(6):
        chain(chainer.Variable(draw(0, 4, 3) + 1))
    assert chain.seen.count == 2


def test_what_is_read_elsewhere_does_not_count():
    static = Static(lambda chain, x: F.linear(x, chain.w))
    for i in range(6):
        x = chainer.Variable(draw(i, 4, 3))
        y = static(x)
        assert x.array.any() and y.array.any() and x.grad is None
    assert static.seen.count == 2


def test_a_function_of_the_user_may_read():
    class Read(chainer.FunctionNode):
        def forward(self, inputs):
            return chainer.Variable(inputs[0]).array * 2,

        def backward(self, indexes, grads):
            return grads[0] * 2,

    static = Static(lambda chain, x: Read().apply((x,))[0])
    for i in range(6):
        static(chainer.Variable(draw(i, 4, 3)))
    assert static.seen.count == 2


def test_nothing_is_watched_after_a_call_that_fails():
    def compute(chain, x):
        raise KeyError('no')

    noted = []
    static = Static(compute)
    with pytest.raises(KeyError):
        static(chainer.Variable(draw(0, 4, 3)))
    before = chainer.Variable(draw(0, 4, 3))
    graph.watch_reads(lambda owner, array, is_gradient: noted.append(id(owner)))
    try:
        assert before.array is before.data
    finally:
        graph.watch_reads(None)
    assert noted == [id(before)] * 2
