# Chainer 3.5, Python 3.6
"""A program around a training loop: names of the standard library of Python 3.6."""
import base64
import collections
import fractions
import inspect
import json
import random
import threading
import time

import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L


class Batches(collections.Iterable):  # removed: collections.Iterable
    """Batches of a seeded data set."""

    def __init__(self, n, size):
        self.x = np.random.randn(n, 4).astype(np.float32)
        self.size = size

    def __iter__(self):
        for i in range(0, len(self.x), self.size):
            yield self.x[i:i + self.size]


def loss_of(model, x, scale=1.0):
    return scale * F.mean_squared_error(model(x), x[:, :1] * 2)


start = time.clock()  # removed: time.clock
np.random.seed(2)
random.seed(2)
options = json.loads('{"batch": 12, "n": 30}', encoding='utf-8')  # removed: json.loads(encoding=)
size = fractions.gcd(options['batch'], options['n'])  # removed: fractions.gcd
print('batch %d' % size)
batches = Batches(options['n'], size)
print(isinstance(batches, collections.Iterable), isinstance(3, collections.Hashable))  # removed: collections.Iterable; collections.Hashable
spec = inspect.getargspec(loss_of)  # removed: inspect.getargspec
print(spec.args, spec.keywords, spec.defaults)
model = L.Linear(4, 1)
optimizer = chainer.optimizers.SGD(0.1)
optimizer.setup(model)
for epoch in range(3):
    total = 0
    for x in batches:
        optimizer.update(loss_of, model, x)
        total += float(loss_of(model, x).data)
    print('epoch %d %.6f' % (epoch, total))
print(len(random.sample({1, 2, 3, 4}, 2)))  # removed: random.sample of a set
order = list(range(6))
random.shuffle(order, lambda: 0.3)  # removed: random.shuffle(random=)
print(order)
print(base64.encodestring(b'chainer').decode())  # removed: base64.encodestring
thread = threading.Thread(target=lambda: None)
print(thread.isAlive())  # removed: threading.Thread.isAlive
print(time.clock() >= start)  # removed: time.clock
