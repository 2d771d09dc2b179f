"""What the recurrent networks over sequences have in common."""
import numpy as np
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
from chainer_fast.functions.rnn import _stacked, n_step_gru, n_step_lstm, n_step_rnn
from chainer_fast.utils import type_check
from tests import compare
from tests.devices import to_cpu
from tests.functions import gradients as numerical
from tests.functions.rnn.sequences import GATES, Network, gradients

KINDS = list(GATES)


def composed(monkeypatch):
    """Let all networks be composed of small functions."""
    monkeypatch.setattr(_stacked, 'fitting_inputs', lambda *args: None)


@pytest.fixture(autouse=True)
def without_dropout():
    with chainer.using_config('train', False):
        yield


@pytest.mark.parametrize('dtype,tolerance', [('e', 2e-2), ('f', 1e-5), ('d', 1e-12)])
@pytest.mark.parametrize('directions', [1, 2])
@pytest.mark.parametrize('kind', KINDS)
def test_outputs(device, kind, directions, dtype, tolerance):
    network = Network(device, kind, directions=directions, dtype=dtype)
    outputs = network.run(*network.flat)
    for y, expected in zip(outputs, network.expected(), strict=True):
        assert y.dtype == dtype
        compare.assert_allclose(y.array, expected, tolerance, tolerance)


@pytest.mark.parametrize('sizes,batch', [
    ((1,), 1), ((2, 2), 2), ((4, 3, 3, 1), 4), ((3, 2), 5), ((2, 0, 0), 2), ((0, 0), 2),
])
@pytest.mark.parametrize('directions', [1, 2])
@pytest.mark.parametrize('kind', KINDS)
def test_sizes_of_steps(device, kind, directions, sizes, batch):
    network = Network(device, kind, directions=directions, sizes=sizes, batch=batch)
    for y, expected in zip(
            network.run(*network.flat), network.expected(), strict=True):
        compare.assert_allclose(y.array, expected, 1e-12, 1e-12)


@pytest.mark.parametrize('directions', [1, 2])
@pytest.mark.parametrize('kind', ['lstm', 'gru', 'tanh'])
def test_both_derivatives(device, kind, directions):
    network = Network(device, kind, directions=directions, sizes=(2, 1), m=2, n=2)
    numerical.check(device, network.run, *network.flat, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize('dtype,tolerance', [('e', 3e-2), ('f', 1e-4), ('d', 1e-12)])
@pytest.mark.parametrize('directions', [1, 2])
@pytest.mark.parametrize('kind', KINDS)
def test_gradients_as_of_many_functions(
        device, kind, directions, dtype, tolerance, monkeypatch):
    network = Network(device, kind, directions=directions, dtype=dtype)
    found = gradients(network)
    composed(monkeypatch)
    for gx, expected in zip(found, gradients(network), strict=True):
        assert gx.dtype == dtype
        compare.assert_allclose(gx.array, expected.array, tolerance, tolerance)


@pytest.mark.parametrize('units', [3, 4, 15, 16, 17, 33])
@pytest.mark.parametrize('directions', [1, 2])
@pytest.mark.parametrize('kind', KINDS)
@pytest.mark.filterwarnings('ignore::RuntimeWarning')
def test_infinite_inputs_spread_as_in_many_functions(
        device, kind, directions, units, monkeypatch):
    network = Network(
        device, kind, n_layers=1, directions=directions, dtype='f', n=units)
    network.drawn[2][0, 0] = np.inf
    network.flat = device.send(network.drawn)
    found = [np.isfinite(to_cpu(g.array)) for g in gradients(network)]
    composed(monkeypatch)
    for finite, expected in zip(found, gradients(network), strict=True):
        compare.assert_array_equal(finite, np.isfinite(to_cpu(expected.array)))


def test_biases_that_are_none(device):
    network = Network(device, 'tanh', n_layers=1)
    hx, cx, ws, bs, xs = network.parts(network.flat)
    ys = network.call(hx, cx, ws, [[None, None]], xs)
    zeros = [[b * 0 for b in bs[0]]]
    for y, expected in zip(ys, network.call(hx, cx, ws, zeros, xs), strict=True):
        compare.assert_allclose(y.array, expected.array, 1e-12, 1e-12)


@pytest.mark.parametrize('directions', [1, 2])
@pytest.mark.parametrize('kind', KINDS)
def test_gradients_and_their_graph_agree(device, kind, directions):
    network = Network(device, kind, directions=directions)
    with chainer.using_config('train', True):
        device.seed(5)
        found = gradients(network, ratio=.4)
        device.seed(5)
        differentiable = gradients(network, ratio=.4, double=True)
    for gx, expected in zip(found, differentiable, strict=True):
        compare.assert_allclose(gx.array, expected.array, 1e-12, 1e-12)
        assert expected.creator is not None


@pytest.mark.parametrize('wanted', [
    [0, 0, 1, 0], [0, 0, 1, 1], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1]])
