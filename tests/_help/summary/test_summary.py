"""Summaries of models: numbers counted by hand, and models that stay as they are."""
import copy
import random

import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import functions as F
from chainer_fast import links as L
from tests.devices import to_cpu


def zeros(*shape):
    return np.zeros(shape, np.float32)


def cost(model, *inputs):
    return chainer.summary(model, *inputs).multiply_adds


class Calls(chainer.Chain):
    """Calls a function of some operands, which are parameters of its own."""

    def __init__(self, function):
        super().__init__()
        self._function = function

    def forward(self, *inputs):
        return self._function(*inputs)


@pytest.mark.parametrize('make, shape, expected', [
    (lambda: L.Linear(3, 5), (7, 3), 7 * 3 * 5),
    (lambda: L.Linear(None, 5), (7, 3, 2), 7 * 6 * 5),
    (lambda: L.Convolution2D(4, 6, 3, pad=1), (2, 4, 5, 8), 2 * 5 * 8 * 9 * 4 * 6),
    (lambda: L.Convolution2D(4, 6, 3, stride=2), (2, 4, 6, 9), 2 * 2 * 4 * 9 * 4 * 6),
    (lambda: L.Convolution2D(4, 6, 2, groups=2), (2, 4, 5, 5), 2 * 16 * 4 * 2 * 6),
    (lambda: L.DilatedConvolution2D(4, 6, 3, dilate=2), (1, 4, 6, 7),
     2 * 3 * 9 * 4 * 6),
    (lambda: L.DepthwiseConvolution2D(4, 3, 2), (1, 4, 5, 5), 16 * 4 * 4 * 3),
    (lambda: L.ConvolutionND(3, 2, 5, 2), (1, 2, 4, 4, 4), 27 * 8 * 2 * 5),
    (lambda: L.ConvolutionND(1, 2, 5, 2, cover_all=True, stride=2), (1, 2, 5),
     3 * 2 * 2 * 5),
    (lambda: L.Deconvolution2D(4, 6, 3, stride=2), (2, 4, 5, 8),
     2 * 5 * 8 * 9 * 4 * 6),
    (lambda: L.DeconvolutionND(1, 4, 6, 3), (2, 4, 5), 2 * 5 * 3 * 4 * 6),
    (lambda: L.LocalConvolution2D(2, 3, (5, 5), 2), (7, 2, 5, 5),
     7 * 16 * 4 * 2 * 3),
    (lambda: L.BatchNormalization(3), (2, 3, 4), 24),
    (lambda: L.GroupNormalization(1, 3), (2, 3, 4), 24),
    (lambda: L.LayerNormalization(3), (2, 3), 6),
    (lambda: L.StatefulGRU(5, 7), (4, 5), 4 * 7 * 5 * 2),   # of no state
    (lambda: L.LSTM(5, 7), (4, 5), 4 * 4 * 7 * 5),
    (lambda: L.Highway(5), (4, 5), 4 * 2 * 5 * 5),
    (lambda: L.Maxout(5, 3, 2), (4, 5), 4 * 5 * 3 * 2),
])
def test_one_link(make, shape, expected):
    assert cost(make(), zeros(*shape)) == expected


def test_links_of_several_inputs():
    assert cost(L.Bilinear(3, 4, 5, nobias=True), zeros(2, 3), zeros(2, 4)) == 120
    assert cost(L.StatelessLSTM(5, 7), zeros(4, 7), zeros(4, 7), zeros(4, 5)) == (
        4 * 4 * 7 * (5 + 7))
    assert cost(L.StatelessGRU(5, 7), zeros(4, 7), zeros(4, 5)) == 4 * 3 * 7 * (5 + 7)
    assert cost(L.EmbedID(9, 4), np.zeros(3, np.int32)) == 0


@pytest.mark.parametrize('link, gates, inputs', [
    (L.NStepLSTM, 4, 2), (L.NStepGRU, 3, 1), (L.NStepRNNTanh, 1, 1)])
def test_recurrent_networks_of_many_steps(link, gates, inputs):
    xs = [zeros(4, 5), zeros(2, 5)]
    expected = 6 * gates * 7 * (5 + 7 + 7 + 7)
    assert cost(link(2, 5, 7, 0), *[None] * inputs, xs) == expected
    # Of different dtypes, many small functions make them.
    model = link(2, 5, 7, 0)
    for param in model.params():
        param.array = param.array.astype(np.float64)
    with chainer.using_config('dtype', np.float64):
        assert cost(model, *[None] * inputs, [x.astype(np.float64) for x in xs]
                    ) == expected


