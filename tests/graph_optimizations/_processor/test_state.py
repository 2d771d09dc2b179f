"""Static chains that keep state in links, and whose functions update arrays."""
import copy
import pickle

import numpy
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
import chainer_fast.links as L
from chainer_fast.graph_optimizations import _side_effects
from tests.graph_optimizations.static_chains import Seen, assert_same, draw

DTYPES = 'fd'


class Plain(chainer.Chain):
    """A recurrent network with batch normalization."""

    def __init__(self, compute, dtype='d'):
        super().__init__()
        self.seen = Seen()
        self.compute = compute
        with chainer.using_config('dtype', numpy.dtype(dtype)), self.init_scope():
            self.lstm = L.LSTM(3, 4)
            self.bn = L.BatchNormalization(4)
            self.last = L.Linear(4, 3)
        for i, p in enumerate(self.params()):
            p.array[...] = draw(i, *p.shape, dtype=dtype)

    def forward(self, *args):
        self.seen.count += 1
        return self.compute(self, *args)


class Static(Plain):

    @chainer.static_graph
    def forward(self, *args):
        return super().forward(*args)


def sentence(chain, *xs):
    """Begin anew in each call."""
    chain.lstm.reset_state()
    return sum([F.sum(chain.last(chain.lstm(x)) ** 2) for x in xs])


def step(chain, x):
    """Go on from the state that the call before has left."""
    return F.sum(chain.last(chain.lstm(x)) ** 2)


def normalized(chain, x):
    return F.sum(F.tanh(chain.bn(F.linear(x, chain.lstm.upward.W[:4]))) ** 2)


def both(chain, x):
    chain.y = F.sum(F.tanh(chain.bn(chain.lstm(x))) ** 2)
    return chain.y


def pair(compute, dtype='d'):
    return Plain(compute, dtype), Static(compute, dtype)


def state_of(chain):
    """Return the arrays of what links hold."""
    return [getattr(value, 'array', value) for value in (
        chain.lstm.c, chain.lstm.h, chain.bn.avg_mean, chain.bn.avg_var)]


def update(chain):
    found = [p.grad for p in chain.params()]
    for p in chain.params():
        if p.grad is not None:
            p.array -= numpy.asarray(.01, p.dtype) * p.grad
    return found


def assert_planned(chain, calls):
    assert chain.seen.count == calls, chain.schedule_manager.calls.refused


@pytest.mark.parametrize('dtype', DTYPES)
def test_state_that_each_call_begins_anew(dtype):
    chains = pair(sentence, dtype)
    for k in range(5):
        found = []
        for chain in chains:
            chain.cleargrads()
            loss = chain(*[draw(k + i, 2, 3, dtype=dtype) for i in range(3)])
            loss.backward()
            found.append([loss.array, *state_of(chain), *update(chain)])
        # The graph engine multiplies rows of several steps at once, which a plan of
        # double precision does not: the rounding of weights' gradients differs.
        assert_same(*found, exact=False)
    assert_planned(chains[1], 2)


def test_state_that_does_not_matter():
    static = Static(sentence)
    for k in range(6):
        if k % 3 == 2:
            static.lstm.reset_state()
        static(draw(k, 2, 3, dtype='d'))
    assert_planned(static, 2)


@pytest.mark.parametrize('dtype', DTYPES)
@pytest.mark.parametrize('cut', [True, False])
def test_backpropagation_through_several_calls(dtype, cut):
    chains = pair(step, dtype)
    for k in range(6):
        found = []
        for chain in chains:
            if k == 4 or not cut:
                chain.lstm.reset_state()
            chain.cleargrads()
            loss = sum([chain(draw(k + i, 2, 3, dtype=dtype)) for i in range(3)])
            loss.backward()
            if cut:
                loss.unchain_backward()
                assert chain.lstm.h.creator is None
            found.append([loss.array, *state_of(chain), *update(chain)])
        numpy.testing.assert_allclose(found[1][0], found[0][0], rtol=1e-6)
        for a, b in zip(*found, strict=True):
            if a is not None:
                numpy.testing.assert_allclose(
                    b, a, rtol=1e-12 if dtype == 'd' else 1e-4, atol=1e-5)
    # The first state, none, is traced in two calls, and so is one with variables.
    assert_planned(chains[1], 4)