@pytest.mark.parametrize('directions', [1, 2])
@pytest.mark.parametrize('kind', ['lstm', 'tanh'])
def test_gradients_of_some_outputs(device, kind, directions, wanted, monkeypatch):
    network = Network(device, kind, directions=directions, sizes=(2, 1))
    if kind != 'lstm':
        wanted = wanted[:1] + wanted[2:]
        if not any(wanted):
            return
    found = gradients(network, wanted=wanted)
    composed(monkeypatch)
    for gx, expected in zip(found, gradients(network, wanted=wanted), strict=True):
        assert (gx is None) == (expected is None)
        if gx is not None:
            compare.assert_allclose(gx.array, expected.array, 1e-12, 1e-12)


def test_inputs_that_depend_on_each_other(device):
    network = Network(device, 'lstm', n_layers=1, sizes=(2, 2))
    x = chainer.Variable(network.flat[2])

    def run(double):
        flat = list(network.flat)
        flat[2], flat[3] = x, x * 2
        y = F.sum(network.run(*flat)[-1])
        return chainer.grad([y], [x], enable_double_backprop=double)[0].array

    compare.assert_allclose(run(True), run(False), 1e-12)


def test_gradients_of_biases_are_apart(device):
    network = Network(device, 'tanh', n_layers=1)
    *_, first, second = gradients(network)
    compare.assert_array_equal(first.array, second.array)
    assert not np.shares_memory(first.array, second.array)


@pytest.mark.parametrize('directions', [1, 2])
def test_second_backward_repeats_the_first(device, directions):
    network = Network(device, 'gru', directions=directions)
    inputs = [chainer.Variable(x) for x in network.flat]
    y = F.sum(network.run(*inputs)[-1])
    y.backward()
    first = [x.grad.copy() for x in inputs]
    for x in inputs:
        x.cleargrad()
    y.backward()
    for x, expected in zip(inputs, first, strict=True):
        compare.assert_array_equal(x.grad, expected)


@pytest.mark.parametrize('ratio', [0., .4])
@pytest.mark.parametrize('directions', [1, 2])
@pytest.mark.parametrize('kind', KINDS)
def test_dropout_draws_as_step_by_step(device, kind, directions, ratio, monkeypatch):
    network = Network(device, kind, directions=directions, n_layers=3)

    def run():
        device.seed(7)
        return network.run(*network.flat, ratio=ratio), np.random.rand()

    with chainer.using_config('train', True):
        found, then = run()
        composed(monkeypatch)
        expected, expected_then = run()
    assert then == expected_then
    for y, other in zip(found, expected, strict=True):
        compare.assert_allclose(y.array, other.array, 1e-12, 1e-12)
    different = np.abs(found[-1].array - network.run(*network.flat)[-1].array).max()
    assert (different > 1e-3) == (ratio > 0)


def test_no_dropout_below_the_first_layer_or_out_of_training(device):
    state = np.random.get_state()[1].copy()
    network = Network(device, 'tanh', n_layers=1)
    with chainer.using_config('train', True):
        network.run(*network.flat, ratio=.5)
    Network(device, 'tanh').run(*Network(device, 'tanh').flat, ratio=.5)
    compare.assert_array_equal(np.random.get_state()[1], state)


