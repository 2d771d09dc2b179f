"""Trainings on pictures: mnist, cifar, vae and dcgan."""
import chainer
import chainer.distributions as D
import chainer.functions as F
import chainer.links as L
import numpy as np
from steps import observed, standard, trained_by


class Perceptron(chainer.Chain):

    def __init__(self, units, classes):
        super().__init__()
        with self.init_scope():
            self.l1 = L.Linear(None, units)
            self.l2 = L.Linear(None, units)
            self.l3 = L.Linear(None, classes)

    def forward(self, x):
        return self.l3(F.relu(self.l2(F.relu(self.l1(x)))))


def mnist(data, dtype):
    images = data['digits'].reshape(-1, 64).astype(dtype)
    model = L.Classifier(Perceptron(32, 10))
    optimizer = trained_by(chainer.optimizers.Adam(), model)
    examples = chainer.datasets.TupleDataset(images, data['labels'])
    return standard(examples, 32, optimizer), [model]


class VGG(chainer.Chain):
    """Stages of 3 x 3 convolutions, a pooling after each; two layers on top."""

    stages = (1, 1), (2, 2), (4, 4, 4), (8, 8, 8), (8, 8, 8)

    def __init__(self, width, classes):
        super().__init__()
        sizes = [width * size for stage in self.stages for size in stage]
        with self.init_scope():
            self.convs = chainer.ChainList(*[
                L.Convolution2D(None, size, 3, pad=1, nobias=True) for size in sizes])
            self.norms = chainer.ChainList(*[
                L.BatchNormalization(size) for size in sizes])
            self.fc1 = L.Linear(None, 8 * width, nobias=True)
            self.bn_fc1 = L.BatchNormalization(8 * width)
            self.fc2 = L.Linear(None, classes, nobias=True)

    def forward(self, h):
        layers = iter(zip(self.convs, self.norms, strict=True))
        for number, stage in enumerate(self.stages):
            for place in range(len(stage)):
                if place:
                    h = F.dropout(h, .4 if number else .3)
                conv, norm = next(layers)
                h = F.relu(norm(conv(h)))
            h = F.max_pooling_2d(h, 2, 2)
        h = F.relu(self.bn_fc1(self.fc1(F.dropout(h, .5))))
        return self.fc2(F.dropout(h, .5))


def cifar(data, dtype):
    model = L.Classifier(VGG(4, 10))
    optimizer = trained_by(chainer.optimizers.MomentumSGD(.05), model,
                           chainer.optimizer_hooks.WeightDecay(5e-4))
    examples = chainer.datasets.TupleDataset(
        pictures(data).astype(dtype), data['labels'][:200])
    return standard(examples, 16, optimizer), [model]


def pictures(data):
    """Return some digits as images of three colors and 32 x 32 points."""
    images = data['digits'][:200].reshape(-1, 1, 8, 8)
    images = images.repeat(4, axis=2).repeat(4, axis=3)
    return images * np.array([1, .7, .4]).reshape(3, 1, 1)


class AutoEncoder(chainer.Chain):
    """The variational one; calling it gives its loss."""

    def __init__(self, inputs, hidden, latent):
        super().__init__()
        with self.init_scope():
            self.encode = L.Linear(inputs, hidden)
            self.mu = L.Linear(hidden, latent)
            self.ln_sigma = L.Linear(hidden, latent)
            self.decode = L.Linear(latent, hidden)
            self.output = L.Linear(hidden, inputs)
        self.prior = (np.zeros(latent, chainer.get_dtype()),
                      np.ones(latent, chainer.get_dtype()))

    def forward(self, x):
        h = F.tanh(self.encode(x))
        posterior = D.Independent(D.Normal(
            loc=self.mu(h), log_scale=self.ln_sigma(h)))
        z = posterior.sample(1)
        h = F.tanh(self.decode(z, n_batch_axes=2))
        decoded = D.Independent(
            D.Bernoulli(logit=self.output(h, n_batch_axes=2), binary_check=False),
            reinterpreted_batch_ndims=1)
        loc, scale = self.prior
        prior = D.Independent(D.Normal(loc, scale=scale), reinterpreted_batch_ndims=1)
        likely = F.mean(decoded.log_prob(F.broadcast_to(x[None], (1,) + x.shape)))
        loss = F.mean(chainer.kl_divergence(posterior, prior)) - likely
        chainer.report({'loss': loss}, self)
        return loss


