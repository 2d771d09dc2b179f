"""What the fuzzer has found, one by one."""
import warnings

import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import functions as F
from chainer_fast.backends.kernels import recurrent, sequences
from chainer_fast.backends.kernels.activation import compiled as activation
from chainer_fast.backends.kernels.array import compiled as arrays
from chainer_fast.backends.kernels.cross_entropy import compiled as labels
from chainer_fast.backends.kernels.negative_sampling import compiled as sampling
from chainer_fast.backends.kernels.pooling import compiled as images
from chainer_fast.backends.kernels.recurrent import compiled as cells
from chainer_fast.utils.type_check import InvalidType
from chainer_fast.variable import Variable
from tests.fuzz.graphs import KERNELS
from tests.graph_optimizations import static_chains


def zeros(*shape, dtype='f'):
    return np.zeros(shape, dtype)


# -- crf1d

def crf_loss(cost, *xs):
    return F.crf1d(cost, xs, [np.zeros(len(x), 'i') for x in xs])


@pytest.mark.parametrize('double', [False, True])
@pytest.mark.parametrize('which,name', [(0, 'cost'), (1, r'xs\[0\]'), (2, r'xs\[1\]')])
@pytest.mark.parametrize('shape', [
    (40, 40), (2, 2), (3, 4), (1, 3), (0, 0), (3,), (4, 3)])
def test_crf1d_tells_what_has_been_replaced(which, name, shape, double):
    for _ in range(20):
        inputs = [Variable(zeros(n, 3)) for n in (3, 2, 2)]
        loss = crf_loss(*inputs)
        inputs[which].array = zeros(*shape)
        with pytest.raises(ValueError, match='%s had the shape' % name):
            loss.backward(enable_double_backprop=double)


def test_crf1d_tells_what_is_gone():
    inputs = [Variable(zeros(n, 3)) for n in (3, 2)]
    loss = crf_loss(*inputs)
    inputs[0].array = None
    with pytest.raises(ValueError, match='now its array has gone'):
        loss.backward()


def test_crf1d_takes_other_values():
    inputs = [Variable(zeros(n, 3)) for n in (3, 2, 2)]
    loss = crf_loss(*inputs)
    inputs[1].array = zeros(2, 3)
    loss.backward()
    assert inputs[1].grad.shape == (2, 3)


@pytest.mark.parametrize('x,cost,sizes', [
    ((5, 3), (4, 4), (3, 2)), ((5, 3), (3, 2), (3, 2)), ((5, 3), (3, 3), (3, 3)),
    ((5, 3), (3, 3), (2, 3)), ((5, 3), (3, 3), (6, -1)), ((5, 3), (3, 3), ()),
    ((15,), (3, 3), (3, 2))])
def test_crf_of_other_sizes(x, cost, sizes):
    for form in (labels.crf_forth, labels.crf_best_paths):
        assert form(zeros(*x), zeros(*cost), sizes) is NotImplemented


@pytest.mark.parametrize('before,totals,g', [
    ((5, 4), 3, 3), ((4, 3), 3, 3), ((5, 3), 2, 3), ((5, 3), 3, 2), ((5, 3), 3, 9)])
def test_crf_gradients_of_other_sizes(before, totals, g):
    assert labels.crf_back(zeros(5, 3), zeros(3, 3), (3, 2), zeros(*before, dtype='d'),
                    zeros(totals, dtype='d'), zeros(g, dtype='d')) is NotImplemented


# -- kernels

@pytest.mark.parametrize('changes', [
    {'labels': zeros(3, 1, dtype='i')}, {'labels': zeros(2, dtype='i')},
    {'blank': 5}, {'blank': -1}, {'input_length': zeros(1, dtype='i')},
    {'label_length': np.array([1, 2], 'i')}, {'label_length': np.array([1, -1], 'i')},
    {'labels': np.array([[1], [5]], 'i')}, {'labels': np.array([[1], [-6]], 'i')}])
def test_ctc_of_other_sizes(changes):
    given = {
        'labels': zeros(2, 1, dtype='i'), 'blank': 0,
        'input_length': np.array([4, 4], 'i'), 'label_length': np.array([1, 1], 'i')}
    assert labels.ctc(zeros(4, 2, 5), *given.values(), True) is not NotImplemented
    given.update(changes)
    assert labels.ctc(zeros(4, 2, 5), *given.values(), True) is NotImplemented


def unaligned(array):
    memory = bytearray(array.nbytes + 1)
    copy = np.ndarray(array.shape, array.dtype, memory, 1)
    copy[...] = array
    return copy


