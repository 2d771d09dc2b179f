# Chainer 1.24, Python 2.7
"""Vectors of words, by negative sampling and by a tree of words."""
import collections

import numpy as np

import chainer
from chainer import cuda
import chainer.functions as F
import chainer.optimizers as O

np.random.seed(0)
words = np.random.zipf(1.6, 200) % 12
counts = collections.Counter(int(w) for w in words)
for w in range(12):
    counts[w] += 1


class SkipGram(chainer.FunctionSet):  # removed: chainer.FunctionSet

    def __init__(self, n_units, loss_func):
        super(SkipGram, self).__init__(
            embed=F.EmbedID(12, n_units), loss_func=loss_func)  # removed: chainer.functions.EmbedID
        self.embed.W.data[...] = np.random.uniform(
            -0.5, 0.5, self.embed.W.data.shape)


cs = [counts[w] for w in range(12)]
tree = F.BinaryHierarchicalSoftmax.create_huffman_tree(  # removed: chainer.functions.BinaryHierarchicalSoftmax
    dict((w, cs[w] * 100 + w) for w in range(12)))
for name, loss_func in (
        ('negative', F.NegativeSampling(6, cs, 3)),  # removed: chainer.functions.NegativeSampling
        ('tree', F.BinaryHierarchicalSoftmax(6, tree))):  # removed: chainer.functions.BinaryHierarchicalSoftmax
    model = SkipGram(6, loss_func)
    optimizer = O.Adam()
    optimizer.setup(model)
    for step in range(3):
        position = np.random.permutation(180)[:20] + 4
        optimizer.zero_grads()  # removed: chainer.Optimizer.zero_grads
        total = 0
        for offset in (-2, -1, 1, 2):
            x = chainer.Variable(words[position + offset].astype(np.int32))
            t = chainer.Variable(words[position].astype(np.int32))
            loss = model.loss_func(model.embed(x), t)
            loss.backward()
            total += float(cuda.to_cpu(loss.data))
        optimizer.update()
        print('%s %.6f' % (name, total))
    print('norm %.6f' % float(np.abs(model.embed.W.data).sum()))
