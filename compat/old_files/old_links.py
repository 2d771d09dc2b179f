"""Models and links of the old files: how they are made, and what they compute."""
import contextlib
import functools

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
import old_models
from old_models import VERSION


def values(*shape):
    """Return numbers that look random, float32."""
    count = np.arange(int(np.prod(shape)), dtype=np.float32)
    return np.cos(count * 1.7 + .3).reshape(shape).astype(np.float32)


def words(*shape):
    """Return labels from 0 to 4, int32."""
    count = np.arange(int(np.prod(shape)))
    return (count * 7 % 5).reshape(shape).astype(np.int32)


def plain(value):
    """Return arrays, variables and sequences of them as numbers and lists."""
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    if isinstance(value, chainer.Variable):
        value = value.data
    if value is None:
        return None
    return _short(np.asarray(value).tolist())


def _short(value):
    """Return floats with the digits that distinguish float32 numbers."""
    if isinstance(value, list):
        return [_short(item) for item in value]
    return float('%.9g' % value) if isinstance(value, float) else value


def contents(link):
    """Return parameters and persistent values by path."""
    found = {}
    for path, part in link.namedlinks():
        path = path.rstrip('/')
        for name in part._persistent:
            found[path + '/' + name] = plain(getattr(part, name))
    for path, param in link.namedparams():
        found[path] = plain(param)
    return found


@contextlib.contextmanager
def testing():
    if VERSION == 1:
        yield
    else:
        with chainer.using_config('train', False):
            yield


class Model(object):        # noqa: UP004
    """A model that computes something of given inputs.

    The inputs are the arguments of each call; a call before saving leaves a state in
    those that have one.
    """

    formats = 'npz', 'h5', 'pickle'

    def __init__(self, make, inputs, call=None):
        self._make = make
        self.inputs = inputs
        self.call = call or (lambda link, *inputs: link(*inputs))

    def target(self):
        return self._make()

    def compute(self, link):
        """Return the output of a call of the link on the inputs."""
        if self.inputs is None:
            return None
        np.random.seed(3)
        with testing():
            return plain(self.call(link, *[
                chainer.Variable(x) if isinstance(x, np.ndarray) else x
                for x in self.inputs]))

    def make(self):
        np.random.seed(1)
        link = self._make()
        if getattr(link, 'avg_var', None) is not None:
            link.avg_mean[...] = .1
            link.avg_var[...] = 1.7
        if VERSION > 1 or all(
                param.data is not None for param in link.params()):
            link.cleargrads()
        return link

    def facts(self, link):
        return {'class': type(link).__name__, 'values': contents(link),
                'output': self.compute(link)}


class Part(Model):
    """A link that is in models."""

    formats = 'npz', 'pickle'


class Stateful(Model):
    """A model with a state, which only pickles keep."""

    formats = ('pickle',)

    def make(self):
        link = super(Stateful, self).make()     # noqa: UP008    Python 2.7
        self.compute(link)
        return link


def in_test_mode(link, *inputs):
    return link(*inputs, **({'test': True} if VERSION == 1 else {}))


def without_dropout(link, *inputs):
    return link(*inputs, **({'train': False} if VERSION == 1 else {}))




def counted():
    model = old_models.Counted()
    model.n_calls = 12
    model.scale = .25
    model.mean[...] = [1, 2, 3]
    return model


def own_link():
    link = old_models.OwnLink()
    link.W.data[...] = [[1, 2, 3], [4, 5, 6]]
    return link


class FunctionSet(Model):
    """A model of version 1; its values go into a chain of later ones."""

    def __init__(self):
        pass

    inputs = [values(2, 3)]

    def call(self, model, x):
        return model.l2(F.sigmoid(model.l1(x)))

    def _make(self):
        if VERSION == 1:
            return chainer.FunctionSet(l1=F.Linear(3, 4), l2=F.Linear(4, 2))
        return chainer.Chain(l1=L.Linear(3, 4), l2=L.Linear(4, 2))

    def facts(self, link):
        return {key: fact for key, fact in super(        # noqa: UP008
            FunctionSet, self).facts(link).items() if key != 'class'}


def sequential():
    return chainer.Sequential(L.Linear(3, 4), F.relu, L.Linear(4, 2))


def classifier():
    return L.Classifier(old_models.Perceptron())


_X, _IMAGE = values(2, 3), values(1, 2, 5, 5)
_STEPS = [values(3, 3), values(2, 3)]

