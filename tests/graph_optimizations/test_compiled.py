"""Static chains on the processor, made by tapes: the numbers of plain chains."""
import gc
import re
import weakref

import numpy
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
from chainer_fast.graph_optimizations._compiled import Replay

# Functions whose shortcuts are tried here.
CLASSES = (Replay,)


def draw(seed, *shape, dtype='f'):
    return numpy.asarray(numpy.random.RandomState(seed).rand(*shape) - .5, dtype)


class Model(chainer.Chain):
    """A chain of any computation, with two weights and a bias."""

    def __init__(self, compute, dtype='f', units=3):
        super().__init__()
        self.compute = compute
        self.seen = Seen()
        with self.init_scope():
            self.w = chainer.Parameter(draw(1, units, units, dtype=dtype))
            self.v = chainer.Parameter(draw(2, units, units, dtype=dtype))
            self.b = chainer.Parameter(draw(3, units, dtype=dtype))

    def forward(self, *args, **kwargs):
        self.seen.count += 1
        return self.compute(self, *args, **kwargs)


class Static(Model):

    @chainer.static_graph
    def forward(self, *args, **kwargs):
        return super().forward(*args, **kwargs)


class Seen:
    """A count of calls that is no attribute of the link."""

    count = 0


def refused(chain):
    reason, = chain.schedule_manager.calls.refused.values()
    return reason


def leaves(value):
    if isinstance(value, (list, tuple)):
        return [leaf for each in value for leaf in leaves(each)]
    return [value] if isinstance(value, chainer.Variable) else []


def train(chain, arrays, loss_scale=None):
    """Return outputs and gradients of a step."""
    xs = [chainer.Variable(x) if x.dtype.kind == 'f' else x for x in arrays]
    chain.cleargrads()
    outputs = leaves(chain(*xs))
    for i, y in enumerate(outputs):
        y.grad = draw(i + 7, *y.shape, dtype=y.dtype)
    chainer.backward(outputs)
    found = [y.array for y in outputs] + [
        x.grad for x in xs if isinstance(x, chainer.Variable)] + [
            p.grad for p in chain.params()]
    for p in chain.params():
        if p.grad is not None:
            p.array -= numpy.asarray(.01, p.dtype) * p.grad
    return found


def assert_same(expected, actual, exact=True):
    assert len(expected) == len(actual)
    for a, b in zip(expected, actual, strict=True):
        if a is None or b is None:
            assert a is b
            continue
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        if exact:
            numpy.testing.assert_array_equal(a, b)
        else:
            numpy.testing.assert_allclose(
                a, b, rtol=1e-6, atol=1e-6 * max(abs(a).max(), 1) if a.size else 0)


def check(compute, *arrays, calls=2, units=3, exact=None):
    """Compare a static chain with a plain one; ``calls`` of it run its code."""
    dtype = arrays[0].dtype
    plain, static = Model(compute, dtype, units), Static(compute, dtype, units)
    if exact is None:
        exact = dtype == numpy.float64
    for step in range(6):
        xs = [numpy.asarray(x + .01 * step, x.dtype) if x.dtype.kind == 'f' else x
              for x in arrays]
        assert_same(train(plain, xs), train(static, xs), exact)
    assert static.seen.count == calls, static.schedule_manager.calls.refused
    return static


# Numbers
#

def every_loop(chain, x):
    h = F.tanh(x) + x * 2 - 3
    h = F.relu(h) * F.sigmoid(h) / (F.exp(x) + 1)
    h = F.leaky_relu(h, .3) - F.elu(h) - (1 - F.softplus(x)) * -h
    h = F.hard_sigmoid(h) + F.clipped_relu(x, .2) + x ** 2
    return F.sqrt(h * h + 1)


def fan_out(chain, x):
    total = F.tanh(x)
    for k in range(7):
        total = total + F.tanh(x * (k + 1)) * total
    return total


