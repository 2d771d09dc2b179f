"""Recurrent networks over whole sequences, of all kinds of cells."""
import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import chainer_fast
from chainer_fast import gradient_check, links, serializers
from chainer_fast.links.rnn import n_step_gru, n_step_lstm, n_step_rnn
from tests import compare
from tests.devices import to_cpu
from tests.links.rnn._reference import lstm, random, scramble, sigmoid


def simple(activation):
    def step(w, b, h, x):
        return [activation(w[0] @ x + w[1] @ h[0] + b[0] + b[1])]
    return step


def gru_step(w, b, h, x):
    r, z, new = [w[k] @ x + b[k] for k in range(3)]
    r_h, z_h, new_h = [w[k] @ h[0] + b[k] for k in range(3, 6)]
    r, z = sigmoid(r + r_h), sigmoid(z + z_h)
    return [(1 - z) * np.tanh(new + r * new_h) + z * h[0]]


def lstm_step(w, b, h, x):
    i, f, a, o = [
        w[k] @ x + w[k + 4] @ h[0] + b[k] + b[k + 4] for k in range(4)]
    return lstm((a, i, f, o), h[1])[::-1]


KINDS = {
    links.NStepRNNTanh: (simple(np.tanh), 1),
    links.NStepBiRNNTanh: (simple(np.tanh), 2),
    links.NStepRNNReLU: (simple(lambda x: np.maximum(x, 0)), 1),
    links.NStepBiRNNReLU: (simple(lambda x: np.maximum(x, 0)), 2),
    links.NStepGRU: (gru_step, 1), links.NStepBiGRU: (gru_step, 2),
    links.NStepLSTM: (lstm_step, 1), links.NStepBiLSTM: (lstm_step, 2)}
all_kinds = pytest.mark.parametrize(
    'cls, step, directions', [(cls, *kind) for cls, kind in KINDS.items()],
    ids=lambda v: v.__name__ if isinstance(v, type) else '')


def run(link, step, directions, states, x):
    """Last states and outputs of one sequence."""
    states = [list(s) for s in zip(*states, strict=True)]
    for layer in range(link.n_layers):
        sides = []
        for side in range(directions):
            k = layer * directions + side
            group = link[k]
            w, b = [[to_cpu(getattr(group, '%s%d' % (kind, i)).array)
                     for i in range(link.n_weights)] for kind in 'wb']
            ys = []
            for row in x[::-1] if side else x:
                states[k] = step(w, b, states[k], row)
                ys.append(states[k][0])
            sides.append(np.array(ys[::-1] if side else ys))
        x = np.concatenate(sides, axis=1)
    return states, x


@all_kinds
@pytest.mark.parametrize('lengths', [(2, 4, 1, 4), (3, 2, 2), (1,)])
@pytest.mark.parametrize('with_states', [True, False])
def test_outputs(device, cls, step, directions, lengths, with_states):
    link = device.send(scramble(cls(2, 3, 5, 0.5)))
    n_states = link.n_cells
    shape = 2 * directions, len(lengths), 5
    states = [random(*shape, seed=s) for s in range(n_states)]
    xs = [random(n, 3, seed=n) for n in lengths]
    with chainer_fast.using_config('train', False):
        *last, ys = link(
            *(device.send(states if with_states else [None] * n_states)),
            device.send(xs))
    if not with_states:
        states = [np.zeros(shape)] * n_states
    assert isinstance(ys, list) and len(ys) == len(xs)
    assert [s.shape for s in last] == [shape] * n_states
    for k, x in enumerate(xs):
        ends, y = run(link, step, directions, [s[:, k] for s in states], x)
        compare.assert_allclose(ys[k].array, y, rtol=1e-4, atol=1e-5)
        for got, end in zip(last, zip(*ends, strict=True), strict=True):
            compare.assert_allclose(got.array[:, k], end, rtol=1e-4, atol=1e-5)


