"""What works today means the same in legacy mode, unless a version is named."""
import inspect
import itertools

import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import functions as F
from chainer_fast import initializers
from chainer_fast import links as L
from chainer_fast._help.past.removed import forms
from chainer_fast.legacy._functions import classes
from chainer_fast.utils.type_check import InvalidType

RS = np.random.RandomState(0)
X = RS.uniform(-1, 1, (4, 6)).astype(np.float32)
T = np.array([0, 2, -1, 1], np.int32)
IMAGE = RS.uniform(-1, 1, (2, 3, 8, 8)).astype(np.float32)
FILTERS = RS.uniform(-1, 1, (4, 3, 3, 3)).astype(np.float32)
BACK = RS.uniform(-1, 1, (3, 4, 3, 3)).astype(np.float32)
MATRIX = RS.uniform(-1, 1, (5, 6)).astype(np.float32)
C3, C4, C5 = (RS.uniform(.5, 1, n).astype(np.float32) for n in (3, 4, 5))
FLAGS = False, True, 0, 1, np.bool_(False), np.bool_(True), np.int32(0), np.int32(1)
WEIGHTS = None, 0, 1, 0.5, np.float32(2), initializers.Uniform(.5)
BIAS = None, 0, 1, 0.5, np.float32(2), initializers.Constant(2)


