"""Steps of recurrent networks in plain NumPy, for one sample at a time."""
import numpy as np

from tests.devices import to_cpu


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def affine(child, x):
    y = to_cpu(child.W.array) @ x
    return y if child.b is None else y + to_cpu(child.b.array)


def by_turns(gates):
    """Inputs of four gates that take turns."""
    return gates.reshape(-1, 4).T


def lstm(gates, c):
    a, i, f, o = gates
    c = np.tanh(a) * sigmoid(i) + sigmoid(f) * c
    return c, sigmoid(o) * np.tanh(c)


def scramble(link, seed=0):
    """Give all parameters random values."""
    rng = np.random.RandomState(seed)
    for param in link.params():
        param.array[...] = rng.uniform(-1, 1, param.shape)
    return link


def random(*shape, seed=1):
    return np.random.RandomState(seed).uniform(-1, 1, shape).astype('f')
