"""The steps in Chainer's interface, as its users write them."""
import numpy as np

import chainer_fast as chainer
import chainer_fast.functions as F
import chainer_fast.links as L
from benchmarks.gpu import data
from chainer_fast.backends import cuda


class ConvBN(chainer.Chain):
    """A convolution without bias, and a batch normalization."""

    def __init__(self, numbers, inputs, outputs, kernel, stride=1, transposed=False):
        super().__init__()
        link, shape = L.Convolution2D, (outputs, inputs, kernel, kernel)
        if transposed:
            link, shape = L.Deconvolution2D, (inputs, outputs, kernel, kernel)
        with self.init_scope():
            self.conv = link(inputs, outputs, kernel, stride, (kernel - 1) // 2,
                             nobias=True, initialW=numbers.weight(*shape))
            self.bn = L.BatchNormalization(outputs)

    def forward(self, x):
        return self.bn(self.conv(x))


class Bottleneck(chainer.Chain):

    def __init__(self, numbers, inputs, middle, outputs, stride):
        super().__init__()
        with self.init_scope():
            self.a = ConvBN(numbers, inputs, middle, 1)
            self.b = ConvBN(numbers, middle, middle, 3, stride)
            self.c = ConvBN(numbers, middle, outputs, 1)
            self.shortcut = (
                ConvBN(numbers, inputs, outputs, 1, stride)
                if inputs != outputs or stride != 1 else chainer.Sequential())

    def forward(self, x):
        h = self.c(F.relu(self.b(F.relu(self.a(x)))))
        return F.relu(h + self.shortcut(x))


class ResNet(chainer.Chain):

    def __init__(self, numbers, width, blocks, classes):
        super().__init__()
        with self.init_scope():
            self.first = ConvBN(numbers, 3, width, 7, 2)
            self.blocks = chainer.Sequential(*[
                Bottleneck(numbers, *block)
                for block in data.resnet_blocks(width, blocks)])
            outputs = 4 * width * 2 ** (len(blocks) - 1)
            self.last = L.Linear(
                outputs, classes, initialW=numbers.weight(classes, outputs))

    def forward(self, x):
        h = F.max_pooling_2d(F.relu(self.first(x)), 3, 2, 1, cover_all=False)
        return self.last(F.mean(self.blocks(h), axis=(2, 3)))


class Generator(chainer.Chain):

    def __init__(self, numbers, channels):
        super().__init__()
        self.channels = channels
        layers = data.dcgan_generator(channels)
        with self.init_scope():
            self.l0 = L.Linear(
                100, 16 * channels, initialW=numbers.weight(16 * channels, 100))
            self.bn0 = L.BatchNormalization(16 * channels)
            self.middle = chainer.ChainList(
                *[ConvBN(numbers, *layer, transposed=True) for layer in layers[:-1]])
            inputs, outputs, kernel, stride = layers[-1]
            self.last = L.Deconvolution2D(
                inputs, outputs, kernel, stride, 1,
                initialW=numbers.weight(inputs, outputs, kernel, kernel))

    def forward(self, z):
        h = F.relu(self.bn0(self.l0(z)))
        h = F.reshape(h, (len(z), self.channels, 4, 4))
        for layer in self.middle:
            h = F.relu(layer(h))
        return F.sigmoid(self.last(h))


class Discriminator(chainer.Chain):

    def __init__(self, numbers, channels):
        super().__init__()
        layers = data.dcgan_discriminator(channels)
        with self.init_scope():
            inputs, outputs, kernel, stride = layers[0]
            self.first = L.Convolution2D(
                inputs, outputs, kernel, stride, 1,
                initialW=numbers.weight(outputs, inputs, kernel, kernel))
            self.middle = chainer.ChainList(
                *[ConvBN(numbers, *layer) for layer in layers[1:]])
            self.last = L.Linear(
                16 * channels, 1, initialW=numbers.weight(1, 16 * channels))

    def forward(self, x):
        h = F.leaky_relu(self.first(x))
        for layer in self.middle:
            h = F.leaky_relu(layer(h))
        return self.last(h)


