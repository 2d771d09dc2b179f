"""Static chains on the processor, made by plans: the numbers of plain chains."""
import gc
import weakref

import numpy
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
from chainer_fast.graph_optimizations._processor import planner
from tests.graph_optimizations.static_chains import (
    Model,
    Static,
    affine,
    assert_same,
    check,
    draw,
    every_loop,
    train,
)

# Numbers
#

def fan_out(chain, x):
    total = F.tanh(x)
    for k in range(7):
        total = total + F.tanh(x * (k + 1)) * total
    return total


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


def words_once(chain, a, b):
    return F.tanh(F.embed_id(a, chain.w))


def words_twice(chain, a, b):
    return F.embed_id(a, chain.w) * F.embed_id(b, chain.w) + F.embed_id(a, chain.w)


def words_and_products(chain, a, b):
    return F.linear(F.embed_id(a, chain.w), chain.w, chain.b)


def words_of_a_result(chain, a, b):
    w = F.tanh(chain.w)
    return F.embed_id(a, w) + F.embed_id(b, w)


@pytest.mark.parametrize('compute', [fan_out, cells, every_loop, affine])
@pytest.mark.parametrize('dtype', 'fd')
def test_arrays_that_are_made_when_they_are_needed(monkeypatch, compute, dtype):
    monkeypatch.setattr(planner, 'LARGE', 0)
    check(compute, draw(0, 6, 3, dtype=dtype))


def test_large_arrays_leave_with_the_call():
    chain = Static(lambda chain, x: F.sum(F.softmax(F.tanh(x) * 2)))
    x = draw(0, 300, 200)
    for _ in range(4):
        train(chain, [x])
    (planned,), = chain.schedule_manager.calls._kept.values()
    workspace, = planned.workspaces
    held = [array for array in workspace.arrays if array is not None]
    assert held and max([array.nbytes for array in held]) < x.nbytes


@pytest.mark.parametrize('dtype', 'fd')
@pytest.mark.parametrize('compute', [
    words_once, words_twice, words_and_products, words_of_a_result])
def test_gradients_that_are_kept_as_rows(compute, dtype):
    plain, static = (cls(compute, dtype, 260) for cls in (Model, Static))
    optimizers = [chainer.optimizers.SGD(.1).setup(chain) for chain in (plain, static)]
    for k in range(5):
        ids = numpy.array([3, 5 + k, 3], 'i'), numpy.array([2 * k, 8, 7], 'i')
        found = []
        for chain, optimizer in zip((plain, static), optimizers, strict=True):
            chain.cleargrads()
            y = chain(*ids)
            y.grad = draw(k, 3, 260, dtype=dtype)
            y.backward()
            if k % 2:
                optimizer.update()
            found.append([y.array, chain.w.array, chain.w.grad, chain.b.grad])
        assert_same(*found, exact=dtype == 'd')
        # Gradients as variables are arrays, too.
        found = []
        for chain in (plain, static):
            g, = chainer.grad([chain(*ids)], [chain.w])
            found.append([g.array])
        assert_same(*found, exact=dtype == 'd')
    assert static.seen.count == 2, static.schedule_manager.calls.refused


@pytest.mark.parametrize('count', [8, 9, 30])
def test_functions_of_many_inputs(count):
    def compute(chain, x):
        return F.concat([x * k + F.tanh(x) for k in range(count)], 0)
    check(compute, draw(0, 4, 3))


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


def gaussian(chain, x):
    return F.gaussian(F.tanh(x), x) * F.dropout(x, .5)


def dropout(chain, x):
    return F.dropout(F.tanh(x), .5) * F.dropout(x, .2)


def other_noise(chain, x):
    return F.zoneout(F.rrelu(x), F.tanh(x)) + F.simplified_dropconnect(
        x, chain.w, ratio=.3)


@pytest.mark.parametrize('shape', [(5, 3), (2, 3)])     # odd and even numbers
@pytest.mark.parametrize('compute', [gaussian, dropout, other_noise])
def test_random_numbers_are_those_of_plain_chains(compute, shape):
    """In calls given up and in gradients of gradients, too, and after them."""
    def divided(chain, x):
        return F.sum(compute(chain, x)) + F.sum(F.exp(x) / x)
    found = []
    for cls in (Model, Static):
        chain = cls(divided, 'd')
        numpy.random.seed(0)
        found.append([])
        for k in range(6):
            array = draw(k, *shape, dtype='d')
            array[0, 0] = array[0, 0] if k != 4 else 0
            x = chainer.Variable(array)
            with numpy.errstate(all='warn' if k != 4 else 'ignore'):
                y = chain(x)
            drawn = [numpy.random.rand(3)]
            if k != 4:
                g, = chainer.grad([y], [x], enable_double_backprop=True)
                drawn += [g.array]
            found[-1] += [y.array, *drawn, numpy.random.randn(3)]
    refused = chain.schedule_manager.calls.refused
    assert bool(refused) == (compute is gaussian), refused
    for a, b in zip(*found, strict=True):
        numpy.testing.assert_allclose(b, a, rtol=1e-12)


def test_another_random_generator(monkeypatch):
    static = Static(dropout)
    for k in range(4):
        static(draw(k, 5, 3))
    plain = Model(dropout)
    monkeypatch.setattr(numpy.random, 'rand', lambda *shape: numpy.full(shape, .3))
    assert_same(*[[chain(draw(0, 5, 3)).array] for chain in (plain, static)])
    assert static.seen.count == 2


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
    (planned,), = static.schedule_manager.calls._kept.values()
    assert len(planned.workspaces) == 1


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
