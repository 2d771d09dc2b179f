"""Gradients kept as rows, against the arrays that they stand for."""
import copy
import pickle
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chainer_fast as chainer
from chainer_fast import functions as F
from chainer_fast import links as L
from chainer_fast import optimizer_hooks
from chainer_fast._core.updates import update
from chainer_fast.links.loss import hierarchical_softmax
from tests._core.update_cases import IDS, RULES, assert_same_bits
from tests.ways import General

# The least sizes of matrices whose gradients are kept as rows.
SHAPES = [(65536, 1), (9363, 7), (656, 100), (3, 65536), (650, 100)]
shapes = st.sampled_from(SHAPES[:3])


def matrix(shape, dtype='f', seed=0):
    array = np.random.RandomState(seed).normal(size=shape).astype(dtype)
    array[::5] = -0.
    return array


class Words(chainer.Chain):
    """Matrices that are used in several ways."""

    def __init__(self, shape, dtype='f'):
        super().__init__()
        with self.init_scope():
            self.w = chainer.Parameter(matrix(shape, dtype, 0))
            self.v = chainer.Parameter(matrix(shape, dtype, 1))
        self.cleargrads()

    def forward(self, uses):
        return sum([use(self) for use in uses])


def few_ids(draw, rows, most=40):
    # Few different ids, so that some come several times.
    n = draw(st.integers(1, most))
    random = np.random.RandomState(draw(st.integers(0, 999)))
    return random.choice(random.randint(0, rows, 9), n)


@st.composite
def uses(draw, shape, dtype):
    """A use of a matrix in a graph: a function from the model to a loss."""
    rows, columns = shape
    ids = few_ids(draw, rows)
    name = draw(st.sampled_from('wv'))
    kind = draw(st.sampled_from(['embed', 'embed', 'negative', 'blackout', 'sum']))
    if kind == 'sum':
        if draw(st.integers(0, 9)):
            kind = 'embed'
        else:
            return lambda model: F.sum(model[name] * 2)
    factor = matrix((len(ids), columns), dtype, draw(st.integers(0, 9)))
    factor *= draw(st.sampled_from([1, 1, 0, 1e30]))
    if kind == 'embed':
        ignored = draw(st.sampled_from([None, None, ids[0], -1]))
        if ignored != -1 and draw(st.booleans()):
            ids = ids - rows * (np.arange(len(ids)) % 2)
        ids = ids.astype(draw(st.sampled_from('il')))
        return lambda model: F.sum(F.embed_id(ids, model[name], ignored) * factor)
    others = np.stack([few_ids(draw, rows)[:1].repeat(len(ids)), ids[::-1]], axis=1)
    if kind == 'blackout':
        return lambda model: F.black_out(
            factor / 1e30 if factor.max() > 1e9 else factor, ids.astype('i'),
            model[name], others.astype('i'))
    t = ids.astype('i')
    t[draw(st.integers(0, len(t) - 1))] = -1
    samples = np.concatenate([t[:, None], others], axis=1).astype('i')
    reduce = draw(st.sampled_from(['sum', 'no']))
    return lambda model: F.sum(F.negative_sampling(
        factor, t, model[name], lambda shape: samples.copy(), 2, reduce))


#: What happens between the gradients of a step and its update.
readers = st.sampled_from([
    None, None, None,
    lambda model, optimizer: model.w.grad,
    lambda model, optimizer: model.v.grad_var,
    lambda model, optimizer: model.addgrads(model.copy('copy')),
    lambda model, optimizer: optimizer.call_hook(optimizer_hooks.WeightDecay(.1)),
    lambda model, optimizer: optimizer.call_hook(optimizer_hooks.GradientClipping(.1)),
])


extras = st.sampled_from([
    *5 * [None], 'scale', 'hook of a rule', 'WeightDecay', 'GradientClipping'])


@st.composite
def programs(draw):
    shape, dtype = draw(shapes), draw(st.sampled_from('ffd'))
    graphs = st.lists(uses(shape, dtype), min_size=1, max_size=3)
    backwards = st.lists(graphs, min_size=1, max_size=2)
    steps = draw(st.lists(st.tuples(backwards, readers), min_size=1, max_size=3))
    return shape, dtype, steps, draw(st.booleans()), draw(extras)


def run(program, rule, arguments, lazy):
    shape, dtype, steps, checks, extra = program
    model = Words(shape, dtype)
    optimizer = chainer.optimizers.SGD().setup(model)
    scale = 2. if extra == 'scale' else None
    if extra in ('WeightDecay', 'GradientClipping'):
        optimizer.add_hook(getattr(optimizer_hooks, extra)(.1))
    for param in model.params():
        param.update_rule = rule(**arguments)
        if lazy:
            param.update_rule.hyperparam.lazy = True
        if extra == 'hook of a rule':
            param.update_rule.add_hook(optimizer_hooks.Lasso(.1))
        # From here on there are states, and all rows have something to go on with.
        param.grad = matrix(shape, dtype, 2)
        param.update()
        param.array[::3] = -0.
    seen = []
    for backwards, reader in steps:
        model.cleargrads()
        for graph in backwards:
            model(graph).backward(loss_scale=scale)
        if reader is not None:
            reader(model, optimizer)
        optimizer.update()
        for param in model.params():
            if checks:
                seen.append(param.grad)
            seen.append(param.array.copy())
            seen += [each.copy() for each in param.update_rule.state.values()]
    return [*seen, model.w.grad, model.v.grad]