class Perceptron(chainer.Chain):

    def __init__(self, numbers, sizes):
        super().__init__()
        with self.init_scope():
            self.l1, self.l2, self.l3 = [
                L.Linear(a, b, initialW=numbers.weight(b, a))
                for a, b in zip(sizes[:-1], sizes[1:], strict=True)]

    def forward(self, x):
        return self.l3(F.relu(self.l2(F.relu(self.l1(x)))))


class Block(chainer.Chain):
    """A block of a transformer, normalized before each part."""

    def __init__(self, numbers, d, heads):
        super().__init__()
        self.heads = heads

        def linear(a, b):
            return L.Linear(a, b, initialW=numbers.weight(b, a))

        with self.init_scope():
            self.ln1, self.ln2 = L.LayerNormalization(d), L.LayerNormalization(d)
            self.qkv, self.out = linear(d, 3 * d), linear(d, d)
            self.up, self.down = linear(d, 4 * d), linear(4 * d, d)

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


class Small(chainer.Chain):
    """A chain of 3 times as many small functions as it is long."""

    def __init__(self, numbers, chain):
        super().__init__()
        self.length = chain
        with self.init_scope():
            self.w = chainer.Parameter(numbers.input(8, 8))
            self.b = chainer.Parameter(numbers.input(8, 8))

    def forward(self, x):
        for _ in range(self.length):
            x = (F.tanh(x) + self.b) * self.w
        return x


class StaticSmall(Small):

    @chainer.static_graph
    def forward(self, x):
        return super().forward(x)