@pytest.mark.parametrize('function, shapes, expected', [
    (F.matmul, [(3, 4), (4, 5)], 60),
    (F.matmul, [(4,), (4,)], 4),
    (F.matmul, [(3, 4), (4,)], 12),
    (F.matmul, [(4,), (4, 5)], 20),
    (lambda a, b: F.matmul(a, b, True, True), [(2, 4, 3), (2, 5, 4)], 120),
    (F.matmul, [(2, 1, 3, 4), (7, 4, 5)], 14 * 60),
    (lambda a, b: F.tensordot(a, b, 2), [(2, 3, 4), (3, 4, 5)], 120),
    (lambda a, b: F.tensordot(a, b, ([0], [1])), [(2, 3), (5, 2)], 30),
    (lambda a, b: F.einsum('bij,bjk->bik', a, b), [(2, 3, 4), (2, 4, 5)], 120),
    (lambda a, b: F.einsum('...ij,jk->...k', a, b), [(2, 7, 3, 4), (4, 5)], 840),
    (lambda a: F.einsum('ij->i', a), [(3, 4)], 0),
    (F.relu, [(3, 4)], 0),
])
def test_functions_belong_to_the_chain_that_calls_them(function, shapes, expected):
    model = chainer.Chain(inner=Calls(function))
    model.forward = lambda *xs: model.inner(*xs)
    top, inner = chainer.summary(model, *[zeros(*s) for s in shapes]).layers
    assert (top.multiply_adds, inner.multiply_adds) == (0, expected)


@pytest.fixture
def no_random_weights(monkeypatch):
    for name in ('Normal', 'LeCunNormal', 'HeNormal'):
        monkeypatch.setattr(getattr(chainer.initializers, name), '__call__',
                            lambda self, array: array.fill(0))


def products(found):
    return sum(each.multiply_adds for each in found.layers
               if each.kind != 'BatchNormalization')


def test_known_networks(no_random_weights):
    images = zeros(1, 3, 224, 224)
    # He et al. 2016 tell 3.8e9 of it; with the stride in the 3x3 convolutions, as it is
    # used today, it is 4.09e9. Normalizations are not in these figures.
    found = chainer.summary(L.ResNet50Layers(None), images)
    assert found.parameters == 25557032 + 64     # conv1 has a bias here
    assert products(found) == 3857973248
    found = chainer.summary(L.ResNet50Layers(None, downsample_fb=True), images)
    assert products(found) == 4089184256
    assert found.multiply_adds - products(found) == 11113984
    # Simonyan and Zisserman 2015: 138 million parameters.
    found = chainer.summary(L.VGG16Layers(None), images)
    assert (found.parameters, found.multiply_adds) == (138357544, 15470264320)


class Everything(chainer.Chain):
    """Has all that a call can change."""

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.first = L.Linear(None, 4)
            self.norm = L.BatchNormalization(4)
            self.lazy_norm = L.BatchNormalization(axis=0)
            self.memory = L.LSTM(None, 4)
        self.listed = [self.first]
        self.seen, self.counts = [], {'calls': 0}
        self.add_persistent('total', np.zeros(4, np.float32))

    def forward(self, x):
        assert not (chainer.config.train or chainer.config.enable_backprop)
        self.seen.append(x)
        self.counts['calls'] += 1
        self.note = 'called'
        random.random()
        h = F.dropout(self.lazy_norm(self.norm(self.listed[0](x))))
        h += F.gaussian(h, h).array
        y = self.memory(self.memory(h))
        self.total += y.array.sum(axis=0)
        chainer.report({'mean': y.array.mean()}, self)
        return y


def state(model):
    arrays = {path: param.array for path, param in model.namedparams()}
    fields = {path: {**vars(link)} for path, link in model.namedlinks()}
    return copy.deepcopy((arrays, model.memory.h, model.seen, [
        (path, sorted(each), each.get('avg_mean'), each.get('total'))
        for path, each in fields.items()]))


@pytest.mark.parametrize('fails', [False, True])
def test_a_model_stays_as_it_is(device, fails):
    device.seed(0)
    random.seed(0)
    model = device.send(Everything())
    parts = dict(model.namedparams()), dict(model.namedlinks())
    before, python = state(model), random.getstate()
    numbers = copy.deepcopy(np.random.get_state())
    x = device.send(zeros(2, 5))
    if fails:
        model.memory.forward = None
        with pytest.raises(TypeError):
            chainer.summary(model, x)
        del model.memory.forward
    else:
        found = chainer.summary(model, x)
        assert found.uninitialized == 0
        by_path = {each.path: each for each in found.layers}
        assert by_path['/memory'].calls == 2
        assert by_path['/first'].parameters == 5 * 4 + 4
        assert by_path['/first'].outputs == [(2, 4)]
        assert by_path['/memory/lateral'].multiply_adds == 2 * 4 * 16
    np.testing.assert_equal(to_cpu(state(model)), to_cpu(before))
    assert random.getstate() == python
    np.testing.assert_equal(np.random.get_state(), numbers)
    assert (dict(model.namedparams()), dict(model.namedlinks())) == parts
    assert chainer.config.train and chainer.config.enable_backprop
    assert not model.first.W.is_initialized and model.memory.h is None
    assert model.counts == {'calls': 0} and model.listed[0] is model.first