# name: (class, arguments, inputs), and how it is called if it is not plainly. Named
# arguments stand in a dictionary behind the others.
_LINKS = {
    'BatchNormalization': ('BatchNormalization', (3,), (_X,), in_test_mode),
    'Bias': ('Bias', (1, (3,)), (_X,)),
    'BinaryHierarchicalSoftmax': ('BinaryHierarchicalSoftmax', (
        3, ((0, 1), (2, (3, 4)))), (_X, words(2))),
    'Bilinear': ('Bilinear', (3, 2, 2), (_X, values(2, 2))),
    'CRF1d': ('CRF1d', (5,), ([values(2, 5), values(2, 5)],
                              [words(2), words(2)])),
    'ChildSumTreeLSTM': ('ChildSumTreeLSTM', (3, 2), (
        values(2, 2), values(2, 2), values(2, 2), values(2, 2), _X)),
    'Convolution2D': ('Convolution2D', (2, 2, 3), (_IMAGE,)),
    # In version 1 there was no bias without an initial one.
    'ConvolutionND': ('ConvolutionND', (1, 2, 2, 3, {'initial_bias': 0}), (
        values(1, 2, 5),)),
    'Deconvolution2D': ('Deconvolution2D', (2, 2, 3, 2, 1), (_IMAGE,)),
    'DeconvolutionND': ('DeconvolutionND', (1, 2, 2, 3), (values(1, 2, 5),)),
    'DeformableConvolution2D': ('DeformableConvolution2D', (2, 2, 3), (_IMAGE,)),
    'DepthwiseConvolution2D': ('DepthwiseConvolution2D', (2, 2, 3), (_IMAGE,)),
    'DilatedConvolution2D': ('DilatedConvolution2D', (2, 2, 2, 1, 0, 2), (_IMAGE,)),
    'EmbedID': ('EmbedID', (5, 3), (words(2, 2),)),
    'GroupNormalization': ('GroupNormalization', (2,), (values(1, 4, 3, 3),)),
    'Highway': ('Highway', (3,), (_X,)),
    'Inception': ('Inception', (2, 1, 1, 1, 1, 1, 1), (_IMAGE,)),
    'LayerNormalization': ('LayerNormalization', (3,), (_X,)),
    'Linear': ('Linear', (3, 2), (_X,)),
    'LinearWithoutBias': ('Linear', (3, 2, {'nobias': True}), (_X,)),
    'LocalConvolution2D': ('LocalConvolution2D', (2, 2, 5, 3), (_IMAGE,)),
    'MLPConvolution2D': ('MLPConvolution2D', (2, (2, 2), 3), (_IMAGE,)),
    'Maxout': ('Maxout', (3, 2, 2), (_X,)),
    'PReLU': ('PReLU', (), (_X,)),
    'Scale': ('Scale', (1, (3,)), (_X,)),
    'Swish': ('Swish', (None,), (_X,)),
    'NStepGRU': ('NStepGRU', (2, 3, 2, .5), (None, _STEPS), without_dropout),
    'NStepLSTM': ('NStepLSTM', (1, 3, 2, .5), (
        values(1, 2, 2), values(1, 2, 2), _STEPS), without_dropout),
    'NStepBiLSTM': ('NStepBiLSTM', (1, 3, 2, 0.), (
        values(2, 2, 2), values(2, 2, 2), _STEPS), without_dropout),
    'NStepRNNTanh': ('NStepRNNTanh', (1, 3, 2, 0.), (None, _STEPS), without_dropout),
    'NaryTreeLSTM': ('NaryTreeLSTM', (3, 2), (
        values(2, 2), values(2, 2), values(2, 2), values(2, 2), _X)),
    'Parameter': ('Parameter', (values(2, 2),), ()),
    'StatelessMGU': ('StatelessMGU', (3, 2), (values(2, 2), _X)),
    'StatelessGRU': ('StatelessGRU', (3, 2), (values(2, 2), _X)),
    'BatchRenormalization': ('BatchRenormalization', (3,), (_X,), in_test_mode),
    'DecorrelatedBatchNormalization': ('DecorrelatedBatchNormalization', (4,), (
        values(3, 4),)),
    'InceptionBN': ('InceptionBN', (2, 1, 1, 1, 1, 1, 'max', 1), None),
    'StatelessLSTM': ('StatelessLSTM', (3, 2), (values(2, 2), values(2, 2), _X)),
    # These are not computed: they draw random numbers.
    'BlackOut': ('BlackOut', (3, [4, 3, 2, 1, 1], 2), None),
    'NegativeSampling': ('NegativeSampling', (3, [4, 3, 2, 1, 1], 2), None),
    'SimplifiedDropconnect': ('SimplifiedDropconnect', (3, 2), None),
}
_STATEFUL = 'LSTM', 'StatefulGRU', 'StatefulMGU', 'StatefulPeepholeLSTM'


def cases():
    """Return the cases that this version of Chainer has, by name."""
    found = {
        'perceptron': Model(old_models.Perceptron, [_X]),
        'convnet': Model(old_models.ConvNet, [values(1, 1, 6, 6)]),
        'language': Stateful(old_models.Language, [words(2)]),
        'nested': Model(old_models.Nested, [_X]),
        'counted': Model(counted, [_X]),
        'own_link': Model(own_link, [_X]),
        'classifier': Model(classifier, [_X, words(2) % 2]),
        'function_set': FunctionSet(),
        'lazy': Model(old_models.Lazy, None),
    }
    if hasattr(chainer, 'Sequential'):
        found['sequential'] = Model(sequential, [_X])
    for name, case in _LINKS.items():
        if hasattr(L, case[0]):
            args = case[1]
            named = args[-1] if args and isinstance(args[-1], dict) else {}
            make = functools.partial(
                getattr(L, case[0]), *args[:len(args) - bool(named)], **named)
            found['links.' + name] = Part(make, *case[2:])
    for name in _STATEFUL:
        if hasattr(L, name):
            found['links.' + name] = Stateful(
                functools.partial(getattr(L, name), 3, 2), [_X])
    return found