@pytest.mark.parametrize('kind', KINDS)
def test_one_function_of_the_graph(device, kind):
    network = Network(device, kind)
    outputs = network.run(*network.flat)
    creator = outputs[0].creator
    assert type(creator) is _stacked.StackedRNN
    assert all(y.creator is creator for y in outputs)
    assert creator.label.startswith('StackedRNN(')


@pytest.mark.parametrize('kind', KINDS)
def test_arrays_in_any_order_of_memory(device, kind):
    network = Network(device, kind)
    expected = network.run(*network.flat)
    flat = device.send([np.asfortranarray(x) for x in network.drawn])
    for y, other in zip(network.run(*flat), expected, strict=True):
        compare.assert_allclose(y.array, other.array, 1e-12, 1e-12)


def test_sequence_as_one_array(device):
    network = Network(device, 'gru', sizes=(2, 2))
    hx, _, ws, bs, xs = network.parts(network.flat)
    expected = F.n_step_gru(2, 0., hx, ws, bs, xs)[1]
    for given in (np.stack(xs), chainer.Variable(device.send(np.stack(xs))), tuple(xs)):
        ys = F.n_step_gru(2, 0., hx, ws, bs, given)[1]
        assert isinstance(ys, tuple)
        for y, other in zip(ys, expected, strict=True):
            compare.assert_array_equal(y.array, other.array)


@pytest.mark.host
def test_overflow_is_warned_of(device):
    network = Network(device, 'relu', n_layers=1, sizes=(1,), m=1, n=1, dtype='f')
    for array, value in zip(
            network.flat, (2e38, 0, 0, 1, 2e38, 0), strict=True):
        array[...] = value
    with pytest.warns(RuntimeWarning, match='overflow'):
        network.run(*network.flat)


# ----------------------------------------------------------- what does not fit together

def test_weights_of_another_dtype(device):
    network = Network(device, 'lstm', dtype='f')
    hx, cx, ws, bs, xs = network.parts(network.flat)
    expected = network.run(*network.flat)
    ws = [[w.astype('d') for w in each] for each in ws]
    hy, cy, ys = F.n_step_lstm(2, 0., hx, cx, ws, bs, xs)
    for y, other in zip((hy, cy, *ys), expected, strict=True):
        assert y.dtype == np.float32
        compare.assert_allclose(y.array, other.array, 1e-5)


@pytest.mark.parametrize('kind', KINDS)
def test_more_layers_of_states_than_layers(device, kind):
    network = Network(device, kind)
    expected = network.run(*network.flat)
    count = 2 if kind == 'lstm' else 1
    flat = [np.concatenate([x, x]) for x in network.flat[:count]]
    outputs = network.run(*flat, *network.flat[count:])
    for y, other in zip(outputs, expected, strict=True):
        compare.assert_allclose(y.array, other.array, 1e-12)


@pytest.mark.parametrize('kind', KINDS)
def test_growing_steps(device, kind):
    network = Network(device, kind, sizes=(2, 3), batch=3)
    network.flat[0] = network.flat[0][:, :2]
    if kind == 'lstm':
        network.flat[1] = network.flat[1][:, :2]
    with pytest.raises(type_check.InvalidType):
        network.run(*network.flat)


@pytest.mark.parametrize('kind', KINDS)
@pytest.mark.parametrize('name', ['ws', 'bs'])
def test_too_few_weights(device, kind, name):
    network = Network(device, kind)
    hx, cx, ws, bs, xs = network.parts(network.flat)
    groups = {'ws': ws, 'bs': bs}
    for wrong in (groups[name][:1], [each[:-1] for each in groups[name]]):
        groups[name] = wrong
        with pytest.raises(IndexError, match=name):
            network.call(hx, cx, **groups, xs=xs)


@pytest.mark.parametrize('kind', KINDS)
@pytest.mark.parametrize('name', ['ws', 'bs'])
def test_weights_in_lists(device, kind, name):
    network = Network(device, kind)
    hx, cx, ws, bs, xs = network.parts(network.flat)
    groups = {'ws': ws, 'bs': bs}
    groups[name][0] = [*groups[name][0][:-1], [[1., 2.]]]
    with pytest.raises(TypeError, match='list'):
        network.call(hx, cx, **groups, xs=xs)