@pytest.mark.gpu
def test_random_numbers_of_a_gpu_go_on():
    import cupy
    model = Calls(lambda x: F.gaussian(x, x))
    model.to_device('@cupy:0')
    cupy.random.seed(3)
    expected = cupy.random.random_sample(4).get()
    cupy.random.seed(3)
    chainer.summary(model, cupy.zeros((2, 3), 'f'))
    np.testing.assert_array_equal(cupy.random.random_sample(4).get(), expected)


def test_numbers_of_a_layer():
    shared = L.Linear(3, 3, nobias=True)
    model = chainer.Sequential(shared, F.relu, shared, L.Linear(3, 2).repeat(1))
    model.add_persistent('extra', 1)
    found = chainer.summary(model, zeros(5, 3))
    top, first, inner, last = found.layers
    assert [each.path for each in found.layers] == ['/', '/0', '/1', '/1/0']
    assert [each.kind for each in found.layers] == [
        'Sequential', 'Linear', 'Sequential', 'Linear']
    assert (first.calls, first.parameters, first.parameter_bytes) == (2, 9, 36)
    assert (first.multiply_adds, first.output_bytes) == (90, 120)
    assert (top.outputs, top.output_bytes, top.parameters) == ([(5, 2)], 0, 0)
    assert (inner.calls, inner.output_bytes, last.output_bytes) == (1, 0, 40)
    assert (found.parameters, found.parameter_bytes) == (17, 68)
    assert (found.output_bytes, found.multiply_adds) == (160, 120)


def test_a_parameter_of_two_links_counts_once():
    first, second = L.Linear(3, 3), L.Linear(3, 3, nobias=True)
    second.W = first.W
    found = chainer.summary(chainer.ChainList(first, second))
    assert [each.parameters for each in found.layers] == [0, 12, 0]


def test_inside_of_another_reporter():
    class Reports(chainer.Chain):
        def forward(self, x):
            chainer.report({'loss': x}, self)
            return {'y': (x, [x])}

    observed = chainer.Reporter()
    with observed:
        found = chainer.summary(Reports(), zeros(2))
    assert found.layers[0].outputs == [(2,), (2,)]
    assert observed.observation == {}


def test_static_chains_are_called():
    class Static(chainer.Chain):
        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.inner = L.Linear(3, 2)

        @chainer.static_graph
        def forward(self, x):
            return self.inner(x)

    model = Static()
    for _ in range(3):
        model(zeros(4, 3))
        assert cost(model, zeros(4, 3)) == 24


def test_without_inputs():
    found = chainer.summary(chainer.Chain(a=L.Linear(None, 4), b=L.Linear(4, 2)))
    assert repr(found) == '\n'.join([
        'link  class        parameters  memory', '/     Chain',
        '  a   Linear  not initialized    16 B',
        '  b   Linear               10    40 B',
        '', 'parameters: 14 (56 B)', '1 array not initialized'])
    assert found.multiply_adds == found.output_bytes == 0


def test_text_and_html():
    model = Calls(lambda x: x)
    model.name = '<x>'
    with model.init_scope():
        model.unused = L.Linear(3, 2)
    found = chainer.summary(model, zeros(2, 3))
    assert str(found) == repr(found) == '\n'.join([
        'link      class   output      parameters  multiply-adds  memory',
        '/         Calls   (2, 3)' + ' ' * 35 + '24 B',
        '  unused  Linear  not called           8                   32 B',
        '', 'parameters: 8 (32 B)', 'multiply-adds: 0', 'outputs: 24 B'])
    source = found._repr_html_()
    left, right = ['<td style="text-align:%s">' % side for side in ('left', 'right')]
    assert ('%s  unused</td>%sLinear</td>%snot called</td>%s8</td>' % (
        left, left, left, right)) in source
    assert source.count('<tr>') == 3 and 'parameters: 8 (32 B)<br>' in source


@pytest.mark.parametrize('model', [3, F.relu, L.Linear])
def test_other_objects(model):
    with pytest.raises(TypeError, match='needs a link'):
        chainer.summary(model, zeros(2))