def test_programs_go_on_from_the_state():
    chains = pair(sentence)
    for k in range(4):
        found = []
        for chain in chains:
            chain.cleargrads()
            x = chainer.Variable(draw(k, 2, 3, dtype='d'))
            chain(x)
            F.sum(chain.lstm.h * chain.lstm.c).backward()
            assert (chain.lstm.h.creator is None) == (chain.lstm.c.creator is None)
            found.append([x.grad, chain.lstm.upward.W.grad])
        assert_same(*found)
    assert_planned(chains[1], 2)


def test_state_is_the_variable_that_is_returned():
    def compute(chain, x):
        chain.lstm.reset_state()
        return chain.lstm(x)
    static = Static(compute)
    for backprop in (True, False):
        for k in range(4):
            with chainer.using_config('enable_backprop', backprop):
                y = static(draw(k, 2, 3, dtype='d'))
            assert y is static.lstm.h
            assert (y.creator is not None) == backprop
    assert_planned(static, 4)


def test_state_without_backprop():
    chains = pair(step)
    for k in range(6):
        with chainer.no_backprop_mode(), chainer.using_config('train', False):
            found = [[chain(draw(k, 2, 3, dtype='d')).array, *state_of(chain)]
                     for chain in chains]
        assert_same(*found)
    assert_planned(chains[1], 3)


def test_state_that_users_replace():
    chains = pair(step)
    for k in range(12):
        found = []
        for chain in chains:
            if k % 3 == 2:
                c, h = [chainer.Variable(draw(k + i, 2, 4, dtype='d'))
                        for i in range(2)]
                chain.lstm.set_state(c, h)
            if k == 7:
                chain.lstm.reset_state()
            loss = chain(draw(k, 2, 3, dtype='d'))
            chain.cleargrads()
            loss.backward()
            if k % 3 == 2:
                found += [[c.grad, h.grad, loss.array, *state_of(chain)]]
            else:
                found += [[loss.array, *state_of(chain)]]
        for a, b in zip(*found, strict=True):
            numpy.testing.assert_allclose(b, a, rtol=1e-12)
    assert_planned(chains[1], 4)


def test_another_state_is_told_from_the_traced_one():
    static = Static(step)
    for _ in range(4):
        static(draw(0, 2, 3, dtype='d'))
    before = static.seen.count
    plain = Plain(step)
    for wrong in (draw(1, 3, 4, dtype='d'), draw(1, 4, 4, dtype='d')):
        found = []
        for chain in (plain, static):
            chain.lstm.set_state(chainer.Variable(wrong), chainer.Variable(wrong))
            found.append([chain(draw(0, 2, 3, dtype='d')).array, *state_of(chain)])
        assert_same(*found)
    assert static.seen.count == before + 2


def test_attributes_that_swap():
    def compute(chain, x):
        a, b = getattr(chain, 'a', None), getattr(chain, 'b', None)
        chain.a, chain.b = F.tanh(x) if b is None else b, F.sigmoid(x)
        return F.sum(chain.a * chain.b) if a is None else F.sum(a * x)
    chains = pair(compute)
    for k in range(7):
        found = []
        for chain in chains:
            y = chain(draw(k, 2, 3, dtype='d'))
            found.append([y.array, chain.a.array, chain.b.array])
        assert_same(*found)
    assert_planned(chains[1], 3)


@pytest.mark.parametrize('dtype', DTYPES)
def test_batch_normalization(dtype):
    chains = pair(normalized, dtype)
    for k in range(5):
        found = []
        for chain in chains:
            chain.cleargrads()
            loss = chain(draw(k, 5, 3, dtype=dtype))
            loss.backward()
            found.append([loss.array, *state_of(chain), *update(chain)])
        assert_same(*found, exact=dtype == 'd')
    assert_planned(chains[1], 2)


@pytest.mark.parametrize(('make', 'calls'), [
    (lambda: L.BatchNormalization(axis=0), 3),
    (lambda: L.BatchNormalization(3, decay=.5), 2),
    (lambda: L.DecorrelatedBatchNormalization(3, groups=1), 2),
    (lambda: L.BatchRenormalization(3), 6)])    # an old-style function