@pytest.mark.parametrize('kind', KINDS)
@pytest.mark.parametrize('value', [-1, 'no', [], [[[1., 2.]]], None])
def test_states_that_are_no_array(device, kind, value):
    network = Network(device, kind)
    _, cx, ws, bs, xs = network.parts(network.flat)
    # What has gates looks at its states first.
    is_attribute = value is None or kind in ('lstm', 'gru')
    with pytest.raises(AttributeError if is_attribute else TypeError):
        network.call(value, cx, ws, bs, xs)
    if kind == 'lstm' and value is not None:
        with pytest.raises(TypeError):
            network.call(network.parts(network.flat)[0], value, ws, bs, xs)


@pytest.mark.parametrize('number', [2., 1.5, np.inf])
def test_numbers_of_layers_that_are_none(device, number):
    network = Network(device, 'lstm')
    with pytest.raises(TypeError):
        F.n_step_lstm(number, 0., *network.parts(network.flat))


@pytest.mark.parametrize('name,value,error', [
    ('hx', None, AttributeError), ('cx', None, AttributeError), ('xs', [], IndexError),
])
def test_missing_inputs(device, name, value, error):
    network = Network(device, 'lstm')
    parts = dict(zip(
        ('hx', 'cx', 'ws', 'bs', 'xs'), network.parts(network.flat), strict=True))
    parts[name] = value
    with pytest.raises(error, match=name):
        F.n_step_lstm(2, 0., **parts)


@pytest.mark.parametrize('kind', ['lstm', 'tanh'])
def test_inputs_of_another_size(device, kind):
    network = Network(device, kind)
    count = 2 if kind == 'lstm' else 1
    for k in range(count, count + 3):
        network.flat[k] = network.flat[k][:, :1]
    with pytest.raises(ValueError, match='columns'):
        network.run(*network.flat)


@pytest.mark.parametrize('ratio', [-.1, 1.])
def test_ratio_out_of_range(device, ratio):
    network = Network(device, 'gru')
    with chainer.using_config('train', True), pytest.raises(ValueError):
        network.run(*network.flat, ratio=ratio)


@pytest.mark.parametrize('base,given', [
    (n_step_lstm.n_step_lstm_base, 'lstm'), (n_step_gru.n_step_gru_base, 'gru'),
    (n_step_rnn.n_step_rnn_base, 'tanh'),
])
def test_retired_and_unknown_arguments(device, base, given):
    network = Network(device, given)
    args = [each for each in network.parts(network.flat) if each is not None]
    last = (given,) if given == 'tanh' else ()
    for name in ('train', 'use_cudnn'):
        with pytest.raises(ValueError, match=name):
            base(2, 0., *args, *last, False, **{name: True})
    with pytest.raises(TypeError, match='other'):
        base(2, 0., *args, *last, False, other=True)
    *states, ys = base(2, 0., *args, *last, False)
    compare.assert_allclose(ys[-1].array, network.expected()[-1], 1e-12)


def test_unknown_activation(device):
    network = Network(device, 'tanh')
    hx, _, ws, bs, xs = network.parts(network.flat)
    with pytest.raises(ValueError, match='activation'):
        F.n_step_rnn(2, 0., hx, ws, bs, xs, 'sigmoid')


# ------------------------------------------------------------------------ other ways in

def test_any_step():
    steps = []

    def step(x, h, c, w, b):
        steps.append((x.shape, h.shape, c.shape, w, b))
        return h + 1., c + 2.

    x = [np.zeros((size, 1), 'f') for size in (2, 1)]
    zeros = np.zeros((2, 2, 3), 'f')
    hy, cy, ys = n_step_rnn.n_step_rnn_impl(
        step, 1, 0., zeros, zeros, ['w', 'v'], ['b', 'a'], x, True)
    assert steps == [
        ((2, 1), (2, 3), (2, 3), 'w', 'b'), ((1, 1), (1, 3), (1, 3), 'w', 'b'),
        ((1, 1), (1, 3), (1, 3), 'v', 'a'), ((2, 1), (2, 3), (2, 3), 'v', 'a')]
    compare.assert_array_equal(hy.array[:, :, 0], [[2, 1], [2, 1]])
    compare.assert_array_equal(cy.array[:, :, 0], [[4, 2], [4, 2]])
    compare.assert_array_equal(ys[0].array[:, ::3], [[1, 2], [1, 1]])
    assert n_step_rnn.n_step_rnn_impl(
        lambda x, h, c, w, b: (h, c), 1, 0., zeros[:1], None, [0], [0], x, False
    )[1] is None


