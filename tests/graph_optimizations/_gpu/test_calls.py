"""Static chains on a GPU, launched from recordings: the results of plain chains."""
import gc
import weakref

import numpy
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
import chainer_fast.links as L

pytestmark = pytest.mark.gpu

X = numpy.random.RandomState(0).rand(4, 3).astype('f')


class Plain(chainer.Chain):
    """Functions that CuPy can record, with parameters and running averages."""

    def __init__(self):
        super().__init__()
        random = numpy.random.RandomState(1)
        with self.init_scope():
            self.w = chainer.Parameter(random.rand(3).astype('f'))
            self.b = chainer.Parameter(random.rand(1, 3).astype('f'))
            self.unused = chainer.Parameter(random.rand(2).astype('f'))
            self.bn = L.BatchNormalization(3)
        self.seen = Seen()
        self.to_device('@cupy:0')

    def compute(self, x):
        self.seen.count += 1
        h = F.tanh(F.broadcast_to(self.b, x.shape) + x) * F.broadcast_to(
            self.w, x.shape)
        return F.relu(self.bn(h))

    def forward(self, x):
        return self.compute(x)


class Seen:
    """A count of calls that is no attribute of the link."""

    count = 0


class Static(Plain):

    @chainer.static_graph
    def forward(self, x):
        return self.compute(x)


def send(x):
    return chainer.get_device('@cupy:0').send(numpy.asarray(x))


def train(chain, x, scale=1.):
    """Return the output and all gradients of one step, on the host."""
    x = chainer.Variable(send(x))
    chain.cleargrads()
    y = chain(x)
    y.grad = send(numpy.linspace(0, scale, y.size, dtype='f').reshape(y.shape))
    y.backward()
    return [None if a is None else a.get() for a in (
        y.array, x.grad, *[p.grad for p in chain.params()],
        chain.bn.avg_mean, chain.bn.avg_var)]


def update(*chains):
    for chain in chains:
        for param in chain.params():
            if param.grad is not None:
                param.array -= .1 * param.grad


def assert_same(expected, actual):
    for a, b in zip(expected, actual, strict=True):
        if a is None or b is None:
            assert a is b
        else:
            numpy.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_training():
    plain, static = Plain(), Static()
    for step in range(5):
        assert_same(train(plain, X + step), train(static, X + step))
        update(plain, static)
    assert static.seen.count == 2       # once as it is, and once to be recorded
    assert not static.schedule_manager.recordings.refused


def test_launches(ledger):
    static = Static()
    for _ in range(2):
        train(static, X)
    x = chainer.Variable(send(X))
    with ledger.record() as counts:
        y = static(x)
    # The input in, the graph, the output out.
    assert len(counts.launches) == 3
    y.grad = send(X)
    static.cleargrads()
    with ledger.record() as counts:
        y.backward()
    # Its gradient in, the graph, the gradients out.
    assert len(counts.launches) == 3
    assert not counts.synchronisations and not counts.to_host


def test_other_shapes_and_settings():
    plain, static = Plain(), Static()
    for _ in range(3):
        for x in (X, X[:2]):
            assert_same(train(plain, x), train(static, x))
    for _ in range(3):
        with chainer.no_backprop_mode(), chainer.using_config('train', False):
            y = static(send(X))
            assert y.creator is None
            numpy.testing.assert_allclose(
                y.array.get(), plain(send(X)).array.get(), rtol=1e-5)


def test_nothing_handed_out_changes():
    static = Static()
    train(static, X)
    kept = []
    for step in range(3):
        x = chainer.Variable(send(X * (step + 1)))
        static.cleargrads()
        y = static(x)
        F.sum(y * y).backward()
        arrays = [y.array, x.grad, static.w.grad, static.b.grad]
        kept.append((arrays, [a.get() for a in arrays]))
    for arrays, values in kept:
        for array, value in zip(arrays, values, strict=True):
            numpy.testing.assert_array_equal(array.get(), value)


def test_gradients_accumulate():
    plain, static = Plain(), Static()
    for chain in (plain, static):
        train(chain, X)
        train(chain, X)
        chain.cleargrads()
        for step in range(3):
            F.sum(chain(send(X + step)) ** 2).backward()
    numpy.testing.assert_allclose(
        static.w.grad.get(), plain.w.grad.get(), rtol=1e-5)


def test_several_calls_before_backward():
    plain, static = Plain(), Static()
    for step in range(3):
        for chain in (plain, static):
            chain.cleargrads()
            ys = [chain(send(X * k + step)) for k in range(1, 4)]
            F.sum(ys[0] * ys[1] + F.sin(ys[2])).backward()
        numpy.testing.assert_allclose(
            static.w.grad.get(), plain.w.grad.get(), rtol=1e-4, atol=1e-6)
    recordings, = static.schedule_manager.recordings._kept.values()
    assert len(recordings) == 3