@pytest.mark.filterwarnings('ignore:.*encountered:RuntimeWarning')
@pytest.mark.filterwarnings('ignore:x.* is treated as row:UserWarning')
@pytest.mark.parametrize('rule,arguments', RULES, ids=IDS)
@settings(max_examples=15, deadline=None)
@given(program=programs(), lazy=st.sampled_from([False, False, True]))
def test_rows_have_the_bits_of_arrays(rule, arguments, program, lazy):
    result = run(program, rule, arguments, lazy)
    with General():
        expected = run(program, rule, arguments, lazy)
    assert len(result) == len(expected)
    for a, b in zip(result, expected, strict=True):
        assert_same_bits(a, b)


def embedding(ids, shape=(20000, 10), optimizer=None):
    link = L.EmbedID(*shape, initialW=matrix(shape))
    link.cleargrads()
    if optimizer is not None:
        optimizer.setup(link)
    F.sum(link(np.array(ids, 'i')) ** 2).backward()
    return link


def peak_of(function):
    """Return by how many bytes the memory grows meanwhile, at most."""
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        with chainer.using_config('num_threads', 1):    # each has a buffer
            function()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize('rule', ['SGD', 'AdaGrad', 'MomentumSGD', 'Adam'])
def test_no_array_is_made_for_an_update(rule):
    optimizer = getattr(chainer.optimizers, rule)()
    link = embedding([3, 5, 3], (100000, 10), optimizer)
    optimizer.update()      # makes the states

    def step():
        link.cleargrads()
        F.sum(link(np.array([3, 5, 3], 'i')) ** 2).backward()
        optimizer.update()

    assert peak_of(step) < link.W.array.nbytes / 10
    assert link.W.grad.nbytes == link.W.array.nbytes


@pytest.mark.parametrize('loss', ['negative', 'blackout', 'tree'])
def test_no_array_is_made_for_samples(loss):
    ids = np.arange(6, dtype='i').reshape(2, 3)
    tree = hierarchical_softmax.BinaryHierarchicalSoftmaxFunction(
        L.BinaryHierarchicalSoftmax.create_huffman_tree(dict.fromkeys(range(8193), 1)),
        'f')
    W = chainer.Parameter(matrix((8192, 10)))
    x = np.ones((2, 10), 'f')
    W.update_rule = chainer.optimizers.SGD().create_update_rule()

    def step():
        W.cleargrad()
        if loss == 'negative':
            y = F.negative_sampling(x, ids[:, 0], W, lambda shape: ids.copy(), 2)
        elif loss == 'blackout':
            y = F.black_out(x, ids[:, 0], W, ids[:, 1:])
        else:
            y = copy.copy(tree)(x, ids[:, 0], W)
        y.backward()
        update.update_params([W])

    step()
    assert peak_of(step) < W.array.nbytes / 10
    used = (W.grad != 0).any(axis=1).nonzero()[0].tolist()
    assert used == list(range(6)) or loss == 'tree' and 13 < len(used) < 29


@pytest.mark.parametrize('arguments', [
    {'lr': -.1}, {'lr': -0.}, {'lr': 0.}, {'lr': float('inf')}, {'lr': float('nan')}])
@pytest.mark.parametrize('rule', ['SGD', 'AdaGrad'])
@pytest.mark.filterwarnings('ignore:.*encountered:RuntimeWarning')
def test_rates_that_touch_all_rows(rule, arguments):
    cls = getattr(chainer.optimizers, rule)
    for eps in (None, 1e-8, 0., -1.):
        if eps is not None and rule == 'AdaGrad':
            arguments = {**arguments, 'eps': eps}
        arrays = []
        for read in (False, True):
            optimizer = cls(**arguments)
            link = embedding([1, 2], optimizer=optimizer)
            # Without states, the rule is asked itself.
            link.W.update_rule._init_states(link.W)
            if read:
                assert link.W.grad is not None
            optimizer.update()
            arrays.append(link.W.array)
        assert_same_bits(*arrays)


def test_the_gradient_is_one_array():
    link = embedding([1, 2, 1])
    grad = link.W.grad
    assert type(grad) is np.ndarray
    assert link.W.grad is grad
    assert link.W.grad_var.array is grad
    assert link.W.grad_var is link.W.grad_var
    grad[4] = 9
    assert (link.W.grad[4] == 9).all()
    expected = np.zeros_like(grad)
    expected[1], expected[2] = 4 * link.W.array[1], 2 * link.W.array[2]
    expected[4] = 9
    np.testing.assert_array_equal(grad, expected)


def test_the_gradient_variable_comes_first():
    link = embedding([1, 2, 1])
    grad = link.W.grad_var
    assert grad.array is link.W.grad