@pytest.mark.parametrize('kind,step', [
    ('lstm', n_step_lstm._lstm), ('gru', n_step_gru._gru)])
def test_single_steps(device, kind, step):
    network = Network(device, kind, n_layers=1, sizes=(2,))
    hx, cx, ws, bs, xs = network.parts(network.flat)
    h, c = step(xs[0], hx[0], None if cx is None else cx[0], ws[0], bs[0])
    expected = network.expected()
    compare.assert_allclose(h.array, expected[-1], 1e-12)
    if cx is None:
        assert c is None
    else:
        compare.assert_allclose(c.array, expected[1][0], 1e-12)


CLASSES = {
    ('lstm', 1): n_step_lstm.NStepLSTM, ('lstm', 2): n_step_lstm.NStepBiLSTM,
    ('gru', 1): n_step_gru.NStepGRU, ('gru', 2): n_step_gru.NStepBiGRU,
    ('tanh', 1): n_step_rnn.NStepRNNTanh, ('tanh', 2): n_step_rnn.NStepBiRNNTanh,
    ('relu', 1): n_step_rnn.NStepRNNReLU, ('relu', 2): n_step_rnn.NStepBiRNNReLU,
}


@pytest.mark.parametrize('kind,directions', list(CLASSES))
def test_weights_in_one_vector(device, kind, directions):
    network = Network(device, kind, directions=directions)
    mode = 'rnn_' + kind if kind in ('tanh', 'relu') else kind
    inputs = [chainer.Variable(x) for x in network.flat]
    hx, cx, ws, bs, xs = network.parts(inputs)
    w = n_step_rnn.cudnn_rnn_weight_concat(2, None, directions == 2, mode, ws, bs)
    assert w.ndim == 1
    states = (hx,) if cx is None else (hx, cx)
    outputs = CLASSES[kind, directions](2, None, network.sizes)(
        *states, w, F.concat(xs, axis=0))
    others = network.run(*inputs)
    found = (*outputs[:-1], *F.split_axis(outputs[-1], (3, 6), axis=0))
    for y, other in zip(found, others, strict=True):
        compare.assert_allclose(y.array, other.array, 1e-12, 1e-12)
    first = chainer.grad([F.sum(found[0]) + F.sum(found[-2])], inputs)
    second = chainer.grad([F.sum(others[0]) + F.sum(others[-2])], inputs)
    for gx, expected in zip(first, second, strict=True):
        compare.assert_allclose(gx.array, expected.array, 1e-12, 1e-12)


def test_vector_and_network_that_do_not_fit(device):
    with pytest.raises(ValueError, match='rnn_mode'):
        n_step_rnn.CudnnRNNWeightConcat(1, None, 'uni', 'mgu')
    with pytest.raises(ValueError, match='rnn_dir'):
        n_step_rnn.BaseNStepRNN(1, None, [1], 'tri', 'gru')
    with pytest.raises(RuntimeError, match='states'):
        n_step_gru.NStepGRU(1, object(), [1])
    with pytest.raises(ValueError, match='train'):
        n_step_gru.NStepGRU(1, None, [1], train=True)
    network = Network(device, 'tanh', n_layers=1)
    hx, _, ws, bs, xs = network.parts(network.flat)
    concat = n_step_rnn.CudnnRNNWeightConcat(1, None, 'uni', 'rnn_tanh')
    with pytest.raises(type_check.InvalidType):
        concat(*ws[0], bs[0][0], bs[0][1][:1])
    w = concat(*ws[0], *bs[0])
    x = np.concatenate(xs)
    for wrong in ((hx, w[:-1], x), (hx, w, x[:-1]), (hx[:, :2], w, x), (hx, hx, w, x)):
        with pytest.raises(type_check.InvalidType):
            n_step_rnn.NStepRNNTanh(1, None, network.sizes)(*wrong)
