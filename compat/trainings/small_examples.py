"""The trainings that compat/parity.py compares, for any Chainer on Python 3.10+.

They are those of Chainer's examples, made small: mnist, cifar (VGG), vae, dcgan, ptb,
seq2seq and word2vec.

Usage: PYTHON small_examples.py DATA.npz RESULT.npz DTYPE STEPS SEEDS NAME
"""
import sys

import chainer
import numpy as np
from pictures import cifar, dcgan, mnist, vae
from words import ptb, seq2seq, word2vec, word2vec_bag

EXAMPLES = {f.__name__: f for f in (
    mnist, cifar, vae, dcgan, ptb, seq2seq, word2vec, word2vec_bag)}


def acting(model):
    """Return the arrays of the parameters on which the results depend.

    A batch normalization takes away the bias before it, so that its gradient is zero
    but for rounding errors, and Adam makes steps of any gradient.
    """
    idle = getattr(model, 'idle', ())
    return [param.array for name, param in sorted(model.namedparams())
            if not (name.startswith(idle) and name.endswith('/b'))]


def main(data, result, dtype, steps, seeds, name):
    data = dict(np.load(data))
    found = {}
    for seed in range(int(seeds)):
        np.random.seed(seed)
        with chainer.using_config('dtype', np.dtype(dtype)):
            step, models = EXAMPLES[name](data, dtype)
            found['losses_%d' % seed] = [step() for _ in range(int(steps))]
        found['parameters_%d' % seed] = np.concatenate([
            array.ravel().astype('d') for model in models for array in acting(model)])
        # Whether as many numbers were drawn on both sides.
        found['draw_%d' % seed] = np.random.uniform()
    np.savez(result, **found)


if __name__ == '__main__':
    main(*sys.argv[1:])