def test_unaligned_arrays_are_copied():
    x, rows = np.arange(24, dtype='f').reshape(1, 2, 3, 4), [0, 1]
    expected = images.resize(x, rows, [.5, .5], rows, [.5, .5])
    np.testing.assert_array_equal(
        images.resize(unaligned(x), rows, [.5, .5], rows, [.5, .5]), expected)
    scores = np.linspace(0, 1, 40, dtype='f').reshape(4, 2, 5)
    arrays = np.array([[1], [2]], 'i'), np.array([4, 4], 'i'), np.array([1, 1], 'i')
    a, b = [labels.ctc(scores, t, 0, n, m, False)[0] for t, n, m in (
        arrays, map(unaligned, arrays))]
    np.testing.assert_array_equal(a, b)


def test_lines_want_a_weight_each():
    with pytest.raises(ValueError, match='2 lines between pixels need as many weights'):
        images.resize(zeros(1, 1, 3, 3), [0, 1], [.5], [0, 1], [.5, .5])


@pytest.mark.parametrize('data,row,dense', [
    ((4,), (3,), (3, 2)), ((4,), (4,), (3,)), ((4,), (4,), (2, 3, 2)),
    ((2, 4), (2, 4), (1, 3, 2)), ((2, 4), (4,), (2, 3, 2)), ((), (), (3, 2))])
def test_sparse_products_of_other_sizes(data, row, dense):
    at = zeros(*row, dtype='i')
    assert arrays.product(zeros(*data), at, at, 3, zeros(*dense)) is NotImplemented


@pytest.mark.parametrize('a,row,b', [
    ((3, 2), (4,), (3, 3)), ((3,), (4,), (3, 2)), ((2, 3, 2), (2, 4), (1, 3, 2)),
    ((2, 3, 2), (3, 4), (2, 3, 2)), ((3, 2), (), (3, 2))])
def test_sampled_products_of_other_sizes(a, row, b):
    at = zeros(*row, dtype='i')
    assert arrays.sampled_product(zeros(*a), at, at, zeros(*b)) is NotImplemented


def test_gradients_in_the_bytes_of_images():
    def gradient(dtype):
        x = Variable(np.ones((1, 2, 4, 4), dtype))
        y = F.unpooling_2d(x, 2)
        y.grad = np.ones_like(y.array)
        y.backward()
        return x.grad

    assert gradient('>f4').dtype == np.dtype('>f4')
    np.testing.assert_array_equal(gradient('>f4'), gradient('f'))


@pytest.mark.parametrize('of', [
    lambda array: arrays.product(None, array, array, 3, array),
    lambda array: arrays.sampled_product(None, array, array, array),
    lambda array: images.sample(None, array),
    lambda array: KERNELS['where.where'].compiled(None, array, array),
    lambda array: sequences.rows.compiled(None, [array])])
def test_no_array(of):
    with pytest.raises(TypeError, match='None'):
        of(zeros(3))


def test_coordinates_are_integers():
    at = np.ones(3, bool)
    with pytest.raises(TypeError, match='integers, got bool'):
        arrays.product(zeros(3), at, at, 3, zeros(3, 2))


@pytest.mark.parametrize('gates', [(3, 19), (2, 20), (60,)])
def test_gates_of_other_sizes(gates):
    c = zeros(3, 4)
    assert cells.tree_lstm_grad(zeros(*gates), c, c, c, c, c) is NotImplemented


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < '2.0.0',
                    reason='NumPy 1 has no arrays of so many axes')
def test_cells_of_many_axes():
    ones = (1,) * 38
    assert cells.lstm(zeros(2, 3, *ones), zeros(2, 12, *ones)) is NotImplemented


def scan_arguments(**changes):
    given = {'gates': (5, 12), 'weight': (12, 3), 'hx': (3, 3), 'cx': (3, 3),
             'sizes': (3, 2)}
    given.update(changes)
    return [zeros(*given['gates']), zeros(*given['weight']), None, zeros(*given['hx']),
            zeros(*given['cx']), given['sizes'], 'lstm', False]


OTHERS = [{'weight': (11, 3)}, {'weight': (12, 4)}, {'weight': (36,)}, {'hx': (2, 3)},
          {'hx': (3, 2)}, {'cx': (2, 3)}, {'cx': (3, 9)}, {'sizes': (6, -1)},
          {'sizes': (4, 1)}]


@pytest.mark.parametrize('changes', OTHERS)
def test_scans_of_other_sizes(changes):
    assert recurrent.scan.compiled(*scan_arguments()) is not NotImplemented
    assert recurrent.scan.compiled(*scan_arguments(**changes)) is NotImplemented


