"""The steps in Chainer's interface, as its users write them.

A function of a row returns a step and a function that does a step and returns its loss;
for most rows they are the same.
"""
import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
from models import data
from networks.chainer_networks import (
    Block,
    ConvBN,
    Discriminator,
    Generator,
    Perceptron,
    ResNet,
    conv,
    dcgan_step,
    linear,
)
from networks.data import Numbers


def train(model, optimizer, lossfun):
    """Return a training step."""
    optimizer.setup(model)

    def step():
        loss = lossfun()
        model.cleargrads()
        loss.backward()
        optimizer.update()
        return loss.array
    step.optimizers = optimizer,
    return step, step


# Images
#

def resnet50_predict(batch, image, width, blocks, classes):
    numbers = Numbers()
    model = ResNet(numbers, width, blocks, classes)
    x = numbers.input(batch, 3, image, image)

    def step():
        with chainer.using_config('train', False), chainer.no_backprop_mode():
            return model(x).array
    return step, lambda: (step() ** 2).mean()


def resnet50(batch, image, width, blocks, classes):
    numbers = Numbers()
    model = ResNet(numbers, width, blocks, classes)
    x = numbers.input(batch, 3, image, image)
    t = numbers.labels(batch, classes)
    return train(model, chainer.optimizers.MomentumSGD(1e-6),
                 lambda: F.softmax_cross_entropy(model(x), t))


class VGG(chainer.Chain):

    def __init__(self, numbers, image, width, units, classes):
        super().__init__()
        channels, links = 3, []
        for i, count in enumerate((2, 2, 3, 3, 3)):
            for _ in range(count):
                outputs = width * min(8, 2 ** i)
                links += [conv(numbers, channels, outputs, 3), F.relu]
                channels = outputs
            links.append(lambda x: F.max_pooling_2d(x, 2))
        with self.init_scope():
            self.images = chainer.Sequential(*links)
            self.fc6 = linear(numbers, channels * (image // 32) ** 2, units)
            self.fc7 = linear(numbers, units, units)
            self.fc8 = linear(numbers, units, classes)

    def forward(self, x):
        h = F.relu(self.fc6(self.images(x)))
        return self.fc8(F.relu(self.fc7(h)))


def vgg16(batch, image, width, units, classes):
    numbers = data.HeNumbers()
    model = VGG(numbers, image, width, units, classes)
    x = numbers.input(batch, 3, image, image)
    t = numbers.labels(batch, classes)
    return train(model, chainer.optimizers.MomentumSGD(0.001),
                 lambda: F.softmax_cross_entropy(model(x), t))


def dcgan(batch, channels):
    numbers = Numbers()
    gen, dis = Generator(numbers, channels), Discriminator(numbers, channels)
    gen_optimizer, dis_optimizer = [
        chainer.optimizers.Adam(alpha=2e-4, beta1=0.5).setup(model)
        for model in (gen, dis)]
    z, x = numbers.input(batch, 100), numbers.input(batch, 3, 32, 32)
    step = dcgan_step(gen, dis, gen_optimizer, dis_optimizer, z, x)
    step.optimizers = gen_optimizer, dis_optimizer
    return step, step


class CNN(chainer.Chain):

    def __init__(self, numbers, image, channels, classes):
        super().__init__()
        with self.init_scope():
            self.layers = chainer.ChainList(*[
                ConvBN(numbers, a, b, 3)
                for a, b in zip((3, *channels), channels)])  # noqa: B905
            self.last = linear(
                numbers, channels[-1] * (image >> len(channels)) ** 2, classes)

    def forward(self, x):
        for layer in self.layers:
            x = F.max_pooling_2d(F.relu(layer(x)), 2)
        return self.last(x)


def cnn(batch, image, channels, classes):
    numbers = Numbers()
    model = CNN(numbers, image, channels, classes)
    x, t = numbers.input(batch, 3, image, image), numbers.labels(batch, classes)
    return train(model, chainer.optimizers.MomentumSGD(0.01),
                 lambda: F.softmax_cross_entropy(model(x), t))


# Sequences
#

def n_step_lstm(batch, units, length):
    numbers = Numbers()
    model = L.NStepLSTM(2, units, units, 0.)
    for layer in model:
        for i in range(8):
            getattr(layer, 'w%d' % i).array[...] = numbers.weight(units, units)
            getattr(layer, 'b%d' % i).array[...] = 0
    xs = [numbers.input(length, units) for _ in range(batch)]

    def lossfun():
        hy, _, ys = model(None, None, xs)
        return F.mean(F.square(hy)) + F.mean(F.square(F.concat(ys, axis=0)))
    return train(model, chainer.optimizers.SGD(0.1), lossfun)


class Language(chainer.Chain):
    """An LSTM that predicts the next word."""

    def __init__(self, numbers, words, units):
        super().__init__()
        with self.init_scope():
            self.embed = L.EmbedID(words, units, initialW=numbers.weight(words, units))
            self.lstm = L.LSTM(units, units, forget_bias_init=0)
            self.out = linear(numbers, units, words)
        for link in self.lstm.upward, self.lstm.lateral:
            # Input, forget and output gates and the candidate: units * (a, i, f, o).
            i, f, g, o = [numbers.weight(units, units) for _ in range(4)]
            link.W.array[...] = np.stack([g, i, f, o], 1).reshape(4 * units, units)

    def forward(self, x):
        return self.out(self.lstm(self.embed(x)))


def lstm_cells(batch, units, length, words):
    numbers = Numbers()
    model = Language(numbers, words, units)
    text = [numbers.labels(batch, words) for _ in range(length + 1)]

    def lossfun():
        model.lstm.reset_state()
        loss = 0
        for x, t in zip(text[:-1], text[1:], strict=False):
            loss += F.softmax_cross_entropy(model(x), t)
        return loss / length
    return train(model, chainer.optimizers.SGD(1.), lossfun)


def transformer(batch, length, d, heads):
    numbers = Numbers()
    model = Block(numbers, d, heads)
    x = numbers.input(batch, length, d)
    return train(model, chainer.optimizers.Adam(),
                 lambda: F.mean(F.square(model(x))))


# Rows
#

def perceptron(batch, sizes):
    numbers = Numbers()
    model = Perceptron(numbers, sizes)
    x, t = numbers.input(batch, sizes[0]), numbers.labels(batch, sizes[-1])
    return train(model, chainer.optimizers.Adam(),
                 lambda: F.softmax_cross_entropy(model(x), t))


class SkipGram(chainer.Chain):

    def __init__(self, numbers, words, d, counts, samples):
        super().__init__()
        with self.init_scope():
            self.embed = L.EmbedID(words, d, initialW=numbers.weight(words, d))
            self.loss = L.NegativeSampling(d, counts, samples)
        self.loss.W.array[...] = numbers.weight(words, d)

    def forward(self, x, contexts):
        e = self.embed(contexts)
        batch, n_contexts, d = e.shape
        x = F.broadcast_to(x[:, None], (batch, n_contexts))
        e = F.reshape(e, (batch * n_contexts, d))
        return self.loss(e, F.reshape(x, (batch * n_contexts,))) / batch


def skip_gram(batch, contexts, words, d, samples):
    numbers = Numbers()
    counts, x, others, drawn = data.skip_gram(batch, contexts, words, samples)
    model = SkipGram(numbers, words, d, counts, samples)
    step, _ = train(model, chainer.optimizers.SGD(0.05), lambda: model(x, others))

    def check():
        sampler = model.loss.sampler
        model.loss.sampler = data.Drawn(drawn)
        try:
            return step()
        finally:
            model.loss.sampler = sampler
    return step, check
