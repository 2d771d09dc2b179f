#!/usr/bin/env python
"""Learn vectors of words by skip-gram with negative sampling.

    python examples/word2vec/train_word2vec.py
    python examples/word2vec/train_word2vec.py --text mine.txt --word queen ship

A word has to predict the words around it, among others that are drawn by their
frequency. Words that occur near the same words receive similar vectors. Without
--text the text is the language reference that is part of Python: in five seconds on
one core, the nearest words are *false* for *true*, *positional* for *keyword* and
*integers* for *integer*. It writes to --out the log and vectors.npz, with the arrays
words and vectors.
"""
import argparse
import collections
import os
import re

import chainer
import chainer.links as L
import numpy as np
from chainer import training
from chainer.training import extensions


class SkipGram(chainer.Chain):
    """Calling it with words, and words that stand near them, returns the loss."""

    def __init__(self, counts, n_units, n_negative):
        super().__init__()
        with self.init_scope():
            self.embed = L.EmbedID(
                len(counts), n_units, chainer.initializers.Uniform(.5 / n_units))
            self.sampling = L.NegativeSampling(n_units, counts, n_negative)

    def forward(self, word, near):
        loss = self.sampling(self.embed(word), near) / len(word)
        chainer.report({'loss': loss}, self)
        return loss


def read_words(path):
    if path:
        with open(path, encoding='utf-8') as file:
            text = file.read()
    else:
        from pydoc_data.topics import topics
        text = '\n'.join(topics[name] for name in sorted(topics))
    return re.findall(r'[^\W\d_]+', text.lower())


def make_pairs(numbers, window):
    """Return each number, and each that stands up to window places from it."""
    pairs = [pair for distance in range(1, window + 1)
             for pair in ((numbers[distance:], numbers[:-distance]),
                          (numbers[:-distance], numbers[distance:]))]
    words, near = map(np.concatenate, zip(*pairs))
    return chainer.datasets.TupleDataset(words, near)


def thin_out(numbers, counts, threshold=1e-3):
    """Leave out most of the very frequent words, such as "the"."""
    keep = np.sqrt(threshold * len(numbers) / counts)
    return numbers[np.random.rand(len(numbers)) < keep[numbers]]


def most_similar(vectors, i, n=5):
    """Return the n words whose vectors have the smallest angle to that of word i."""
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    similarity = units @ units[i]
    similarity[i] = -1
    best = similarity.argsort()[::-1][:n]
    return list(zip(best, similarity[best]))


def parse_args():
    parser = argparse.ArgumentParser(
        description='Chainer example: vectors of words by skip-gram')
    parser.add_argument('--text', help='Text to learn from, in UTF-8')
    parser.add_argument('--batchsize', '-b', type=int, default=500,
                        help='Number of pairs of words in each mini-batch')
    parser.add_argument('--epoch', '-e', type=int, default=10,
                        help='Number of sweeps over the text to train')
    parser.add_argument('--device', '-d', default='-1',
                        help='Device specifier: -1 or @numpy, 0 or @cupy:0, ...')
    parser.add_argument('--out', '-o', default='result/word2vec',
                        help='Directory to output the result')
    parser.add_argument('--unit', '-u', type=int, default=64,
                        help='Number of elements of a vector')
    parser.add_argument('--window', '-w', type=int, default=5,
                        help='Maximum distance between the words of a pair')
    parser.add_argument('--negative-size', '-ns', type=int, default=5,
                        help='Number of words drawn for each pair')
    parser.add_argument('--min-count', type=int, default=15,
                        help='Rarer words are excluded')
    parser.add_argument('--word', nargs='+', help='Words to look up at the end',
                        default=['true', 'raises', 'integer', 'class', 'keyword'])
    parser.add_argument('--seed', type=int, default=0,
                        help='Seed of the vectors and of all random draws')
    return parser.parse_args()


def main():
    args = parse_args()
    device = chainer.get_device(args.device)
    device.use()
    np.random.seed(args.seed)
    device.xp.random.seed(args.seed)

    counted = collections.Counter(read_words(args.text))
    words = [word for word, n in counted.most_common() if n >= args.min_count]
    index = {word: i for i, word in enumerate(words)}
    counts = np.array([counted[word] for word in words])
    numbers = np.array([index[word] for word in read_words(args.text) if word in index],
                       np.int32)
    train = make_pairs(thin_out(numbers, counts), args.window)
    print('{} words, {} different ones, {} pairs'.format(
        len(numbers), len(words), len(train)))

    model = SkipGram(counts, args.unit, args.negative_size)
    model.to_device(device)
    optimizer = chainer.optimizers.Adam(2e-3)
    optimizer.setup(model)

    iterator = chainer.iterators.SerialIterator(train, args.batchsize)
    updater = training.updaters.StandardUpdater(iterator, optimizer, device=device)
    trainer = training.Trainer(updater, (args.epoch, 'epoch'), out=args.out)
    trainer.extend(extensions.LogReport())
    trainer.extend(extensions.PrintReport(['epoch', 'main/loss', 'elapsed_time']))
    trainer.extend(extensions.ProgressBar(update_interval=100))
    trainer.run()

    vectors = chainer.get_device('@numpy').send(model.embed.W.array)
    np.savez(os.path.join(args.out, 'vectors.npz'), words=words, vectors=vectors)
    for word in args.word:
        if word in index:
            similar = most_similar(vectors, index[word])
            print(word + ':', ', '.join('{} {:.2f}'.format(words[i], similarity)
                                        for i, similarity in similar))
        else:
            print(word + ': occurs less than', args.min_count, 'times')


if __name__ == '__main__':
    main()