@pytest.mark.parametrize('changes', OTHERS)
def test_scan_gradients_of_other_sizes(changes):
    *_, trace = recurrent.scan.compiled(*scan_arguments())
    _, weight, _, ghy, gcy, *rest = scan_arguments(**changes)
    gys = zeros(5, 3)
    assert recurrent.scan_grad.compiled(
        gys, trace, weight, ghy, gcy, *rest) is NotImplemented


@pytest.mark.parametrize('of,shape', [
    (0, (5, 11)), (1, (4, 3)), (3, (5, 2)), (2, None)])
def test_scan_gradients_of_another_trace(of, shape):
    *_, trace = recurrent.scan.compiled(*scan_arguments())
    _, weight, _, ghy, gcy, *rest = scan_arguments()
    trace = list(trace)
    trace[of:of + 1] = [] if shape is None else [zeros(*shape)]
    assert recurrent.scan_grad.compiled(
        zeros(5, 3), tuple(trace), weight, ghy, gcy, *rest) is NotImplemented


def test_bias_of_another_size():
    for bias in (zeros(2), zeros(4), None):
        assert recurrent.scan.compiled(
            zeros(5, 9), zeros(9, 3), bias, zeros(3, 3), None, (3, 2), 'gru',
            False) is NotImplemented


def test_layers_look_at_their_inputs_again():
    h, x = Variable(zeros(1, 2, 8)), Variable(zeros(2, 8))
    ws = [[Variable(zeros(8, 8)) for _ in range(2)]]
    bs = [[Variable(zeros(8)) for _ in range(2)]]
    h_last, ys = F.n_step_rnn(1, 0., h, ws, bs, [x])
    x.array = zeros(2, 9)
    h_last.grad = zeros(1, 2, 8)
    with pytest.raises(ValueError):
        h_last.backward()


def test_samples_that_count_of_another_number():
    ids = zeros(3, 2, dtype='l')
    with pytest.raises(ValueError, match='each of 3 samples whether it counts'):
        sampling.scores(zeros(3, 4), zeros(7, 4), ids, np.ones(1, bool))


@pytest.mark.parametrize('array', [None, zeros(), zeros(7), zeros(7, 5), zeros(0, 4)])
def test_classes_that_have_been_replaced(array):
    x, W = Variable(np.ones((3, 4), 'f')), Variable(np.ones((7, 4), 'f'))
    sampler = chainer.utils.WalkerAlias(np.ones(7))
    loss = F.negative_sampling(x, np.zeros(3, 'i'), W, sampler.sample, 2)
    W.array = array
    with pytest.raises((ValueError, AttributeError, IndexError, TypeError)):
        loss.backward()


def test_maxout_of_no_groups():
    assert activation.maxout(zeros(2, 4), 0, 1) is NotImplemented
    assert activation.maxout(zeros(2, 4), -2, 1) is NotImplemented


def test_regions_without_what_they_need():
    gy, numbers, shape = zeros(1, 2, 2, 2), zeros(1, dtype='l'), (1, 2, 4, 4)
    boxes = np.array([[0, 0, 2, 2.]])
    found = zeros(1, 2, 2, 2, dtype='i')
    assert images.cell_put(gy, None, numbers, shape) is NotImplemented
    assert images.cell_spread(gy, numbers, None, 0, shape) is NotImplemented
    assert images.sample_put(gy, found, numbers, None, (1, 1), shape) is NotImplemented
    assert images.sample_put(gy, None, numbers, boxes, (1, 1), shape) is NotImplemented
    assert images.sample_spread(gy, numbers, None, (1, 1), shape) is NotImplemented
    x = zeros(1, 2, 4, 4)
    assert images.sample_mean(x, numbers, boxes, (2, 2), (-1, 1)) is NotImplemented


# -- functions that have to see what has taken the place of what they kept

@pytest.mark.parametrize('f', [
    F.tanh, F.relu, F.sigmoid, F.exp, F.elu, F.leaky_relu, F.softmax, F.log_softmax],
    ids=lambda f: f.__name__)