def affine(chain, x):
    h = F.relu(F.linear(x, chain.w, chain.b))
    return F.linear(F.linear(h, chain.w), chain.v, chain.b)


def cells(chain, x):
    c, h = F.tanh(x), x
    for _ in range(4):
        gates = F.linear(h, F.concat([chain.w] * 4, 0)) + F.linear(
            x, F.concat([chain.v] * 4, 0))
        c, h = F.lstm(c, gates)
    return h, c


def mixed(chain, x):
    """Shortcuts, functions of the engine, views, and several outputs."""
    a, b = F.split_axis(F.tanh(x), [1], 1)
    c = F.concat([b, a], 1)
    d = F.transpose(F.reshape(c, (3, -1)))
    return F.softmax(d * 2) + F.broadcast_to(F.sum(d), d.shape), [F.sum(a * a), d]


def detached(chain, x):
    h = F.tanh(x)
    with chainer.no_backprop_mode():
        k = F.sin(h)
    return h * chainer.Variable(h.array) + k + x


COMPUTATIONS = [every_loop, fan_out, affine, cells, mixed, detached]


@pytest.mark.parametrize('dtype', 'fd')
@pytest.mark.parametrize('compute', COMPUTATIONS)
def test_numbers(compute, dtype):
    check(compute, draw(0, 4, 3, dtype=dtype))


@pytest.mark.parametrize('dtype', 'fd')
@pytest.mark.parametrize('shape', [(), (1,), (7,), (1025,), (3, 5000)])
def test_sizes_of_pieces(shape, dtype):
    check(every_loop, draw(0, *shape, dtype=dtype), exact=True)


@pytest.mark.parametrize('dtype', 'fd')
@pytest.mark.parametrize(
    ('rows', 'units'), [(1, 2), (2, 1), (9, 17), (33, 64), (40, 50)])
def test_sizes_of_matrices(rows, units, dtype):
    check(affine, draw(0, rows, units, dtype=dtype), units=units)
    check(cells, draw(0, rows, units, dtype=dtype), units=units)


def test_labels():
    def compute(chain, x, t):
        return F.softmax_cross_entropy(F.linear(x, chain.w, chain.b), t)
    check(compute, draw(0, 5, 3), numpy.array([0, 2, 1, -1, 2], 'i'))


def test_half_precision_and_empty_arrays():
    check(every_loop, draw(0, 4, 3).astype('e'), exact=True)
    check(lambda chain, x: F.tanh(x) + x, numpy.zeros((0, 3), 'f'))


def test_images_keep_their_order():
    def compute(chain, x):
        w = F.reshape(F.concat([chain.w] * 3, 0), (3, 3, 3, 1))
        return F.max_pooling_2d(F.relu(F.convolution_2d(x, w)), 2)
    check(compute, draw(0, 2, 3, 6, 5))


def test_random_functions_draw_anew():
    def compute(chain, x):
        return F.dropout(F.tanh(x), .5) * x
    chains = Model(compute), Static(compute)
    found = []
    for chain in chains:
        numpy.random.seed(0)
        found.append([train(chain, [draw(0, 5, 3)]) for _ in range(5)])
    for a, b in zip(*found, strict=True):
        assert_same(a, b, exact=False)
    assert chains[1].seen.count == 2


# What is handed out
#

def test_nothing_handed_out_changes():
    static = Static(every_loop)
    kept = []
    for step in range(5):
        found = [a for a in train(static, [draw(step, 4, 3)]) if a is not None]
        kept.append((found, [a.copy() for a in found]))
    for arrays, values in kept:
        assert_same(values, arrays)


def test_views_of_intermediate_results_are_copied():
    static = Static(lambda chain, x: F.reshape(F.tanh(x), (-1,)))
    ys = [static(chainer.Variable(draw(k, 4, 3))).array for k in range(5)]
    for k, y in enumerate(ys):
        numpy.testing.assert_array_equal(y, F.tanh(draw(k, 4, 3)).array.ravel())


