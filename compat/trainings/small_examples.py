"""The trainings that compat/parity.py compares, for any Chainer on Python 3.10+.

They are those of Chainer's examples, made small: mnist, cifar (VGG), vae, dcgan, ptb,
seq2seq and word2vec.

Usage: PYTHON small_examples.py DATA.npz RESULT.npz DTYPE STEPS SEEDS NAME
"""
import sys

import chainer
import chainer.distributions as D
import chainer.functions as F
import chainer.links as L
import numpy as np


def trained_by(optimizer, model, hook=None):
    optimizer.setup(model)
    if hook is not None:
        optimizer.add_hook(hook)
    return optimizer


def standard(examples, batch_size, optimizer, loss_func=None):
    """Return a function that makes a step of a StandardUpdater and returns the loss."""
    updater = chainer.training.updaters.StandardUpdater(
        chainer.iterators.SerialIterator(examples, batch_size), optimizer,
        loss_func=loss_func)
    return observed(updater, optimizer.target)


def observed(updater, *targets):
    reporter = chainer.Reporter()
    for i, target in enumerate(targets):
        reporter.add_observer(str(i), target)

    def step():
        observation = {}
        with reporter.scope(observation):
            updater.update()
        return [float(observation['%d/loss' % i].array) for i in range(len(targets))]

    return step


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


class LanguageModel(chainer.Chain):

    def __init__(self, vocabulary, units):
        super().__init__()
        with self.init_scope():
            self.embed = L.EmbedID(vocabulary, units)
            self.l1 = L.LSTM(units, units)
            self.l2 = L.LSTM(units, units)
            self.l3 = L.Linear(units, vocabulary)
        for param in self.params():
            param.array[...] = np.random.uniform(-.1, .1, param.shape)

    def forward(self, x):
        h = self.l1(F.dropout(self.embed(x)))
        return self.l3(F.dropout(self.l2(F.dropout(h))))


def ptb(data, dtype):
    words, n = data['words'], 8
    model = L.Classifier(LanguageModel(30, 16), label_key=-1)
    model.compute_accuracy = False
    optimizer = trained_by(chainer.optimizers.SGD(1.), model,
                           chainer.optimizer_hooks.GradientClipping(5.))
    starts = np.arange(n) * len(words) // n
    position = [0]

    def step():
        loss = 0
        for _ in range(5):
            now = (starts + position[0]) % len(words)
            loss += model(words[now], words[(now + 1) % len(words)])
            position[0] += 1
        model.cleargrads()
        loss.backward()
        loss.unchain_backward()
        optimizer.update()
        return [float(loss.array)]

    return step, [model]


class Translator(chainer.Chain):

    def __init__(self, vocabulary, units):
        super().__init__()
        with self.init_scope():
            self.embed_x = L.EmbedID(vocabulary, units)
            self.embed_y = L.EmbedID(vocabulary, units)
            self.encoder = L.NStepLSTM(2, units, units, .1)
            self.decoder = L.NStepLSTM(2, units, units, .1)
            self.output = L.Linear(units, vocabulary)

    def forward(self, xs, ys):
        end = np.array([1], np.int32)
        xs = [x[::-1] for x in xs]
        hx, cx, _ = self.encoder(None, None, embedded(self.embed_x, xs))
        before = [F.concat([end, y], axis=0) for y in ys]
        after = F.concat([F.concat([y, end], axis=0) for y in ys], axis=0)
        _, _, hs = self.decoder(hx, cx, embedded(self.embed_y, before))
        loss = F.sum(F.softmax_cross_entropy(
            self.output(F.concat(hs, axis=0)), after, reduce='no')) / len(xs)
        chainer.report({'loss': loss}, self)
        return loss


def embedded(embed, xs):
    ends = np.cumsum([len(x) for x in xs[:-1]])
    return F.split_axis(embed(F.concat(xs, axis=0)), ends, 0)


