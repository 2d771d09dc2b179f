"""Static chains whose arrays change between and during their calls.

A static chain works on its own copies, as Chainer's do, so that results are not those
of a plain chain any more once an array has been replaced: what counts is that it lives
on, and that a chain whose arrays have come back computes what a plain one does.
"""
import warnings

import numpy as np

import chainer_fast as chainer
from chainer_fast import functions as F
from tests.fuzz import changes, graphs
from tests.graph_optimizations import static_chains


def _recurrent(chain, x):
    c = h = F.linear(x, chain.v)
    for _ in range(2):
        c, h = F.lstm(c, F.concat([F.linear(h, chain.w, chain.b), h, x, c], 1))
    return h * c


def _several(chain, x):
    h = F.softmax(F.linear(x, chain.w, chain.b)) * F.sum(x)
    return h, F.reshape(h, (-1,)), F.matmul(h, chain.v)


def _stateful(chain, x):
    """Go on from what the call before has left, and update running statistics."""
    y = F.linear(x, chain.w, chain.b)
    if chain.h is not None:
        y += F.linear(chain.h, chain.v)
    chain.h = F.tanh(F.batch_normalization(
        y, chain.b, chain.b, running_mean=chain.mean, running_var=chain.var))
    return F.dropout(chain.h, .3) * x


COMPUTE = [
    static_chains.every_loop, static_chains.affine, _recurrent, _several, _stateful]


def _begin(*chains):
    """Give chains, and the random numbers, the state before the first call."""
    np.random.seed(0)
    for chain in chains:
        if not hasattr(chain, 'mean'):
            chain.mean, chain.var = np.empty((2, 3), chain.w.dtype)
        chain.h = None
        chain.mean[...], chain.var[...] = 0, 1


def _call(chain, x, random=None):
    """Return outputs of a call, with changes before its gradients."""
    chain.cleargrads()
    outputs = static_chains.leaves(chain(x))
    for i, y in enumerate(outputs):
        y.grad = static_chains.draw(i, *y.shape, dtype=y.dtype)
    if random is not None:
        for _ in range(random.randint(1, 4)):
            _change(chain, x, outputs, random)
    chainer.backward(outputs)
    return [y.array for y in outputs] + [p.grad for p in chain.params()] + [x.grad]


def _change(chain, x, outputs, random):
    found = [x, *outputs, *[p for _, p in sorted(chain.namedparams())]]
    if chain.h is not None:
        found.append(chain.h)
    variable = found[random.randint(len(found))]
    kind = random.randint(6)
    random = np.random.RandomState(random.randint(1 << 30))
    if kind < 2:
        variable.array = changes.other(variable.shape, variable.dtype, random)
    elif kind < 4:
        held = graphs.arrays_in([(v.array, v._grad) for v in found])
        changes.resize(variable.array, held, random)
    elif kind == 4 and variable.grad is not None:
        changes.resize(variable.grad, graphs.arrays_in(
            [(v.array, v._grad) for v in found]), random)
    else:
        changes.spoil(variable.array if random.randint(4) else chain.mean, random)


def compare(seed):
    """Call a static chain with changes; return what is wrong, or None."""
    random = np.random.RandomState(seed)
    compute = COMPUTE[random.randint(len(COMPUTE))]
    dtype = 'fd'[random.randint(2)]
    chain = static_chains.Static(compute, dtype)
    plain = static_chains.Model(compute, dtype)
    _begin(chain, plain)
    origins = np.random.RandomState(seed)
    for _, param in sorted(chain.namedparams()):
        param.array = changes.foreign(param.array, origins, True)
    kept = [(p, p.array.copy()) for _, p in sorted(chain.namedparams())]
    x = static_chains.draw(seed, random.randint(1, 5), 3, dtype=dtype)
    with warnings.catch_warnings(), np.errstate(all='ignore'):
        warnings.simplefilter('ignore')
        for step in range(random.randint(3, 6)):
            changing = random if step >= 2 else None
            try:
                _call(chain, chainer.Variable(
                    changes.foreign(x.copy(), origins)), changing)
            except SystemError as error:
                return 'seed %d: %r' % (seed, error)
            except Exception:
                pass
        for param, array in kept:
            param.array = changes.foreign(array.copy(), origins, True)
        try:
            # Such calls have a plan by then, if they may have one.
            for _ in range(3):
                _begin(chain)
                got = _call(chain, chainer.Variable(
                    changes.foreign(x.copy(), origins, True)))
        except Exception as error:
            return 'seed %d: %s raises %r once all is as it was' % (
                seed, compute.__name__, error)
        _begin(plain)
        expected = _call(plain, chainer.Variable(x.copy()))
    for a, b in zip(got, expected, strict=True):
        if graphs._differ(a, b):
            return 'seed %d: %s gives %s in the place of %s' % (
                seed, compute.__name__, a, b)
    return None