def test_results_of_any_structure():
    def compute(chain, xs, factor, offset=None):
        a, b = xs
        return (F.tanh(a) * factor, [b, (a * b).array, None, 3])
    static = Static(compute)
    for step in range(4):
        for factor in (2, 3):
            a, b = (chainer.Variable(draw(k + step, 4, 3)) for k in range(2))
            y, (same, product, none, three) = static((a, b), factor, offset=step > 9)
            assert same is b
            assert (none, three) == (None, 3)
            numpy.testing.assert_array_equal(y.array, F.tanh(a.array).array * factor)
            numpy.testing.assert_array_equal(product, a.array * b.array)
    assert static.seen.count == 4


def test_gradients_of_some_outputs():
    def compute(chain, x):
        return F.tanh(x), F.linear(x, chain.w)
    chains = Model(compute), Static(compute)
    for step in range(6):
        found = []
        for chain in chains:
            x = chainer.Variable(draw(step, 4, 3))
            chain.cleargrads()
            ys = chain(x)
            F.sum(ys[step % 2]).backward()
            found.append([x.grad, chain.w.grad, chain.b.grad])
        assert_same(*found, exact=False)


def test_gradients_of_some_inputs():
    static = Static(affine)
    for step in range(5):
        x = chainer.Variable(draw(step, 4, 3))
        y = static(x)
        plain = affine(static, x)
        for wanted in ([x], [static.w, x], [static.b]):
            assert_same(
                [g.array for g in chainer.grad([plain], wanted, [plain])],
                [g.array for g in chainer.grad([y], wanted, [plain])], exact=False)


def test_several_calls_before_backward():
    plain, static = Model(affine, 'd'), Static(affine, 'd')
    for step in range(5):
        for chain in (plain, static):
            chain.cleargrads()
            ys = [chain(draw(step + k, 4, 3, dtype='d')) for k in range(3)]
            F.sum(ys[0] * ys[1] + F.sin(ys[2])).backward()
        numpy.testing.assert_allclose(static.w.grad, plain.w.grad, rtol=1e-12)
    assert static.seen.count == 2


def test_backward_twice_and_late():
    static = Static(every_loop)
    for _ in range(3):
        train(static, [draw(0, 4, 3)])
    xs = [chainer.Variable(draw(k, 4, 3)) for k in range(2)]
    ys = [static(x) for x in xs]
    for x, y in zip(xs, ys, strict=True):
        expected, = chainer.grad([every_loop(static, x)], [x])
        for count in (1, 2):
            F.sum(y).backward()
            numpy.testing.assert_allclose(x.grad, count * expected.array, rtol=1e-6)


def test_an_output_that_is_returned_twice():
    def compute(chain, x):
        y = F.tanh(x)
        return y, [y, F.sum(y)]
    static = Static(compute)
    for step in range(4):
        x = chainer.Variable(draw(step, 4, 3))
        a, (b, total) = static(x)
        assert a is b
        F.sum(a * b + total).backward()
        y = numpy.tanh(x.array)
        numpy.testing.assert_allclose(x.grad, (1 - y * y) * (2 * y + 12), rtol=1e-5)


def test_double_backprop_of_random_functions():
    static = Static(lambda chain, x: F.dropout(F.tanh(x), .5) ** 2)
    for step in range(4):
        x = chainer.Variable(draw(step, 4, 3, dtype='d'))
        y = static(x)
        g, = chainer.grad([y], [x], enable_double_backprop=True)
        tanh = numpy.tanh(x.array)
        numpy.testing.assert_allclose(
            g.array, 2 * y.array / tanh * (1 - tanh * tanh), rtol=1e-10)


