# Chainer 1.24, Python 2.7
"""A table of words and their vectors, with the habits of Python 2."""
import cPickle as pickle  # removed: cPickle
import sys

import numpy as np

import chainer
import chainer.functions as F

text = 'the cat saw the dog and the dog saw the cat'
vocab = {}
for word in text.split():
    if not vocab.has_key(word):  # removed: dict.has_key
        vocab[word] = len(vocab)

model = chainer.FunctionSet(  # removed: chainer.FunctionSet
    embed=F.EmbedID(len(vocab), 4),  # removed: chainer.functions.EmbedID
    out=F.Linear(4, len(vocab)))  # removed: chainer.functions.Linear
np.random.seed(3)
model.embed.W.data[...] = np.random.randn(len(vocab), 4)
model.out.W.data[...] = np.random.randn(len(vocab), 4)


def step((word, target)):  # removed: tuple parameter
    x = chainer.Variable(np.array([word], np.int32))
    t = chainer.Variable(np.array([target], np.int32))
    return F.softmax_cross_entropy(model.out(model.embed(x)), t)


optimizer = chainer.optimizers.SGD(0.5)
optimizer.setup(model.collect_parameters())  # removed: chainer.FunctionSet.collect_parameters
ids = [vocab[word] for word in text.split()]
for epoch in xrange(3):  # removed: builtins.xrange
    losses = map(step, zip(ids[:-1], ids[1:]))
    optimizer.zero_grads()  # removed: chainer.Optimizer.zero_grads
    total = reduce(lambda a, b: a + b, losses)  # removed: builtins.reduce
    total.backward()
    optimizer.update()
    print >>sys.stdout, 'epoch %d loss %.6f' % (epoch, total.data / len(losses))  # removed: print statement; division that may be of whole numbers

words = sorted(vocab.keys())
copied = pickle.loads(pickle.dumps(words))
print copied == words, 10L + len(words)  # removed: print statement; number 10L
try:
    vocab['a bird']
except KeyError, error:  # removed: except E, name
    print 'no', error  # removed: print statement
