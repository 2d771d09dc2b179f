"""Weights and inputs, in addition to those of ``networks.data``."""
import numpy as np
from networks.data import Numbers


class HeNumbers(Numbers):
    """A source whose weights keep the size of activations through ReLUs."""

    def weight(self, *shape):
        return super().weight(*shape) * np.float32(2 ** .5)


def skip_gram(batch, contexts, words, samples):
    """Return counts of words, centers, their contexts, and samples.

    Words are as frequent as in a language: inversely to their ranks. There are as many
    samples for each pair as ``NegativeSampling`` asks for: a positive, which it
    replaces, and the negative ones.
    """
    random = np.random.RandomState(1)
    counts = np.maximum(1, 10 * words // np.arange(1, words + 1))
    p = counts / counts.sum()
    x, others, drawn = [
        random.choice(words, shape, p=p).astype('i')
        for shape in ((batch,), (batch, contexts), (batch * contexts, 1 + samples))]
    return counts, x, others, drawn


class Drawn:
    """A sampler whose samples were drawn before."""

    def __init__(self, samples):
        self._samples = samples

    def sample(self, shape):
        return self._samples.reshape(shape)


def stacked(arrays):
    """Return arrays one below the other."""
    return np.concatenate(list(arrays))


def alias_table(weights):
    """Return Walker's table: how likely each value stays, and what takes its place."""
    p = weights * (len(weights) / weights.sum())
    values = np.arange(len(p))
    small, large = list(np.flatnonzero(p < 1)), list(np.flatnonzero(p >= 1))
    while small and large:
        low, high = small.pop(), large.pop()
        values[low] = high
        p[high] -= 1 - p[low]
        (small if p[high] < 1 else large).append(high)
    p[small + large] = 1
    return p.astype('f'), values