@all_kinds
def test_structure(cls, step, directions):
    link = cls(2, 3, 5, 0.5, initialW=2, initial_bias=3)
    assert len(link) == 2 * directions == link.n_layers * link.direction
    assert link.use_bi_direction == (directions == 2)
    assert (link.n_layers, link.out_size, link.dropout) == (2, 5, .5)
    n = link.n_weights
    for k, group in enumerate(link):
        width = 3 if k < directions else 5 * directions
        for i in range(n):
            w, b = getattr(group, 'w%d' % i), getattr(group, 'b%d' % i)
            assert w.shape == (5, width if i < n // 2 else 5) and b.shape == (5,)
            assert (w.array == 2).all() and (b.array == 3).all()
            assert link.ws[k][i] is w and link.bs[k][i] is b
    assert len(list(link.params())) == len(link) * 2 * n


@pytest.mark.parametrize('duplicate', [
    lambda v: v.copy(), lambda v: v.copy('copy'), lambda v: v.copy('init'),
    lambda v: v.repeat(1)[0], copy.deepcopy, lambda v: pickle.loads(pickle.dumps(v))])
def test_copies_use_their_own_parameters(duplicate):
    link = links.NStepBiLSTM(1, 2, 3, 0)
    copied = duplicate(link)
    for k, group in enumerate(copied):
        assert copied.ws[k][0] is group.w0 and copied.bs[k][7] is group.b7
        assert group.w0 is not link[k].w0


@pytest.mark.parametrize('cls', [links.NStepBiLSTM, links.NStepGRU])
def test_gradients(device, cls):
    with chainer_fast.using_config('dtype', np.dtype('d')):
        link = device.send(scramble(cls(2, 2, 2, 0)))
    shape = 2 * link.direction, 3, 2
    states = tuple([random(*shape, seed=s).astype('d') for s in range(link.n_cells)])
    xs = tuple([random(n, 2, seed=n).astype('d') for n in (1, 3, 2)])

    def outputs(*args):
        *last, ys = link(*args[:len(states)], list(args[len(states):]))
        return (*last, *ys)

    gys = [random(n, 2 * link.direction).astype('d') for n in (1, 3, 2)]
    gradient_check.check_backward(
        outputs, device.send(states + xs), device.send((*states, *gys)),
        tuple(link.params()), atol=1e-5)


def test_known_dropout():
    # What Chainer 7.8.1 computes: the order of sequences of one length matters.
    np.random.seed(0)
    link = links.NStepLSTM(2, 1, 1, .5)
    np.random.seed(1)
    hy, _, _ = link(None, None, [np.ones((1, 1), 'f')] * 20)
    kept = [1, 3, 5, 7, 9, 17]
    expected = np.zeros(20)
    expected[kept] = .056511138
    compare.assert_allclose(hy.array[1, :, 0], expected, rtol=1e-5)


@given(st.lists(st.integers(0, 8), max_size=40), st.booleans())
def test_sorting_and_back(lengths, inv):
    lists = [[i] * n for i, n in enumerate(lengths)]
    order = n_step_rnn.argsort_list_descent(lists)
    assert order.dtype == np.int32
    ordered = n_step_rnn.permutate_list(lists, order, inv=False)
    assert [len(v) for v in ordered] == sorted(lengths, reverse=True)
    assert n_step_rnn.permutate_list(ordered, order, inv=True) == lists
    both = n_step_rnn.permutate_list(
        n_step_rnn.permutate_list(tuple(lists), order, inv), order, not inv)
    assert both == lists


def test_known_order():
    # That of Chainer 7.8.1 with NumPy 1.23.
    assert n_step_rnn.argsort_list_descent(['x'] * 20).tolist() == [
        0, *range(17, 0, -1), 18, 19]
    assert n_step_rnn.permutate_list('abc', [2, 0, 1], inv=False) == ['c', 'a', 'b']
    assert n_step_rnn.permutate_list('abc', [2, 0, 1], inv=True) == ['b', 'c', 'a']


def test_initial_values():
    # What Chainer 7.8.1 draws.
    np.random.seed(0)
    link = links.NStepBiGRU(1, 2, 1, 0)
    for k, drawn in enumerate((
            [1.2473733, .69207227, 1.320563, .95008844, -.1513572, -.10321885],
            [.290337, 1.0283266, .08603723, .33367434, 1.4940791, -.20515826])):
        compare.assert_allclose(
            [w.array[0, 0] for w in link.ws[k]], drawn, rtol=1e-6)


def test_init_hx(device):
    link = device.send(links.NStepBiGRU(2, 3, 5, 0))
    hx = link.init_hx(device.send([np.zeros((1, 3), 'd')] * 4))
    assert hx.shape == (4, 4, 5) and hx.dtype == np.float64 and not hx.array.any()
    with pytest.raises(IndexError):
        link.init_hx([])


def test_snapshot(device, tmp_path):
    link, other = device.send([links.NStepLSTM(1, 2, 3, 0) for _ in range(2)])
    serializers.save_npz(tmp_path / 'a.npz', link)
    serializers.load_npz(tmp_path / 'a.npz', other)
    compare.assert_array_equal(other.ws[0][5].array, link[0].w5.array)
    with np.load(tmp_path / 'a.npz') as saved:
        assert {'0/w0', '0/b7'} <= set(saved) and len(saved) == 16


@pytest.mark.parametrize('name', ['use_cudnn', 'use_bi_direction', 'activation'])
def test_retired_arguments(name):
    with pytest.raises(ValueError, match='%s .*not supported anymore' % name):
        links.NStepGRU(1, 2, 3, 0, **{name: True})


def test_errors(device):
    link = device.send(links.NStepGRU(1, 2, 3, 0))
    xs = [random(2, 2)]
    with pytest.raises(TypeError, match='size'):
        links.NStepGRU(1, 2, 3, 0, size=3)
    with pytest.raises(ValueError, match='train argument is not supported anymore'):
        link(None, device.send(xs), train=True)
    with pytest.raises(TypeError, match='size'):
        link(None, device.send(xs), size=3)
    with pytest.raises(AssertionError, match='list of sequences'):
        link(None, device.send(random(1, 2, 2)))
    for wrong in ([], [xs[0], xs[0][:0]], [xs[0][:0], xs[0]]):
        with pytest.raises(IndexError):
            link(None, device.send(wrong))
    with pytest.raises(ValueError, match='Inconsistent input size'):
        device.send(links.NStepLSTM(1, 3, 3, 0))(None, None, device.send(xs))


def test_bases():
    class Mine(n_step_rnn.NStepRNNBase):
        n_weights = 2
        use_bi_direction = False

    link = Mine(1, 2, 3, 0)
    with pytest.raises(NotImplementedError, match='Mine must define .* n_cells'):
        _ = link.n_cells
    with pytest.raises(NotImplementedError, match='Mine must define .* rnn'):
        link(None, [random(2, 2)])
    link.rnn = links.NStepRNNTanh(1, 2, 3, 0).rnn
    hy, _ = link(None, [random(2, 2)])
    assert hy.shape == (1, 1, 3)
    assert n_step_lstm.NStepLSTMBase.n_weights == 8
    assert n_step_gru.NStepGRUBase.n_weights == 6
    with pytest.raises(AttributeError):
        n_step_lstm.NStepLSTMBase(1, 2, 3, 0)


def test_subclass_with_its_own_function():
    """A link of a program that passes more arguments to another function."""
    class Base(links.rnn.n_step_rnn.NStepRNNBase):
        n_weights, use_bi_direction, n_cells = 8, False, 2

        def __init__(self, *args, scale, **kwargs):
            self.scale = scale
            super().__init__(*args, **kwargs)

        def forward(self, hx, cx, xs, **kwargs):
            (hy, cy), ys = self._call([hx, cx], xs, **kwargs)
            return hy, cy, ys

        def rnn(self, *args):
            hy, cy, ys = chainer_fast.functions.n_step_lstm(*args)
            return hy, cy, [self.scale * y for y in ys]

    np.random.seed(0)
    link = Base(1, 2, 3, 0., scale=2)
    plain = links.NStepLSTM(1, 2, 3, 0.)
    plain.copyparams(link)
    xs = [np.ones((length, 2), 'f') for length in (1, 3, 2)]
    for y, z in zip(link(None, None, xs)[2], plain(None, None, xs)[2], strict=True):
        np.testing.assert_allclose(y.array, 2 * z.array, rtol=1e-6)
    with pytest.raises(ValueError, match='train'):
        link(None, None, xs, train=True)