def vae(data, dtype):
    model = AutoEncoder(64, 32, 4)
    optimizer = trained_by(chainer.optimizers.Adam(), model)
    images = data['digits'].reshape(-1, 64).astype(dtype)
    return standard(images, 32, optimizer, loss_func=model), [model]


class Generator(chainer.Chain):

    idle = '/l0/', '/ups/'

    def __init__(self, hidden, ch):
        super().__init__()
        self.hidden, self.ch = hidden, ch
        w = chainer.initializers.Normal(.02)
        with self.init_scope():
            self.l0 = L.Linear(hidden, 16 * ch, initialW=w)
            self.bn0 = L.BatchNormalization(16 * ch)
            self.ups = chainer.ChainList(*[
                L.Deconvolution2D(ch // n, ch // n // 2, 4, 2, 1, initialW=w)
                for n in (1, 2, 4)])
            self.norms = chainer.ChainList(*[
                L.BatchNormalization(ch // n) for n in (2, 4, 8)])
            self.last = L.Deconvolution2D(ch // 8, 3, 3, 1, 1, initialW=w)

    def forward(self, z):
        h = F.reshape(F.relu(self.bn0(self.l0(z))), (len(z), self.ch, 4, 4))
        for up, norm in zip(self.ups, self.norms, strict=True):
            h = F.relu(norm(up(h)))
        return F.sigmoid(self.last(h))


def noisy(h):
    return h + .2 * np.random.randn(*h.shape)


class Discriminator(chainer.Chain):

    idle = '/convs/',

    def __init__(self, ch):
        super().__init__()
        w = chainer.initializers.Normal(.02)
        sizes = ch // 8, ch // 4, ch // 4, ch // 2, ch // 2, ch, ch
        with self.init_scope():
            self.first = L.Convolution2D(3, sizes[0], 3, 1, 1, initialW=w)
            self.convs = chainer.ChainList(*[
                L.Convolution2D(a, b, 3 if i % 2 else 4, 1 if i % 2 else 2, 1,
                                initialW=w)
                for i, (a, b) in enumerate(zip(sizes, sizes[1:], strict=False))])
            self.norms = chainer.ChainList(*[
                L.BatchNormalization(b, use_gamma=False) for b in sizes[1:]])
            self.last = L.Linear(16 * ch, 1, initialW=w)

    def forward(self, x):
        h = F.leaky_relu(noisy(self.first(noisy(x))))
        for conv, norm in zip(self.convs, self.norms, strict=True):
            h = F.leaky_relu(noisy(norm(conv(h))))
        return self.last(h)


class AdversarialUpdater(chainer.training.updaters.StandardUpdater):

    def update_core(self):
        gen_optimizer, dis_optimizer = map(self.get_optimizer, ('gen', 'dis'))
        gen, dis = gen_optimizer.target, dis_optimizer.target
        batch = self.get_iterator('main').next()
        n = len(batch)
        real = chainer.Variable(self.converter(batch, self.device)) / 255.
        y_real = dis(real)
        z = np.random.uniform(-1, 1, (n, gen.hidden, 1, 1)).astype(chainer.get_dtype())
        y_fake = dis(gen(chainer.Variable(z)))

        def loss_dis(y_fake, y_real):
            loss = F.sum(F.softplus(-y_real)) / n + F.sum(F.softplus(y_fake)) / n
            chainer.report({'loss': loss}, dis)
            return loss

        def loss_gen(y_fake):
            loss = F.sum(F.softplus(-y_fake)) / n
            chainer.report({'loss': loss}, gen)
            return loss

        dis_optimizer.update(loss_dis, y_fake, y_real)
        gen_optimizer.update(loss_gen, y_fake)


def dcgan(data, dtype):
    gen, dis = Generator(16, 16), Discriminator(16)
    optimizers = {
        name: trained_by(chainer.optimizers.Adam(alpha=2e-4, beta1=.5), model,
                         chainer.optimizer_hooks.WeightDecay(1e-4))
        for name, model in (('gen', gen), ('dis', dis))}
    it = chainer.iterators.SerialIterator((pictures(data) * 255).astype(dtype), 8)
    return observed(AdversarialUpdater(it, optimizers), gen, dis), [gen, dis]