def test_double_backprop():
    def penalty(chain):
        x = chainer.Variable(draw(0, 4, 3, dtype='d'))
        chain.cleargrads()
        g, = chainer.grad([F.sum(chain(x) ** 2)], [x], enable_double_backprop=True)
        F.sum(g * g).backward()
        return chain.w.grad

    def compute(chain, x):
        return F.tanh(affine(chain, x))
    plain, static = Model(compute, 'd'), Static(compute, 'd')
    for _ in range(4):
        numpy.testing.assert_allclose(penalty(static), penalty(plain), rtol=1e-12)


# When it is used
#

def test_a_new_shape_or_type_is_recorded_anew():
    static = Static(every_loop)
    for x in (draw(0, 4, 3), draw(0, 2, 3), draw(0, 4, 3, dtype='d')):
        before = static.seen.count
        for _ in range(4):
            y = static(chainer.Variable(x))
            assert (y.shape, y.dtype) == (x.shape, x.dtype)
        assert static.seen.count == before + 2
    static(chainer.Variable(draw(1, 4, 3)))
    assert static.seen.count == before + 2


def test_settings():
    static = Static(affine)
    x = draw(0, 4, 3)
    for _ in range(3):
        static(x)
    assert static.seen.count == 2
    with chainer.using_config('use_static_graph', False):
        static(x)
    assert static.seen.count == 3
    for _ in range(3):
        with chainer.no_backprop_mode(), chainer.using_config('train', False):
            assert static(x).creator is None
    assert static.seen.count == 5


def test_hooks_and_debug_mode_run_the_functions():
    static = Static(every_loop)
    x = chainer.Variable(draw(0, 4, 3))
    for _ in range(3):
        static(x)
    with chainer.function_hooks.TimerHook() as hook:
        static(x)
    assert len(hook.call_history) > 10
    with chainer.using_config('debug', True):
        y = static(x)
    assert y.creator.label != 'static_graph'
    assert static(x).creator.label == 'static_graph'


def test_debug_mode_in_backward_names_the_function():
    static = Static(lambda chain, x: F.tanh(F.sigmoid(x)))
    x = chainer.Variable(numpy.zeros((2, 2), 'f'))
    for _ in range(3):
        y = static(x)
    y.grad = numpy.full((2, 2), numpy.nan, 'f')
    with chainer.using_config('debug', True), \
            pytest.raises(RuntimeError, match='NaN is detected .* TanhGrad'):
        y.backward()


def test_warnings_of_numpy():
    static = Static(lambda chain, x: F.exp(x) / x)
    for _ in range(3):
        static(draw(0, 4, 3))
    assert static.seen.count == 2
    with pytest.warns(RuntimeWarning, match='divide by zero'):
        y = static(numpy.zeros((4, 3), 'f'))
    assert numpy.isinf(y.array).all()
    static(draw(0, 4, 3))
    assert static.seen.count == 3


def test_replaced_parameters_and_attributes():
    static = Static(lambda chain, x: affine(chain, x) * getattr(chain, 'factor', 1))
    x = draw(0, 4, 3)
    for step in range(12):
        static.w.array = draw(step, 3, 3)
        if step % 4 == 0:
            static.factor = step + 1
        with chainer.using_config('use_static_graph', False):
            expected = static(x)
        numpy.testing.assert_allclose(
            static(x).array, expected.array, rtol=1e-5, atol=1e-6)


def test_other_methods_of_the_function_are_respected(monkeypatch):
    static = Static(affine)
    x = draw(0, 4, 3)
    original = F.connection.linear.LinearFunction.forward
    monkeypatch.setattr(
        F.connection.linear.LinearFunction, 'forward',
        lambda self, inputs: tuple([y + 1 for y in original(self, inputs)]))
    expected = Model(affine)(x)
    for _ in range(4):
        numpy.testing.assert_allclose(static(x).array, expected.array, rtol=1e-6)


# What is refused
#

def of_values(chain, x):
    return F.tanh(x) if x.array[0, 0] > 0 else F.sin(x)


def of_a_number(chain, x):
    return F.tanh(x) * float(x.array[0, 0])


def of_an_array(chain, x):
    return F.tanh(x) + chainer.Variable(x.array * 2)