def test_a_late_gradient_raises():
    static = Static()
    train(static, X)
    train(static, X)
    first = static(send(X))
    static.schedule_manager.end_forward()
    second = static(send(X))
    with pytest.raises(RuntimeError, match='static chain was called again'):
        F.sum(first).backward()
    F.sum(second).backward()
    F.sum(second).backward()


def test_gradients_that_differ_from_call_to_call():
    plain, static = Plain(), Static()
    for step in range(4):
        for chain in (plain, static):
            chain.cleargrads()
            x = chainer.Variable(send(X))
            y = F.sum(chain(x) ** 2)
            if step % 2:
                y.backward()
            else:
                chain.w.grad_var, x.grad_var = chainer.grad([y], [chain.w, x])
            chain.found = [x.grad.get(), chain.w.grad.get()]
            assert (chain.b.grad is None) == (step % 2 == 0)
        assert_same(plain.found, static.found)


def test_double_backprop():
    def penalty(chain):
        x = chainer.Variable(send(X))
        chain.cleargrads()
        g, = chainer.grad(
            [F.sum(chain(x) ** 2)], [x], enable_double_backprop=True)
        F.sum(g * g).backward()
        return chain.w.grad.get()

    plain, static = Plain(), Static()
    for _ in range(3):
        numpy.testing.assert_allclose(penalty(static), penalty(plain), rtol=1e-3)


def test_new_arrays_of_parameters():
    plain, static = Plain(), Static()
    for step in range(4):
        for chain in (plain, static):
            chain.w.array = send(numpy.full(3, step + 1., 'f'))
        assert_same(train(plain, X), train(static, X))


def test_attributes_that_programs_change():
    class Model(chainer.Chain):
        factor = 2.

        def plain(self, x):
            return F.tanh(x) * self.factor

        static = chainer.static_graph(plain)

    model = Model()
    for step in range(12):
        model.factor = step // 3 + 2.
        numpy.testing.assert_allclose(
            model.static(send(X)).array.get(), numpy.tanh(X) * model.factor, rtol=1e-5)


def test_several_methods():
    class Model(chainer.Chain):

        @chainer.static_graph
        def first(self, x):
            return F.tanh(x)

        @chainer.static_graph
        def second(self, x):
            return F.sin(x)

    model = Model()
    for _ in range(3):
        numpy.testing.assert_allclose(
            model.first(send(X)).array.get(), numpy.tanh(X), rtol=1e-5)
        numpy.testing.assert_allclose(
            model.second(send(X)).array.get(), numpy.sin(X), rtol=1e-5)


# What cannot be recorded
#

def refused(chain):
    reason, = chain.schedule_manager.recordings.refused.values()
    return reason


class Linear(chainer.Chain):

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.l = L.Linear(3, 2)
        self.to_device('@cupy:0')

    @chainer.static_graph
    def forward(self, x):
        return self.l(x)


def test_products_of_matrices():
    chain = Linear()
    expected = X.dot(chain.l.W.array.get().T)
    for _ in range(3):
        chain.cleargrads()
        x = chainer.Variable(send(X))
        y = chain(x)
        numpy.testing.assert_allclose(y.array.get(), expected, rtol=1e-5)
        F.sum(y).backward()
        numpy.testing.assert_allclose(
            x.grad.get(), numpy.ones((4, 2)).dot(chain.l.W.array.get()), rtol=1e-5)
        numpy.testing.assert_allclose(
            chain.l.W.grad.get(), [X.sum(axis=0)] * 2, rtol=1e-5)
        assert chain.l.b.grad.get().tolist() == [4, 4]
    assert len(chain.schedule_manager.recordings._kept) == 1


def test_states_of_links_change_once_a_call():
    class Counting(chainer.Chain):

        def __init__(self):
            super().__init__()
            self.calls = 0
            self.host = numpy.zeros(2)

        def compute(self, x):
            self.calls += 1
            self.host += 1
            self.extra = self.calls
            return F.identity(x) * self.calls

        @chainer.static_graph
        def forward(self, x):
            return self.compute(x)

    chain = Counting()
    for step in range(1, 5):
        numpy.testing.assert_array_equal(chain(send(X)).array.get(), X * step)
        assert chain.calls == chain.extra == step
        numpy.testing.assert_array_equal(chain.host, step)
    assert refused(chain) == 'attributes of links change'


