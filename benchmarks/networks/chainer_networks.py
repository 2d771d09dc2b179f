"""Networks in Chainer's interface, as its users write them."""
import chainer
import chainer.functions as F
import chainer.links as L

from . import data


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
                for block in data.resnet_blocks(width, blocks)])
            self.last = linear(numbers, 4 * width * 2 ** (len(blocks) - 1), classes)

    def forward(self, x):
        h = F.relu(self.first(x))
        h = F.max_pooling_2d(h, 3, 2, 1, cover_all=False)
        h = self.blocks(h)
        h = F.average_pooling_2d(h, h.shape[2:])
        return self.last(h)


class Generator(chainer.Chain):

    def __init__(self, numbers, channels):
        super().__init__()
        self.channels = channels
        *middle, last = data.dcgan_generator(channels)
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
        first, *middle = data.dcgan_discriminator(channels)
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


def dcgan_step(gen, dis, gen_optimizer, dis_optimizer, z, x):
    """Return a function that trains both networks once and returns their loss."""
    batch = len(x)

    def step():
        fake = gen(z)
        y_fake, y_real = dis(fake), dis(x)
        gen_loss = F.sum(F.softplus(-y_fake)) / batch
        gen_optimizer.update(lambda: gen_loss)
        fake.unchain_backward()
        dis_loss = (F.sum(F.softplus(-y_real)) + F.sum(F.softplus(y_fake))) / batch
        dis_optimizer.update(lambda: dis_loss)
        return gen_loss.array + dis_loss.array
    return step


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


class Perceptron(chainer.Chain):

    def __init__(self, numbers, sizes):
        super().__init__()
        with self.init_scope():
            self.l1, self.l2, self.l3 = [
                linear(numbers, a, b)
                for a, b in zip(sizes, sizes[1:], strict=False)]

    def forward(self, x):
        return self.l3(F.relu(self.l2(F.relu(self.l1(x)))))
