"""The steps in Chainer's interface, as its users write them."""
import numpy as np

import chainer_fast as chainer
import chainer_fast.functions as F
import chainer_fast.links as L
from chainer_fast import alias
from chainer_fast.backends import cuda

alias.install()

from benchmarks.networks import chainer_networks as networks  # noqa: E402
from benchmarks.networks import data  # noqa: E402


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
        model = networks.ResNet(self.numbers, width, blocks, classes)
        x = self.send(self.numbers.input(batch, 3, image, image))
        t = self.send(self.numbers.labels(batch, classes))
        return self.train(model, chainer.optimizers.MomentumSGD(0.01),
                          lambda: F.softmax_cross_entropy(model(x), t))

    def resnet50_last(self, **arguments):
        return chainer.using_config('cudnn_channels_last', True)(
            self.resnet50(**arguments))

    def dcgan(self, batch, channels):
        gen = networks.Generator(self.numbers, channels)
        dis = networks.Discriminator(self.numbers, channels)
        gen_optimizer, dis_optimizer = [
            self.optimize(model, chainer.optimizers.Adam(alpha=2e-4, beta1=.5))
            for model in (gen, dis)]
        z = self.send(self.numbers.input(batch, 100))
        x = self.send(self.numbers.input(batch, 3, 32, 32))
        return networks.dcgan_step(gen, dis, gen_optimizer, dis_optimizer, z, x)

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
        model = networks.Perceptron(self.numbers, sizes)
        x = self.send(self.numbers.input(batch, sizes[0]))
        t = self.send(self.numbers.labels(batch, sizes[-1]))
        return self.train(model, chainer.optimizers.Adam(),
                          lambda: F.softmax_cross_entropy(model(x), t))

    def transformer(self, batch, length, d, heads):
        model = networks.Block(self.numbers, d, heads)
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
