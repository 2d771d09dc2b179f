# Chainer 1.24, Python 2.7
"""A script that asks for a GPU in the ways of the time, and goes on without one."""
import numpy as np

from chainer import cuda


def make(name, *arguments):
    try:
        return getattr(cuda, name)(*arguments)  # removed: chainer.cuda.init; chainer.cuda.zeros; chainer.cuda.ones; chainer.cuda.full; chainer.cuda.empty; chainer.cuda.empty_like; chainer.cuda.full_like; chainer.cuda.ones_like; chainer.cuda.zeros_like
    except RuntimeError as error:
        print('%s: %s' % (name, str(error)[:40]))


x = np.zeros(3, np.float32)
make('init')
make('init', 0)
for name in 'empty', 'ones', 'zeros':
    make(name, (2, 3))
    make(name + '_like', x)
make('full', (2, 3), 5)
make('full_like', x, 5)
print(cuda.get_device(x).__class__.__name__)