def seq2seq(data, dtype):
    words = data['words'].astype(np.int32)
    lengths = 2 + np.arange(len(words) // 12) % 6
    pairs = [(words[12 * i:12 * i + n], words[12 * i:12 * i + n + i % 3][::-1])
             for i, n in enumerate(lengths)]
    model = Translator(30, 16)
    optimizer = trained_by(chainer.optimizers.Adam(), model)
    updater = chainer.training.updaters.StandardUpdater(
        chainer.iterators.SerialIterator(pairs, 16), optimizer,
        converter=lambda batch, device: {
            'xs': [x for x, _ in batch], 'ys': [y for _, y in batch]})
    return observed(updater, model), [model]


class Words(chainer.Chain):
    """A skip-gram, or a continuous bag of words."""

    def __init__(self, units, loss_func, bag):
        super().__init__()
        self.bag = bag
        with self.init_scope():
            self.embed = L.EmbedID(
                30, units, initialW=chainer.initializers.Uniform(1. / units))
            self.loss_func = loss_func

    def forward(self, x, contexts):
        e = self.embed(contexts)
        if self.bag:
            return self.loss_func(F.sum(e, axis=1) * (1. / contexts.shape[1]), x)
        n, length, units = e.shape
        x = F.reshape(F.broadcast_to(x[:, None], (n, length)), (n * length,))
        return self.loss_func(F.reshape(e, (n * length, units)), x)


def word2vec(data, dtype, bag=False):
    words, window, n = data['words'].astype(np.int32), 5, 50
    counts = np.bincount(words, minlength=30) + 1
    if bag:
        loss_func = L.NegativeSampling(8, counts, 5)
        loss_func.W.array[...] = 0
    else:
        tree = L.BinaryHierarchicalSoftmax.create_huffman_tree(
            {i: int(count) for i, count in enumerate(counts)})
        loss_func = L.BinaryHierarchicalSoftmax(8, tree)
        loss_func.W.array[...] = 0
    model = Words(8, loss_func, bag)
    optimizer = trained_by(chainer.optimizers.Adam(), model)
    order = np.random.permutation(len(words) - 2 * window) + window
    position = [0]

    def step():
        centers = order[position[0]:position[0] + n]
        w = np.random.randint(window - 1) + 1
        offset = np.concatenate([np.arange(-w, 0), np.arange(1, w + 1)])
        position[0] += n
        if position[0] >= len(order):
            np.random.shuffle(order)
            position[0] = 0
        losses = []

        def loss(*args):
            losses.append(model(*args))
            return losses[0]

        optimizer.update(loss, words[centers], words[centers[:, None] + offset])
        return [float(losses[0].array)]

    return step, [model]


def word2vec_bag(data, dtype):
    return word2vec(data, dtype, bag=True)


EXAMPLES = {f.__name__: f for f in (
    mnist, cifar, vae, dcgan, ptb, seq2seq, word2vec, word2vec_bag)}


def acting(model):
    """Return the arrays of the parameters on which the results depend.

    A batch normalization takes away the bias before it, so that its gradient is zero
    but for rounding errors, and Adam makes steps of any gradient.
    """
    idle = getattr(model, 'idle', ())
    return [param.array for name, param in sorted(model.namedparams())
            if not (name.startswith(idle) and name.endswith('/b'))]


def main(data, result, dtype, steps, seeds, name):
    data = dict(np.load(data))
    found = {}
    for seed in range(int(seeds)):
        np.random.seed(seed)
        with chainer.using_config('dtype', np.dtype(dtype)):
            step, models = EXAMPLES[name](data, dtype)
            found['losses_%d' % seed] = [step() for _ in range(int(steps))]
        found['parameters_%d' % seed] = np.concatenate([
            array.ravel().astype('d') for model in models for array in acting(model)])
        # Whether as many numbers were drawn on both sides.
        found['draw_%d' % seed] = np.random.uniform()
    np.savez(result, **found)


if __name__ == '__main__':
    main(*sys.argv[1:])