def test_gradient_of_a_replaced_output(f):
    """The released Chainer takes the array that stands there now."""
    def gradient(hooks):
        x = Variable(np.linspace(-1, 1, 12, dtype='f').reshape(3, 4))
        y = f(x)
        y.array = np.linspace(.2, .9, 12, dtype='f').reshape(3, 4)
        y.grad = np.linspace(1, 2, 12, dtype='f').reshape(3, 4)
        with hooks:
            y.backward()
        return x.grad

    np.testing.assert_allclose(
        gradient(chainer.using_config('train', True)),
        gradient(chainer.function_hooks.TimerHook()), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize('shape', [(5,), (3, 5), (0,), (40, 40)])
def test_replaced_outputs_of_another_shape(shape):
    x = Variable(np.ones((3, 4), 'f'))
    y = F.tanh(x)
    y.grad = np.ones((3, 4), 'f')
    y.array = zeros(*shape)
    with pytest.raises((ValueError, InvalidType)):
        y.backward()


@pytest.mark.parametrize('name,x,shape', [
    ('convolution_2d', 2, (6, 2, 3, 40)), ('convolution_2d', 2, (6, 2, 2, 2)),
    ('convolution_2d', 2, (3, 2, 3, 3)), ('deconvolution_2d', 6, (3, 2, 3, 3))])
def test_replaced_filters(name, x, shape):
    x = Variable(np.ones((2, x, 5, 5), 'f'))
    W = Variable(np.ones((6, 2, 3, 3), 'f'))
    y = getattr(F, name)(x, W)
    y.grad = np.ones_like(y.array)
    W.array = np.ones(shape, 'f')
    with pytest.raises((ValueError, AssertionError, InvalidType)):
        y.backward()


def test_a_replaced_matrix_of_words():
    for rows in (9, 2000):
        W = Variable(np.ones((rows, 40), 'f'))
        y = F.embed_id(np.zeros(3, 'i'), W)
        y.grad = np.ones_like(y.array)
        W.array = np.ones((rows + 1, 40), 'f')
        with pytest.raises(ValueError, match='mismatch'):
            y.backward()


def test_a_factor_of_another_shape():
    def gradient(hooks):
        a = np.arange(12, dtype='f').reshape(4, 3)
        b = Variable(np.ones((3, 5), 'f'))
        y = F.matmul(a, b)
        b.array = np.ones((3, 1), 'f')
        y.grad = np.ones_like(y.array)
        with hooks:
            y.backward()
        return b.grad

    np.testing.assert_allclose(
        gradient(chainer.using_config('train', True)),
        gradient(chainer.function_hooks.TimerHook()))


def test_batch_normalization_of_fewer_axes():
    x, gamma, beta = [Variable(np.ones(s, 'f')) for s in ((3, 2, 4, 4), 2, 2)]
    y = F.batch_normalization(x, gamma, beta)
    x.array = y.array = np.ones(6, 'f')
    y.grad = np.ones(6, 'f')
    with pytest.raises((ValueError, IndexError)):
        y.backward()


@pytest.mark.parametrize('of', ['input', 'output', 'parameter'])
def test_static_chains_notice_arrays_resized_in_place(of):
    """Their loops would go on in memory that has been given back."""
    def gradients(cls):
        chain = cls(static_chains.every_loop)
        for step in range(5):
            x = Variable(static_chains.draw(step, 100, 3))
            y = chain(x)
            y.grad = np.ones_like(y.array)
            if step == 4:
                resized = {'input': x, 'output': y, 'parameter': chain.w}[of]
                resized.array.resize((200000,), refcheck=False)
            try:
                y.backward()
            except (ValueError, TypeError, InvalidType):
                return None
        return x.grad

    gradient = gradients(static_chains.Static)
    if of == 'parameter':       # which no loop uses
        np.testing.assert_allclose(
            gradient, gradients(static_chains.Model), rtol=1e-5, atol=1e-6)
    else:
        assert gradient is None or gradient.shape == (100, 3)


@pytest.mark.parametrize('rows', [9, 2000])
def test_warnings_that_resize_a_matrix_of_words(rows, monkeypatch):
    """Whoever shows a warning may change what the warning is about."""
    monkeypatch.setattr('chainer_fast._help.mistakes._warned', set())
    W = Variable(np.ones((rows, 40), 'f'))

    def show(*args, **kwargs):
        W.array.resize((0, 0), refcheck=False)

    with warnings.catch_warnings():
        warnings.simplefilter('always')
        warnings.showwarning = show
        y = F.embed_id(np.full(3000, -1, 'i'), W)
    assert y.shape == (3000, 40) and (y.array == 1).all()


def test_lists_that_become_shorter_while_they_are_compared():
    class Odd:
        def __init__(self, others):
            self.others = others

        def __eq__(self, other):
            del self.others[1:]
            return True

    class Chain(chainer.Chain):
        @chainer.static_graph
        def forward(self, x, values):
            return F.relu(x)

    chain, x = Chain(), np.ones((2, 3), 'f')
    for _ in range(6):
        values = []
        values += [Odd(values), 1, 2., 'a' * 1000]
        for _ in range(3):
            y = chain(Variable(x), values)
    assert (y.array == 1).all()
