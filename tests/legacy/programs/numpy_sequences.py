# Chainer 2.1, Python 3.6
"""Sentences of different lengths, and arrays of one element as numbers."""
import math
import os
import tempfile

import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L

np.random.seed(4)
sentences = np.array([[1, 2, 3], [4, 5], [6]])  # removed: numpy.array of ragged rows
print(sentences.dtype, sentences.shape, [len(s) for s in sentences])
print(np.random.RandomState(0).permutation([[1, 2, 3], [4, 5], [6]]).tolist())  # removed: numpy.array of ragged rows
print(np.may_share_memory([[1], [2, 3]], sentences), np.shape([[1], [2, 3]]))  # removed: numpy.array of ragged rows
order = np.argsort([len(s) for s in sentences])
print([int(s[0]) for s in sentences[order]])
model = chainer.Chain(embed=L.EmbedID(8, 4), out=L.Linear(4, 1))
optimizer = chainer.optimizers.Adam(0.1)
optimizer.setup(model)
losses = np.zeros(3)
for i, sentence in enumerate(sentences[order]):
    y = model.out(F.sum(model.embed(np.array(sentence, np.int32)), axis=0, keepdims=True))
    loss = F.sum((y - 1) ** 2, axis=1)
    model.cleargrads()
    F.sum(loss).backward()
    optimizer.update()
    losses[i] = loss.data  # removed: element set to an array
    losses[i] += y.data[0] * 0  # removed: element set to an array
    print('%d %.6f' % (i, float(loss.data)))  # removed: float of an array
    print('root %.6f of %.6f' % (math.sqrt(loss.data), loss.data))  # removed: float of an array; '%f' of an array
print('%.6f %d' % (losses.sum(), int(np.array([[3.7]]))))  # removed: float of an array
print('%.6f' % losses.ptp())  # removed: numpy.ndarray.ptp
table = np.zeros((2, 2), np.int32)
table.itemset((1, 0), 7)  # removed: numpy.ndarray.itemset
print(table.tolist(), len(table.tostring()))  # removed: numpy.ndarray.tostring
print(np.array([1, 256], '>i2').newbyteorder().tolist())  # removed: numpy.ndarray.newbyteorder
print(np.fromstring(b'\x01\x02', np.uint8).tolist())  # removed: numpy.fromstring of bytes
print(np.vstack(np.full(2, i) for i in range(3)).tolist())  # removed: numpy.stack of a generator
print(np.histogram([1, 2, 2, 4], bins=3, normed=True)[0].tolist())  # removed: numpy.histogram(normed=)
print(np.percentile([1, 2, 4], 60, interpolation='lower'))  # removed: numpy.percentile(interpolation=)
print(np.reshape(np.arange(4), newshape=(2, 2)).tolist())  # removed: numpy.reshape(newshape=)
print(np.array([1, 2], np.float32, copy=False).tolist())  # removed: numpy.array(copy=False) that has to copy
path = os.path.join(tempfile.mkdtemp(), 'data.npy')
np.save(path, np.array([{'a': 1}, None]))
print(np.load(path).tolist())  # removed: numpy.load of objects
np.savez(path + '.npz', sentences=sentences)
print([list(s) for s in np.load(path + '.npz')['sentences']])  # removed: numpy.load of objects
