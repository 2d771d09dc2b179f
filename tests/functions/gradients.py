"""Numerical checks of both derivatives of a function."""
import numpy as np

from chainer_fast import gradient_check


def uniform(shape, seed=0, dtype='d', low=-1., high=1.):
    return np.asarray(np.random.RandomState(seed).uniform(low, high, shape), dtype)


def spread(shape, dtype='d'):
    """Distinct values that keep a distance from zero and from each other."""
    size = int(np.prod(shape))
    order = np.random.RandomState(0).permutation(size)
    return np.asarray((order - size // 2 + .5) * .37, dtype).reshape(shape)


def check(device, f, *xs, double=True, **options):
    """Compares the gradients of a function with differences, twice if wanted."""
    options = {'rtol': 1e-4, 'atol': 1e-4, **options}
    xs = device.send(xs)
    ys = f(*xs)
    ys = ys if isinstance(ys, tuple) else (ys,)
    gys = device.send(tuple(uniform(y.shape, 10 + i) for i, y in enumerate(ys)))
    gradient_check.check_backward(f, xs, gys, **options)
    if double:
        ggs = device.send(tuple(uniform(x.shape, 20 + i) for i, x in enumerate(xs)))
        gradient_check.check_double_backward(f, xs, gys, ggs, **options)