class Side:
    """The steps on a device, in one type of numbers.

    Parameters
    ----------
    mode : {'float32', 'tf32', 'float16'}
        ``'float16'`` keeps float32 copies of the parameters, and scales the loss.
    device : str

    Attributes
    ----------
    settings : dict
        What the configuration has to be while steps run. For ``'tf32'`` the environment
        needs ``CUPY_TF32=1``, too.
    """

    def __init__(self, mode='float32', device='@cupy:0'):
        self.mode = mode
        self.device = chainer.get_device(device)
        self.settings = {
            'dtype': chainer.mixed16 if mode == 'float16' else np.float32,
            'use_cudnn_tensor_core': 'always' if mode == 'tf32' else 'auto',
            'autotune': True}

    def use(self):
        """Make device and configuration those of this side for good."""
        self.device.use()
        for name, value in self.settings.items():
            setattr(chainer.global_config, name, value)

    def make(self, row, arguments):
        """Return a step: a function that returns the loss, on the device."""
        self.numbers = data.Numbers()
        return getattr(self, row)(**arguments)

    def send(self, array):
        if self.mode == 'float16' and array.dtype.kind == 'f':
            array = array.astype(np.float16)
        return self.device.send(array)

    def optimize(self, model, optimizer):
        model.to_device(self.device)
        if self.mode == 'float16':
            optimizer.use_fp32_update()
            optimizer.loss_scaling()
        return optimizer.setup(model)

    def train(self, model, optimizer, lossfun):
        optimizer = self.optimize(model, optimizer)

        last = [None]

        def remember():
            loss = lossfun()
            last[0] = loss.array
            return loss

        def step():
            optimizer.update(remember)
            return last[0]
        return step

    def resnet50(self, batch, image, width, blocks, classes):
        model = ResNet(self.numbers, width, blocks, classes)
        x = self.send(self.numbers.input(batch, 3, image, image))
        t = self.send(self.numbers.labels(batch, classes))
        return self.train(model, chainer.optimizers.MomentumSGD(0.01),
                          lambda: F.softmax_cross_entropy(model(x), t))

    def dcgan(self, batch, channels):
        gen = Generator(self.numbers, channels)
        dis = Discriminator(self.numbers, channels)
        gen_optimizer, dis_optimizer = [
            self.optimize(model, chainer.optimizers.Adam(alpha=2e-4, beta1=.5))
            for model in (gen, dis)]
        z = self.send(self.numbers.input(batch, 100))
        x = self.send(self.numbers.input(batch, 3, 32, 32))

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

    def lstm(self, batch, units, steps):
        model = L.NStepLSTM(2, units, units, 0.)
        for layer in model:
            for name in ['w%d' % i for i in range(8)]:
                getattr(layer, name).array[...] = self.numbers.weight(units, units)
            for name in ['b%d' % i for i in range(8)]:
                getattr(layer, name).array[...] = 0
        xs = [self.send(self.numbers.input(steps, units)) for _ in range(batch)]

        def lossfun():
            hy, _, ys = model(None, None, xs)
            return F.mean(F.square(hy)) + F.mean(F.square(F.concat(ys, axis=0)))
        return self.train(model, chainer.optimizers.SGD(.1), lossfun)

    def perceptron(self, batch, sizes):
        model = Perceptron(self.numbers, sizes)
        x = self.send(self.numbers.input(batch, sizes[0]))
        t = self.send(self.numbers.labels(batch, sizes[-1]))
        return self.train(model, chainer.optimizers.Adam(),
                          lambda: F.softmax_cross_entropy(model(x), t))

    def transformer(self, batch, length, d, heads):
        model = Block(self.numbers, d, heads)
        x = self.send(self.numbers.input(batch, length, d))
        return self.train(model, chainer.optimizers.Adam(),
                          lambda: F.mean(F.square(model(x))))

    def small(self, chain, model_class=Small):
        model = model_class(self.numbers, chain)
        model.to_device(self.device)
        x = self.send(self.numbers.input(8, 8))
        one = self.send(np.ones((8, 8), 'f'))

        def step():
            model.cleargrads()
            y = model(x)
            y.grad = one
            y.backward()
            return y.array.sum()
        return step

    def small_static(self, chain):
        return self.small(chain, StaticSmall)

    def embedding(self, batch, words, d, samples):
        embed = L.EmbedID(words, d, initialW=self.numbers.weight(words, d))
        counts = 1 + self.numbers.labels(words, 1000)
        model = chainer.Sequential(embed, L.NegativeSampling(d, counts, samples))
        x, t = [self.send(self.numbers.labels(batch, words)) for _ in range(2)]
        return self.train(model, chainer.optimizers.SGD(.1),
                          lambda: model[1](embed(x), t) / batch)

    def functions(self, step):
        """Return how many functions a step applies."""
        counter = _Counter()
        with counter:
            step()
        return counter.count

    # Time and memory
    #

    def event(self):
        event = cuda.Event()
        event.record()
        return event

    def elapsed(self, start, stop):
        """Return the seconds from an event to another, and wait for it."""
        stop.synchronize()
        return cuda.cupy.cuda.get_elapsed_time(start, stop) / 1000

    def synchronize(self):
        cuda.Device().synchronize()

    def release(self):
        """Give all memory back that no array uses."""
        cuda.memory_pool.free_all_blocks()

    def peak(self):
        """Return the bytes that the pool took from the device since it was released."""
        return cuda.memory_pool.total_bytes()

    def versions(self):
        properties = cuda.cupy.cuda.runtime.getDeviceProperties(0)
        return {
            'chainer_fast': chainer.__version__, 'cupy': cuda.cupy.__version__,
            'card': properties['name'].decode(),
            'driver': cuda.cupy.cuda.runtime.driverGetVersion(),
            'cudnn': chainer.should_use_cudnn('>=auto')}


class _Counter(chainer.FunctionHook):
    """Hook that counts functions."""

    name = 'Counter'
    count = 0

    def forward_postprocess(self, function, in_data):
        self.count += 1