def test_other_links_with_statistics(make, calls):
    class Chain(chainer.Chain):
        def __init__(self):
            super().__init__()
            with chainer.using_config('dtype', numpy.float64), self.init_scope():
                self.norm = make()
            self.seen = Seen()

        def forward(self, x):
            self.seen.count += 1
            return F.sum(self.norm(x) ** 3)

    class Compiled(Chain):
        forward = chainer.static_graph(Chain.forward)
    chains = Chain(), Compiled()
    for k in range(6):
        found = []
        for chain in chains:
            x = chainer.Variable(draw(k, 9, 3, dtype='d'))
            y = chain(x)
            y.backward()
            found.append([y.array, x.grad] + [
                value for name, value in sorted(vars(chain.norm).items())
                if isinstance(value, numpy.ndarray)])
        assert_same(*found)
    assert chains[1].seen.count == calls, chains[1].schedule_manager.calls.refused


def test_statistics_in_single_precision_and_images():
    class Images(chainer.Chain):
        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.conv = L.Convolution2D(2, 3, 3, initialW=draw(0, 3, 2, 3, 3))
                self.bn = L.BatchNormalization(3)

        def forward(self, x):
            return F.max_pooling_2d(F.relu(self.bn(self.conv(x))), 2)

    class Compiled(Images):
        forward = chainer.static_graph(Images.forward)
    chains = Images(), Compiled()
    for k in range(5):
        found = []
        for chain in chains:
            chain.cleargrads()
            y = chain(draw(k, 2, 2, 8, 8))
            F.sum(y * y).backward()
            found.append([y.array, chain.bn.avg_mean, chain.bn.avg_var] + [
                p.grad for p in chain.params()])
        assert_same(*found, exact=False)
    assert not chains[1].schedule_manager.calls.refused


def test_both_kinds_of_state():
    chains = pair(both)
    for k in range(6):
        found = []
        for chain in chains:
            loss = chain(draw(k, 5, 3, dtype='d'))
            assert chain.y is loss
            chain.cleargrads()
            loss.backward()
            loss.unchain_backward()
            found.append([loss.array, *state_of(chain), *update(chain)])
        assert_same(*found)
    assert_planned(chains[1], 3)


@pytest.mark.parametrize('compute', [both, normalized, sentence])
def test_double_backprop_changes_nothing(compute):
    chains = pair(compute)
    for k in range(5):
        found = []
        for chain in chains:
            chain.lstm.reset_state()
            chain.cleargrads()
            x = chainer.Variable(draw(k, 5, 3, dtype='d'))
            y = chain(x)
            chain(draw(k + 1, 5, 3, dtype='d'))
            held = chain.lstm.c, chain.lstm.h
            g, = chainer.grad([y], [x], enable_double_backprop=True)
            F.sum(g * g).backward()
            assert all(a is b for a, b in zip(
                held, (chain.lstm.c, chain.lstm.h), strict=True))
            found.append([g.array, *state_of(chain), *[
                p.grad for p in chain.params()]])
        for a, b in zip(*found, strict=True):
            if a is not None:
                numpy.testing.assert_allclose(b, a, rtol=1e-9, atol=1e-12)
    # Two calls of each kind, and gradients of three planned calls.
    assert_planned(chains[1], 4 + 3)


class Counting(chainer.FunctionNode):
    """Multiplies by an array, to which it adds one then."""

    def __init__(self, count):
        self.count = count

    def forward(self, inputs):
        self.factor = self.count.copy()
        self.count += 1
        return inputs[0] * self.factor,

    def backward(self, indexes, grads):
        return grads[0] * self.factor,


@pytest.mark.parametrize('held', [True, False])
def test_functions_that_read_what_they_update(held):
    def compute(chain, x):
        return F.sum(Counting(counts[chain]).apply((x,))[0] ** 2)
    chains = pair(compute)
    counts = {chain: numpy.ones(3) for chain in chains}
    if held:
        for chain in chains:
            chain.count = counts[chain]
    for k in range(5):
        found = []
        for chain in chains:
            x = chainer.Variable(draw(k, 2, 3, dtype='d'))
            y = chain(x)
            chain(x.array)
            g, = chainer.grad([y], [x], enable_double_backprop=True)
            F.sum(g * g).backward()
            found.append([y.array, g.array, x.grad, counts[chain].copy()])
        for a, b in zip(*found, strict=True):
            numpy.testing.assert_allclose(b, a, rtol=1e-12)
    assert_planned(chains[1], 4 + 3)


