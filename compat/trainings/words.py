"""Trainings on words: ptb, seq2seq and word2vec."""
import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
from steps import observed, trained_by


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
