"""Classes as users wrote them, which the pickles of old files name.

This and the other modules here run on Python 2.7 and later, and with Chainer 1.24 and
later, so they use no newer features.
"""
import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np

VERSION = int(chainer.__version__.split('.')[0])


def normalized(norm, x):
    """Apply batch normalization with the averages."""
    if VERSION == 1:
        return norm(x, test=True)
    with chainer.using_config('train', False):
        return norm(x)


class Perceptron(chainer.Chain):

    def __init__(self):
        super(Perceptron, self).__init__(       # noqa: UP008    Python 2.7
            l1=L.Linear(3, 4), l2=L.Linear(4, 2))

    def __call__(self, x):
        return self.l2(F.tanh(self.l1(x)))


class ConvNet(chainer.Chain):

    def __init__(self):
        super(ConvNet, self).__init__(          # noqa: UP008
            conv=L.Convolution2D(1, 2, 3, pad=1), norm=L.BatchNormalization(2),
            out=L.Linear(18, 2))

    def __call__(self, x):
        h = F.relu(normalized(self.norm, self.conv(x)))
        return self.out(F.max_pooling_2d(h, 2))


class Language(chainer.Chain):

    def __init__(self):
        super(Language, self).__init__(         # noqa: UP008
            embed=L.EmbedID(5, 3), lstm=L.LSTM(3, 4), out=L.Linear(4, 5))

    def __call__(self, x):
        return self.out(self.lstm(self.embed(x)))


class Nested(chainer.Chain):

    def __init__(self):
        super(Nested, self).__init__(           # noqa: UP008
            first=Perceptron(),
            rest=chainer.ChainList(L.Linear(2, 3), Perceptron(), L.Linear(2, 1)))

    def __call__(self, x):
        h = self.first(x)
        for link in self.rest:
            h = link(h)
        return h


class Counted(chainer.Chain):
    """A model with values that are saved and not learned."""

    def __init__(self):
        super(Counted, self).__init__(l=L.Linear(3, 2))     # noqa: UP008
        self.add_persistent('n_calls', 0)
        self.add_persistent('scale', 1.5)
        self.add_persistent('mean', np.zeros(3, np.float32))

    def __call__(self, x):
        return self.l(x - self.mean) * self.scale


class OwnLink(chainer.Link):
    """A link whose parameters are added by ``add_param``."""

    def __init__(self):
        super(OwnLink, self).__init__()         # noqa: UP008
        if VERSION == 1:
            self.add_param('W', (2, 3))
            self.add_param('b', 2)
            self.W.data[...] = 0
            self.b.data[...] = 0
        else:
            with self.init_scope():
                self.W = chainer.Parameter(0, (2, 3))
                self.b = chainer.Parameter(0, 2)

    def __call__(self, x):
        return F.linear(x, self.W, self.b)


class Lazy(chainer.Chain):
    """A model whose second layer has no shape before the first call."""

    def __init__(self):
        super(Lazy, self).__init__(             # noqa: UP008
            l1=L.Linear(3, 4), l2=L.Linear(None, 2))

    def __call__(self, x):
        return self.l2(F.relu(self.l1(x)))


class Saved(object):        # noqa: UP004
    """An optimizer and its model, saved together."""

    def __init__(self, optimizer):
        self.optimizer = optimizer
        self.model = optimizer.target

    def serialize(self, serializer):
        self.model.serialize(serializer['model'])
        self.optimizer.serialize(serializer['optimizer'])


class Recorder(object):     # noqa: UP004
    """An extension that keeps the loss and the learning rate of each iteration."""

    trigger = 1, 'iteration'
    priority = 50
    invoke_before_training = False
    name = 'Recorder'

    def __init__(self):
        self.rows = []

    def __call__(self, trainer):
        loss = trainer.observation['main/loss']
        self.rows.append([
            float(getattr(loss, 'data', loss)),
            float(trainer.updater.get_optimizer('main').lr)])


class Nowhere(object):     # noqa: UP004
    """A file of which nothing is kept."""

    def write(self, text):
        pass

    def flush(self):
        pass


def doubled(row):
    """The function of a TransformDataset."""
    return row[0] * 2, row[1]
