"""The steps in Chainer's interface, as its users write them.

A function of a row returns a step and a function that does a step and returns its loss;
for most rows they are the same.
"""
import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
from gpu import data as networks
from gpu.data import Numbers
from models import data


def linear(numbers, inputs, outputs):
    return L.Linear(inputs, outputs, initialW=numbers.weight(outputs, inputs))


def conv(numbers, inputs, outputs, kernel, stride=1, nobias=False):
    return L.Convolution2D(
        inputs, outputs, kernel, stride, (kernel - 1) // 2, nobias=nobias,
        initialW=numbers.weight(outputs, inputs, kernel, kernel))


def deconv(numbers, inputs, outputs, kernel, stride, nobias=False):
    return L.Deconvolution2D(
        inputs, outputs, kernel, stride, (kernel - 1) // 2, nobias=nobias,
        initialW=numbers.weight(inputs, outputs, kernel, kernel))


def train(model, optimizer, lossfun):
    """Return a training step."""
    optimizer.setup(model)

    def step():
        loss = lossfun()
        model.cleargrads()
        loss.backward()
        optimizer.update()
        return loss.array
    return step, step


# Images
#

class ConvBN(chainer.Chain):
    """A convolution, or a deconvolution, and a batch normalization."""

    def __init__(self, numbers, inputs, outputs, *sizes, link=conv):
        super().__init__()
        with self.init_scope():
            self.conv = link(numbers, inputs, outputs, *sizes, nobias=True)
            self.bn = L.BatchNormalization(outputs)

    def forward(self, x):
        return self.bn(self.conv(x))


class Bottleneck(chainer.Chain):

    def __init__(self, numbers, inputs, middle, outputs, stride):
        super().__init__()
        with self.init_scope():
            self.a = ConvBN(numbers, inputs, middle, 1, stride)
            self.b = ConvBN(numbers, middle, middle, 3)
            self.c = ConvBN(numbers, middle, outputs, 1)
            if inputs != outputs:
                self.shortcut = ConvBN(numbers, inputs, outputs, 1, stride)

    def forward(self, x):
        h = F.relu(self.a(x))
        h = F.relu(self.b(h))
        h = self.c(h)
        if hasattr(self, 'shortcut'):
            x = self.shortcut(x)
        return F.relu(h + x)


class ResNet(chainer.Chain):

    def __init__(self, numbers, width, blocks, classes):
        super().__init__()
        with self.init_scope():
            self.first = ConvBN(numbers, 3, width, 7, 2)
            self.blocks = chainer.Sequential(*[
                Bottleneck(numbers, *block)
                for block in networks.resnet_blocks(width, blocks)])
            self.last = linear(numbers, 4 * width * 2 ** (len(blocks) - 1), classes)

    def forward(self, x):
        h = F.relu(self.first(x))
        h = F.max_pooling_2d(h, 3, 2, 1, cover_all=False)
        h = self.blocks(h)
        h = F.average_pooling_2d(h, h.shape[2:])
        return self.last(h)


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


class Generator(chainer.Chain):

    def __init__(self, numbers, channels):
        super().__init__()
        self.channels = channels
        *middle, last = networks.dcgan_generator(channels)
        with self.init_scope():
            self.l0 = linear(numbers, 100, 16 * channels)
            self.bn0 = L.BatchNormalization(16 * channels)
            self.middle = chainer.ChainList(
                *[ConvBN(numbers, *layer, link=deconv) for layer in middle])
            self.last = deconv(numbers, *last)

    def forward(self, z):
        h = F.relu(self.bn0(self.l0(z)))
        h = F.reshape(h, (len(z), self.channels, 4, 4))
        for layer in self.middle:
            h = F.relu(layer(h))
        return F.sigmoid(self.last(h))


class Discriminator(chainer.Chain):

    def __init__(self, numbers, channels):
        super().__init__()
        first, *middle = networks.dcgan_discriminator(channels)
        with self.init_scope():
            self.first = conv(numbers, *first)
            self.middle = chainer.ChainList(
                *[ConvBN(numbers, *layer) for layer in middle])
            self.last = linear(numbers, 16 * channels, 1)

    def forward(self, x):
        h = F.leaky_relu(self.first(x))
        for layer in self.middle:
            h = F.leaky_relu(layer(h))
        return self.last(h)


def dcgan(batch, channels):
    numbers = Numbers()
    gen, dis = Generator(numbers, channels), Discriminator(numbers, channels)
    gen_optimizer, dis_optimizer = [
        chainer.optimizers.Adam(alpha=2e-4, beta1=0.5).setup(model)
        for model in (gen, dis)]
    z, x = numbers.input(batch, 100), numbers.input(batch, 3, 32, 32)

    def step():
        fake = gen(z)
        y_fake, y_real = dis(fake), dis(x)
        gen_loss = F.sum(F.softplus(-y_fake)) / batch
        gen_optimizer.update(lambda: gen_loss)
        fake.unchain_backward()
        dis_loss = (F.sum(F.softplus(-y_real)) + F.sum(F.softplus(y_fake))) / batch
        dis_optimizer.update(lambda: dis_loss)
        return gen_loss.array + dis_loss.array
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


class Block(chainer.Chain):
    """A block of a transformer, normalized before each part."""

    def __init__(self, numbers, d, heads):
        super().__init__()
        self.heads = heads
        with self.init_scope():
            self.ln1, self.ln2 = L.LayerNormalization(d), L.LayerNormalization(d)
            self.qkv, self.out = linear(numbers, d, 3 * d), linear(numbers, d, d)
            self.up, self.down = (
                linear(numbers, d, 4 * d), linear(numbers, 4 * d, d))

    def forward(self, x):
        batch, length, d = x.shape
        x = F.reshape(x, (batch * length, d))
        h = F.reshape(self.qkv(self.ln1(x)),
                      (batch, length, 3, self.heads, d // self.heads))
        q, k, v = F.separate(F.transpose(h, (2, 0, 3, 1, 4)))
        weights = F.softmax(
            F.matmul(q, k, transb=True) * (d / self.heads) ** -.5, axis=3)
        h = F.transpose(F.matmul(weights, v), (0, 2, 1, 3))
        x = x + self.out(F.reshape(h, (batch * length, d)))
        return x + self.down(F.relu(self.up(self.ln2(x))))


def transformer(batch, length, d, heads):
    numbers = Numbers()
    model = Block(numbers, d, heads)
    x = numbers.input(batch, length, d)
    return train(model, chainer.optimizers.Adam(),
                 lambda: F.mean(F.square(model(x))))


# Rows
#

class Perceptron(chainer.Chain):

    def __init__(self, numbers, sizes):
        super().__init__()
        with self.init_scope():
            self.l1, self.l2, self.l3 = [
                linear(numbers, a, b)
                for a, b in zip(sizes, sizes[1:], strict=False)]

    def forward(self, x):
        return self.l3(F.relu(self.l2(F.relu(self.l1(x)))))


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