def test_random_numbers_of_the_host():
    class Shifting(chainer.Chain):

        @chainer.static_graph
        def forward(self, x):
            return F.identity(x) + numpy.random.rand()

    chain = Shifting()
    numpy.random.seed(0)
    found = [chain(send(X)).array.get() for _ in range(3)]
    numpy.random.seed(0)
    for array in found:
        numpy.testing.assert_allclose(array, X + numpy.random.rand(), rtol=1e-5)
    assert 'random' in refused(chain)


def test_reports():
    class Reporting(chainer.Chain):

        @chainer.static_graph
        def forward(self, x):
            y = F.sum(x)
            chainer.report({'y': y}, self)
            return y

    chain = Reporting()
    reporter = chainer.Reporter()
    reporter.add_observer('main', chain)
    for step in range(4):
        with reporter.scope({}), reporter:
            chain(send(X * step))
            observation = dict(reporter.observation)
        numpy.testing.assert_allclose(
            observation['main/y'].array.get(), X.sum() * step, rtol=1e-5)
    assert 'main/y' in refused(chain)


def test_reading_values():
    class Branching(chainer.Chain):

        @chainer.static_graph
        def forward(self, x):
            return F.identity(x) if float(F.sum(x).array) > 0 else -F.identity(x)

    chain = Branching()
    for sign in (1, -1, 1, -1):
        numpy.testing.assert_array_equal(chain(send(sign * X)).array.get(), X)
    assert 'capturing' in refused(chain)


def test_parameters_of_others():
    other = chainer.Parameter(send(numpy.ones(3, 'f')))

    class Foreign(chainer.Chain):

        @chainer.static_graph
        def forward(self, x):
            return x * F.broadcast_to(other, x.shape)

    chain = Foreign()
    for _ in range(3):
        other.cleargrad()
        F.sum(chain(send(X))).backward()
        numpy.testing.assert_allclose(other.grad.get(), X.sum(axis=0), rtol=1e-5)
    assert 'not an argument' in refused(chain)


def test_errors_are_those_of_the_chain():
    class Failing(chainer.Chain):
        fails = False

        @chainer.static_graph
        def forward(self, x):
            if self.fails:
                raise ValueError('as it should')
            return F.tanh(x)

    chain = Failing()
    chain(send(X))
    chain.fails = True
    with pytest.raises(ValueError, match='as it should'):
        chain(send(X))
    # Streams and allocators are as they were.
    assert float(send(X).sum()) == pytest.approx(X.sum())


def test_hooks_see_the_functions():
    static = Static()
    for _ in range(3):
        train(static, X)
    hook = chainer.function_hooks.TimerHook()
    with hook:
        static(send(X))
    assert len(hook.call_history) > 3


# Results and arguments
#

def test_structures():
    class Model(chainer.Chain):

        @chainer.static_graph
        def forward(self, xs, factor, offset=None):
            a, b = xs
            return (F.tanh(a) * factor, [b.array + offset, None, 3]), F.sum(a * b)

    chain = Model()
    for step in range(3):
        for factor in 2, 3:
            a, b = chainer.Variable(send(X + step)), chainer.Variable(send(X * 2))
            (y, (array, none, three)), total = chain((a, b), factor, offset=send(X))
            assert (none, three) == (None, 3)
            numpy.testing.assert_allclose(
                y.array.get(), numpy.tanh(X + step) * factor, rtol=1e-5)
            numpy.testing.assert_allclose(array.get(), X * 3, rtol=1e-5)
            total.backward()
            numpy.testing.assert_allclose(a.grad.get(), X * 2, rtol=1e-5)
            numpy.testing.assert_allclose(b.grad.get(), X + step, rtol=1e-5)


def test_memory_layouts_are_not_recorded():
    class Model(chainer.Chain):

        @chainer.static_graph
        def forward(self, x):
            return F.sum(x.as_layout(None), axis=1)

    model = Model()
    images = numpy.random.RandomState(0).rand(2, 3, 4, 5).astype('f')
    for _ in range(3):
        x = chainer.Variable(send(images)).as_layout(
            chainer.memory_layouts.CUDNN_CHANNEL_LAST_X)
        numpy.testing.assert_allclose(
            model.forward(x).array.get(), images.sum(axis=1), rtol=1e-5)


def test_arrays_on_the_host_are_not_recorded():
    class Model(chainer.Chain):

        @chainer.static_graph
        def forward(self, x):
            return F.tanh(x)

    chain = Model()
    for _ in range(3):
        chain(X)
    assert not chain.schedule_manager.recordings._kept


def test_no_garbage():
    static = Static()
    for _ in range(3):
        train(static, X)
    gc.collect()
    gc.disable()
    try:
        reference = weakref.ref(static)
        del static
        assert reference() is None
        assert gc.collect() == 0
    finally:
        gc.enable()