def of_rnn(n_weights, directions, units):
    """Return arguments from the states on: states, weights, biases and sequences."""
    rs = np.random.RandomState(1)

    def array(*shape):
        return rs.uniform(-1, 1, shape).astype(np.float32)
    hx = array(directions, 3, units)
    ws = [[array(units, 6 if k < n_weights // 2 else units) for k in range(n_weights)]
          for _ in range(directions)]
    bs = [[array(units) for _ in range(n_weights)] for _ in range(directions)]
    return hx, ws, bs, [X[:3], X[2:]]


def rnn_call(name, *more):
    n = 8 if 'lstm' in name else 6 if 'gru' in name else 2
    hx, ws, bs, xs = of_rnn(n, 2 if '_bi' in name else 1, 3)
    cells = ([hx],) if 'lstm' in name else ()
    return [1], [0.], [hx], *cells, [ws], [bs], [xs], *more


FILTERING = [1, (2, 2)], [0, 1, (1, 1)]
POOLING = [IMAGE], [2, (2, 2)], [None, 1, (2, 2)], [0, (1, 1)]

#: For each callable, what may stand at each place; the first one does for the others.
FUNCTIONS = {
    'average_pooling_2d': POOLING, 'average_pooling_nd': (*POOLING, [0, None]),
    'batch_normalization': ([X[:, :3]], [C3], [C3]),
    'convolution_2d': ([IMAGE], [FILTERS], [None, C4], *FILTERING, FLAGS),
    'convolution_nd':
        ([IMAGE], [FILTERS], [None, C4], *FILTERING, FLAGS, [1, (2, 2)], [1]),
    'deconvolution_2d':
        ([IMAGE], [BACK], [None, C4], *FILTERING,
         [None, (10, 10)]),
    'deconvolution_nd':
        ([IMAGE], [BACK], [None, C4], *FILTERING, [None, (10, 10)], [1, (1, 1)], [1]),
    'dilated_convolution_2d':
        ([IMAGE], [FILTERS], [None, C4], *FILTERING, [1, 2], FLAGS),
    'dropout': ([X], [0.5, 0, 0.]),
    'fixed_batch_normalization':
        ([X[:, :3]], [C3], [C3], [C3], [C3], [2e-5, 1], [None, 0, (0,)]),
    'log_softmax': ([X], [1, 0, -1]), 'softmax': ([X], [1, 0, -1]),
    'max_pooling_2d': (*POOLING, FLAGS, FLAGS),
    'max_pooling_nd': (*POOLING, FLAGS, FLAGS),
    **{name: rnn_call(name) for name in forms.FUNCTIONS
       if name.startswith('n_step') and not name.endswith('rnn')},
    **{name: rnn_call(name, ['tanh', 'relu'])
       for name in ('n_step_rnn', 'n_step_birnn')},
    'relu': ([X],), 'sigmoid': ([X],), 'tanh': ([X],),
    'sigmoid_cross_entropy': (
        [X], [(X > 0).astype(np.int32)], FLAGS, ['mean', 'no']),
    'softmax_cross_entropy': (
        [X], [T], FLAGS, FLAGS, [None, np.ones(6, np.float32)], [-1, 1, 0],
        ['mean', 'no'], FLAGS, ['cross-entropy']),
    'spatial_pyramid_pooling_2d': ([IMAGE], [2], ['max']),
    'zoneout': ([X], [X], [0.5, 0, 0.]),
    'spatial_transformer_grid': (
        [RS.uniform(-1, 1, (2, 2, 3)).astype(np.float32)], [(4, 4), [4, 4]]),
    'spatial_transformer_sampler': (
        [IMAGE], [RS.uniform(-1, 1, (2, 2, 4, 4)).astype(np.float32)]),
}
CONVOLUTION = [3], [4], [3, (3, 3)], [1, (2, 2)], [0, 1, (1, 1)]
N_STEP = [1], [6], [3], [0., 0.5]
LINKS = {
    'BatchNormalization': (
        [3, (3,)], [.9], [2e-5], [None, np.float32], FLAGS, FLAGS, [None, 1, 0.5, C3],
        [None, 1, 0.5, C3], [None, 0, (0,)], [None, 0, 1, C3], [None, 0, 1, C3]),
    'Convolution2D': (*CONVOLUTION, FLAGS, [*WEIGHTS, FILTERS], [*BIAS, C4]),
    'ConvolutionND': ([2], *CONVOLUTION, FLAGS, [*WEIGHTS, FILTERS], [*BIAS, C4],
                      FLAGS, [1, 2], [1]),
    'Deconvolution2D': (
        *CONVOLUTION, FLAGS, [None, (10, 10)], [*WEIGHTS, BACK], [*BIAS, C4]),
    'DeconvolutionND': (
        [2], *CONVOLUTION, FLAGS, [None, (10, 10)], [*WEIGHTS, BACK], [*BIAS, C4],
        [1], [1]),
    'DilatedConvolution2D': (
        *CONVOLUTION, [1, (2, 2)], FLAGS, [*WEIGHTS, FILTERS], [*BIAS, C4]),
    'Linear': ([6], [5], FLAGS, [*WEIGHTS, MATRIX], [*BIAS, C5]),
    'MLPConvolution2D': (
        [3], [(4, 2)], [3], [1, (2, 2)], [0, (1, 1)], [F.relu, F.sigmoid, abs]),
    'Maxout': ([6], [5], [2], [*WEIGHTS], [0, 1, 0.5, None]),
    **{name: N_STEP for name in forms.LINKS if name.startswith('NStep')},
}
OBJECTS = {
    'AveragePooling2D': ([2], [None, 1], [0, 1], FLAGS),
    'AveragePoolingND': ([2], [2], [None, 1], [0, 1], [False, 0], [0, None]),
    'MaxPooling2D': ([2], [None, 1], [0, 1], FLAGS),
    'MaxPoolingND': ([2], [2], [None, 1], [0, 1], FLAGS, FLAGS),
    'LogSoftmax': ([1, 0, -1],), 'Softmax': ([1, 0, -1],),
    'ReLU': (), 'Sigmoid': (), 'Tanh': (), 'SpatialTransformerSampler': (),
    'SigmoidCrossEntropy': (FLAGS, ['mean', 'no']),
    'SoftmaxCrossEntropy': (
        FLAGS, FLAGS, [None, np.ones(6, np.float32)], [-1, 1, 0], ['mean', 'no'],
        ['cross-entropy']),
    'SpatialTransformerGrid': ([(4, 4)],),
}


def calls(places):
    """Yield arguments: all values at each place, beside the first one at others.

    Two neighbours take all pairs, and the last places may be left out.
    """
    seen = set()
    for length in range(len(places) + 1):
        for changed in range(max(length - 1, 1)):
            choices = [values if at in (changed, changed + 1) else values[:1]
                       for at, values in enumerate(places[:length])]
            for picked in itertools.product(*map(range, map(len, choices))):
                if picked not in seen:
                    seen.add(picked)
                    yield [values[at] for values, at in zip(
                        choices, picked, strict=True)]


def n_required(function):
    return sum(p.default is p.empty and p.name != 'self' and p.kind in (
        p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        for p in inspect.signature(function).parameters.values())


def results(value):
    """Return all arrays of a result, a link or a function object."""
    if isinstance(value, chainer.Link):
        fields = {name: getattr(value, name, None) for name in (
            'stride', 'pad', 'outsize', 'dilate', 'groups', 'cover_all', 'decay', 'eps',
            'axis', 'activation', 'dropout', 'pool_size')}
        return [sorted((name, repr(array)) for name, array in [
            *((name, p.array) for name, p in value.namedparams()), *fields.items()])]
    if isinstance(value, (tuple, list)):
        return [array for part in value for array in results(part)]
    if isinstance(value, chainer.Variable):
        return [value.array]
    if isinstance(value, np.ndarray):
        return [value]
    return [{name: repr(field) for name, field in vars(value).items()}]


def valid_calls(callable_, places):
    """Return the calls that work today, with their results."""
    found, seen = [], set()
    for arguments in calls(places):
        if len(arguments) < n_required(callable_):
            continue
        np.random.seed(0)
        try:
            found.append((arguments, results(callable_(*arguments))))
        except (TypeError, ValueError, RuntimeError, InvalidType):
            continue
        seen.update((at, id(value)) for at, value in enumerate(arguments))
    unused = [(at, value) for at, values in enumerate(places) for value in values
              if (at, id(value)) not in seen]
    assert not unused
    return found


def check(find, places, enable, used):
    expected = valid_calls(find(), places)
    enable()
    # What a program calls is looked up when legacy mode is on.
    callable_ = find()
    for arguments, arrays in expected:
        np.random.seed(0)
        found = results(callable_(*arguments))
        assert len(found) == len(arrays)
        for one, other in zip(found, arrays, strict=True):
            if isinstance(other, np.ndarray):
                np.testing.assert_array_equal(one, other)
            else:
                assert one == other, arguments
    assert used() == {}


def test_all_forms_are_here():
    assert FUNCTIONS.keys() == {*forms.FUNCTIONS, *forms.FUNCTIONS_OF_V2}
    assert LINKS.keys() == forms.LINKS.keys()
    assert OBJECTS.keys() == {cls.__name__ for cls in classes._FORMS}


@pytest.mark.filterwarnings('ignore:t.* is treated as class:UserWarning')
@pytest.mark.parametrize('name', sorted(FUNCTIONS))
def test_function(name, enable, used):
    check(lambda: getattr(F, name), FUNCTIONS[name], enable, used)


@pytest.mark.parametrize('name', sorted(LINKS))
def test_link(name, enable, used):
    check(lambda: getattr(L, name), LINKS[name], enable, used)


@pytest.mark.parametrize('cls', classes._FORMS, ids=lambda cls: cls.__name__)
def test_class_of_functions(cls, enable, used):
    check(lambda: cls, OBJECTS[cls.__name__], enable, used)


@pytest.mark.parametrize('name', sorted(
    {name for name, _ in forms.CALLS if name.startswith('NStep')}))
def test_call_of_recurrent_link(name, enable, used):
    link = getattr(L, name)(1, 6, 3, 0.)
    states = [None] * (2 if 'LSTM' in name else 1)
    expected = results(link(*states, [X[:3], X[2:]]))
    enable()
    for array, again in zip(expected, results(link(*states, [X[:3], X[2:]])),
                            strict=True):
        np.testing.assert_array_equal(array, again)
    assert used() == {}


def test_calls_of_normalization(enable, used):
    def run():
        np.random.seed(0)
        link = L.BatchNormalization(3)
        inception = L.InceptionBN(3, 2, 2, 2, 2, 2, 'avg', 2)
        found = [link(X[:, :3]), link(X[:, :3], finetune=True), inception(IMAGE)]
        with chainer.using_config('train', False):
            return results([*found, link(X[:, :3]), inception(IMAGE)])
    expected = run()
    enable()
    for array, again in zip(expected, run(), strict=True):
        np.testing.assert_array_equal(array, again)
    assert used() == {}


def test_convolution_of_tensorflow(enable, used):
    # Numbers by position, as in TFConvolution2D of ChainerCV.
    enable()
    link = L.Convolution2D(3, 4, 3, 1, 0, 1, FILTERS, 0)
    assert link.b is None
    np.testing.assert_array_equal(link.W.array, FILTERS)
    assert used() == {}