def of_chance(chain, x):
    return F.tanh(x) * float(numpy.random.rand())


def of_a_foreign_parameter(chain, x):
    return F.sigmoid(x) * FOREIGN


FOREIGN = chainer.Parameter(draw(9, 4, 3))


@pytest.mark.parametrize(('compute', 'reason'), [
    (of_values, 'sin is applied where Tanh was'),
    (of_a_number, r'_ \* .* has other attributes'),
    (of_an_array, r'_ \+ _ has an input that changes'),
    (of_chance, 'random numbers'),
    (of_a_foreign_parameter, r'_ \* _ has an input with a gradient')])
def test_chains_that_are_not_static(compute, reason):
    static = Static(compute)
    for step in range(6):
        x = chainer.Variable(draw(0, 4, 3) * (-1) ** step)
        numpy.random.seed(step)
        y = static(x)
        numpy.random.seed(step)
        numpy.testing.assert_array_equal(y.array, compute(static, x).array)
    assert re.search(reason, refused(static))
    assert static.seen.count == 6


class Constant(chainer.FunctionNode):
    """Without a gradient."""

    def forward(self, inputs):
        return inputs[0] * 0,

    def backward(self, indexes, grads):
        return None,


def test_functions_without_a_gradient():
    static = Static(lambda chain, x: Constant().apply((x,))[0] + x)
    for step in range(5):
        x = chainer.Variable(draw(step, 4, 3))
        F.sum(static(x)).backward()
        numpy.testing.assert_array_equal(x.grad, 1)
    assert 'Constant has no gradient' in refused(static)


def test_arguments_in_dictionaries():
    static = Static(lambda chain, xs: F.tanh(xs['x']))
    for step in range(4):
        x = draw(step // 2, 4, 3)
        numpy.testing.assert_array_equal(static({'x': x}).array, F.tanh(x).array)
    assert 'dictionary' in refused(static)


def test_side_effects():
    def compute(chain, x):
        chain.calls = getattr(chain, 'calls', 0) + 1
        chainer.report({'y': x.sum()}, chain)
        return F.tanh(x)
    static = Static(compute)
    reporter = chainer.Reporter()
    reporter.add_observer('main', static)
    for step in range(1, 5):
        with reporter.scope({}), reporter:
            static(draw(step, 4, 3))
            observed = dict(reporter.observation)
        numpy.testing.assert_allclose(observed['main/y'], draw(step, 4, 3).sum())
        assert static.calls == step
    assert 'main/y' in refused(static)


def test_verbosity(capsys):
    class Loud(Model):
        forward = chainer.static_graph(verbosity_level=2)(Model.forward)
    loud = Loud(of_a_number)
    for step in range(3):
        loud(chainer.Variable(draw(step, 2, 2)))
    assert 'other attributes' in capsys.readouterr().out


# Memory
#

def test_no_garbage():
    static = Static(affine)
    for _ in range(4):
        train(static, [draw(0, 4, 3)])
    gc.collect()
    gc.disable()
    try:
        reference = weakref.ref(static)
        del static
        assert reference() is None
        assert gc.collect() == 0
    finally:
        gc.enable()


@pytest.mark.parametrize('backprop', [True, False])
def test_calls_one_after_the_other_share_memory(backprop):
    static = Static(affine)
    for _ in range(6):
        with chainer.using_config('enable_backprop', backprop):
            y = static(draw(0, 4, 3))
        del y
    compiled, = static.schedule_manager.calls._compiled.values()
    assert len(compiled.frames) == 1


def test_arrays_of_a_call_are_released_with_it():
    static = Static(lambda chain, x: F.tanh(x) * x)
    for _ in range(3):
        static(draw(0, 4, 3))
    x = draw(0, 4, 3)
    reference = weakref.ref(x)
    y = static(x)
    kept = weakref.ref(y.array)
    del x, y
    assert reference() is None
    assert kept() is None