def test_calls_that_are_given_up_midway():
    def compute(chain, x):
        chain.lstm.reset_state()
        return F.sum(chain.bn(chain.lstm(x))) + F.sum(F.exp(x) / x)
    chains = pair(compute)
    for k in range(5):
        x = draw(k, 5, 3, dtype='d')
        found = []
        for chain in chains:
            if k == 4:
                x[0, 0] = 0
                with pytest.warns(RuntimeWarning, match='divide by zero'):
                    chain(x)
            else:
                chain(x)
            found.append(state_of(chain))
        assert_same(*found)
    assert_planned(chains[1], 3)


def test_errors_leave_what_the_code_leaves():
    def compute(chain, x, t):
        chain.lstm.reset_state()
        return F.softmax_cross_entropy(chain.last(chain.bn(chain.lstm(x))), t)
    chains = pair(compute)
    for k in range(4):
        found = []
        for chain in chains:
            t = numpy.array([0, 1, 2, 3 if k == 3 else 0], 'i')
            x = draw(k, 4, 3, dtype='d')
            if k == 3:
                with pytest.raises(Exception, match='out of bounds'):
                    chain(x, t)
            else:
                chain(x, t)
            found.append(state_of(chain))
        assert_same(*found)


@pytest.mark.parametrize('duplicate', [
    copy.deepcopy, lambda chain: pickle.loads(pickle.dumps(chain))])
def test_copies_have_a_state_of_their_own(duplicate):
    static = Static(both)
    for k in range(4):
        static(draw(k, 5, 3, dtype='d')).unchain_backward()
    del static.compute
    expected = [None if a is None else a.copy() for a in state_of(static)]
    for variable in (static.lstm.c, static.lstm.h, static.y):
        variable.unchain()
    other = duplicate(static)
    other.compute = static.compute = both
    for k in range(4):
        other(draw(k, 5, 3, dtype='d')).unchain_backward()
    assert_same(expected, state_of(static))
    assert other.bn.avg_mean is not static.bn.avg_mean


def test_counts_are_refused():
    def compute(chain, x):
        return F.sum(chain.bn(x, finetune=True))
    chains = pair(compute)
    for k in range(5):
        for chain in chains:
            chain(draw(k, 5, 4, dtype='d'))
        assert_same(*[[c.bn.avg_mean, c.bn.avg_var] for c in chains])
        assert chains[0].bn.N == chains[1].bn.N
    assert 'attribute N of BatchNormalization' in ' '.join(
        chains[1].schedule_manager.calls.refused.values())


def of_an_update(chain, x):
    chain.bn.avg_mean += 1
    return F.sum(chain.bn(F.linear(x, chain.lstm.upward.W[:4])))


def of_a_list(chain, x):
    chain.kept[0] = F.tanh(x)
    return F.sum(chain.kept[0])


def of_a_cut(chain, x):
    if chain.lstm.h is not None:
        chain.lstm.h.unchain_backward()
    return F.sum(chain.lstm(x))


@pytest.mark.parametrize(('compute', 'reason'), [
    (of_an_update, 'an array of'), (of_a_list, 'parts of'), (of_a_cut, 'parts of')])
def test_other_changes_are_refused(compute, reason):
    chains = pair(compute)
    for k in range(5):
        found = []
        for chain in chains:
            chain.kept = chain.kept if k else [None]
            chain.cleargrads()
            loss = chain(draw(k, 5, 3, dtype='d'))
            loss.backward()
            found.append([loss.array, *state_of(chain), *update(chain)])
        assert_same(*found)
    assert_planned(chains[1], 5)
    assert reason in ' '.join(chains[1].schedule_manager.calls.refused.values())


def test_recomputing_leaves_the_statistics():
    chains = pair(normalized)
    for k in range(4):
        found = []
        for chain in chains:
            x = chainer.Variable(draw(k, 5, 3, dtype='d'))
            chain.cleargrads()
            F.forget(chain, x).backward()
            found.append([x.grad, *state_of(chain)])
        assert_same(*found)


def test_states_of_attributes():
    chain = Plain(step)
    state = _side_effects.ChainState(chain)
    assert state.changes() == {}
    chain(draw(0, 2, 3, dtype='d'))
    assert {name for _, name in state.changes()} == {'c', 'h'}
    assert state.contents_hold()