@pytest.mark.parametrize('copied', [
    copy.deepcopy, copy.copy, lambda link: pickle.loads(pickle.dumps(link)),
    lambda link: link.copy('copy')])
def test_copies_have_the_gradient(copied):
    link = embedding([1, 2])
    other = copied(embedding([1, 2]))
    np.testing.assert_array_equal(other.W.grad, link.W.grad)


def test_rows_beside_gradients_of_other_elements():
    xs = [chainer.Variable(np.ones((2, 8), 'f')) for _ in range(5000)]
    first, second = F.transpose_sequence(xs)
    (F.sum(F.embed_id(np.array([1, 5]), first)) + F.sum(second)).backward()
    for i, x in enumerate(xs):
        np.testing.assert_array_equal(x.grad, [[i in (1, 5)] * 8, [1] * 8])


def test_clearing():
    link = embedding([1, 2])
    link.cleargrads()
    assert link.W.grad is None
    link = embedding([1, 2])
    with pytest.warns(DeprecationWarning):
        link.zerograds()
    assert link.W.grad.shape == link.W.shape and not link.W.grad.any()


def test_the_gradient_of_a_user():
    link = embedding([1, 2])
    grad = np.ones(link.W.shape, 'f')
    link.W.grad = grad
    F.sum(link(np.array([1], 'i'))).backward()
    assert grad[1].tolist() == [1] * 10     # it is never changed
    assert link.W.grad[:3, 0].tolist() == [1, 2, 1]


def test_rows_from_an_earlier_shape():
    optimizer = chainer.optimizers.SGD(1)
    link = embedding([1, 2], optimizer=optimizer)
    link.W.array = np.zeros((20001, 10), 'f')
    with pytest.raises(ValueError):
        optimizer.update()


def test_a_failure_leaves_rows_alone():
    link = embedding([1])
    before = link.W.grad.copy()
    link = embedding([1])

    class Failing(chainer.FunctionNode):

        def forward(self, inputs):
            return inputs

        def backward(self, indexes, gys):
            raise KeyError

    y, = Failing().apply((link(np.array([2], 'i')),))
    with pytest.raises(KeyError):
        F.sum(y).backward()
    np.testing.assert_array_equal(link.W.grad, before)


def test_a_disabled_rule_keeps_rows():
    optimizer = chainer.optimizers.SGD()
    link = embedding([1], optimizer=optimizer)
    link.disable_update()
    before = link.W.array.copy()
    optimizer.update()
    np.testing.assert_array_equal(link.W.array, before)
    assert link.W.grad[1].any()


def test_warnings_of_sums():
    link = L.EmbedID(20000, 10, initialW=matrix((20000, 10)))
    link.cleargrads()
    ids, large = np.array([1, 2], 'i'), np.full((2, 10), 3e38, 'f')

    def backward(times):
        y = link(ids)
        y.grad = large
        for _ in range(times):
            y.backward(retain_grad=True)

    backward(1)
    with pytest.warns(RuntimeWarning, match='overflow'):
        backward(1)
    assert np.isinf(link.W.grad[1]).all()


@pytest.mark.parametrize('read', [False, True])
@pytest.mark.parametrize('make', [
    lambda **lazy: chainer.optimizers.Adam(**lazy),
    lambda **lazy: chainer.optimizers.MomentumSGD(**lazy)])
def test_a_lazy_rule_leaves_rows_alone(make, read):
    optimizer = make(lazy=True)
    assert optimizer.lazy is True
    link = embedding([1, 2], optimizer=optimizer)
    optimizer.update()
    arrays = [link.W.array, *link.W.update_rule.state.values()]
    before = [array.copy() for array in arrays]
    assert all(array[1:3].any() for array in arrays)
    link.cleargrads()
    # The gradient of one row is zero.
    F.sum(link(np.array([2, 3], 'i')) * np.array([[1], [0]], 'f')).backward()
    if read:
        assert link.W.grad is not None
    optimizer.update()
    for array, old in zip(arrays, before, strict=True):
        assert (array[2] != old[2]).all()
        array[2] = old[2]
        assert_same_bits(array, old)


@pytest.mark.parametrize('shape', [(), (3,), (0,), (0, 2), (2, 0), (4, 2, 3)])
def test_lazy_rules_of_any_shape(shape):
    first = np.s_[:1] if shape else ()
    optimizer = chainer.optimizers.Adam()
    assert optimizer.lazy is False
    assert not hasattr(optimizer.hyperparam, 'lazy')
    optimizer.lazy = True
    param = chainer.Parameter(np.ones(shape, 'f'))
    param.update_rule = optimizer.create_update_rule()
    for _ in range(2):
        param.grad = np.zeros(shape, 'f')
        param.grad[first] = 1
        param.update()
    plain = chainer.Parameter(np.ones(shape, 'f'))
    plain.update_rule = chainer.optimizers.Adam().create_update_rule()
    for _ in range(2):
        plain.grad = param.grad
        plain.update()
    np.testing.assert_array_equal(param.array[first], plain.array[first])
    if shape:
        assert (param.array[1:] == 1).all()
    assert param.update_rule.t == 2
