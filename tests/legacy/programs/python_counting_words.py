# Chainer 1.24, Python 2.7
"""A bigram model of characters, with the vocabulary pickled, as under Python 2."""
import cPickle  # removed: cPickle
import string
import sys
from StringIO import StringIO  # removed: StringIO
from itertools import imap, izip  # removed: itertools.imap; itertools.izip

import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import optimizers

TEXT = 'the quick brown fox jumps over the lazy dog and runs away'
letters = {}
for ch in TEXT:
    if not letters.has_key(ch):  # removed: dict.has_key
        letters[ch] = len(letters)
names = sorted((v, k) for k, v in letters.iteritems())  # removed: dict.iteritems
print('letters %d of %d' % (len(names), len(string.letters)))  # removed: string.letters
print(string.join([k for _, k in names], '-'))  # removed: string.join
stored = cPickle.loads(cPickle.dumps(letters, -1))
print('stored %d' % sum(stored.itervalues()))  # removed: dict.itervalues

np.random.seed(1)
model = L.Classifier(chainer.Chain(
    embed=L.EmbedID(len(letters), 8), out=L.Linear(8, len(letters))))
net = model.predictor
model.predictor = lambda x: net.out(F.tanh(net.embed(x)))
optimizer = optimizers.SGD(0.5)
optimizer.setup(net)
data = np.array(list(imap(letters.get, TEXT)), np.int32)
for epoch in xrange(3):  # removed: builtins.xrange
    losses = []
    for i in xrange(0, len(data) - 10, 10):  # removed: builtins.xrange
        loss = model(chainer.Variable(data[i:i + 10]), chainer.Variable(data[i + 1:i + 11]))
        net.cleargrads()
        loss.backward()
        optimizer.update()
        losses.append(float(loss.data))
    mean = reduce(lambda a, b: a + b, losses) / len(losses)  # removed: builtins.reduce
    print('epoch %d loss %.6f' % (epoch, mean))
pairs = izip('abc', iter([1, 2, 3]))
first = pairs.next()  # removed: iterator.next
print('%s %d' % first)
out = StringIO()
out.write('written as text')
print(out.getvalue().decode('utf-8'))  # removed: str.decode
assert isinstance(first[0], basestring) and sys.maxint > 2 ** 31  # removed: builtins.basestring; sys.maxint
print('%d %s' % (long(3.7), unicode(4)))  # removed: builtins.long; builtins.unicode
print('%s %d' % (string.Formatter().format.im_func.func_name, cmp(1, 2)))  # removed: method.im_func; function.func_name; builtins.cmp
