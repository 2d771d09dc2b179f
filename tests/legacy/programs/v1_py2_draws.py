# Chainer 1.24, Python 2.7, --legacy=v1,python
"""A walker on a line learns from a replayed memory; Python's own random draws."""
import random

import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import optimizers

random.seed(3)
np.random.seed(3)
N = 6


class Walk(object):

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.place = 2

    def step(self, action):
        if self.random.randint(0, 9) == 0:  # removed: random of Python 2
            action = self.random.choice([0, 1])  # removed: random of Python 2
        self.place = max(0, min(N - 1, self.place + (1 if action else -1)))
        return self.place, float(self.place == N - 1)


def one_hot(places):
    return np.eye(N, dtype=np.float32)[places]


model = L.Linear(N, 2)
optimizer = optimizers.SGD(0.1)
optimizer.setup(model)
memory, walk = [], Walk(7)
for time in range(60):
    place, action = walk.place, random.randrange(2)  # removed: random of Python 2
    memory.append((place, action) + walk.step(action))
print 'visits', np.bincount([row[0] for row in memory], minlength=N)  # removed: print statement

for epoch in range(4):
    # Few of many, most of a few, and numbers that are not in memory.
    rows = random.sample(memory, 8) + random.sample(memory[:30], 20)  # removed: random of Python 2
    random.shuffle(rows)  # removed: random of Python 2
    place, action, then, reward = [np.array(column) for column in zip(*rows)]
    best = model(chainer.Variable(one_hot(then), volatile=True)).data.max(axis=1)  # removed: chainer.Variable(volatile=)
    value = F.select_item(model(chainer.Variable(one_hot(place))),
                          chainer.Variable(action.astype(np.int32)))
    target = chainer.Variable((reward + 0.9 * best).astype(np.float32))
    loss = F.mean_squared_error(value, target)
    model.zerograds()
    loss.backward()
    optimizer.update()
    print 'epoch %d loss %.6f first %d' % (epoch, float(loss.data), place[0])  # removed: print statement

print random.sample(xrange(3000), 5), random.randrange(2 ** 60)  # removed: print statement; builtins.xrange; random of Python 2
print random.randrange(3, 40, 9), random.randrange(9, 2, -3), random.randint(-4, 4)  # removed: print statement; random of Python 2
print '%.6f %.6f' % (random.random(), random.gauss(0, 1))  # removed: print statement
