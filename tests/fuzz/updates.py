"""Optimizers whose parameters, gradients and states change between updates."""
import numpy as np

import chainer_fast as chainer
from chainer_fast import functions as F
from chainer_fast import optimizer_hooks, optimizers
from tests.fuzz import changes, graphs

OPTIMIZERS = {cls.__name__: cls for cls in (
    optimizers.SGD, optimizers.MomentumSGD, optimizers.CorrectedMomentumSGD,
    optimizers.NesterovAG, optimizers.Adam, optimizers.AdamW, optimizers.AMSGrad,
    optimizers.AdaBound, optimizers.AMSBound, optimizers.AdaDelta, optimizers.AdaGrad,
    optimizers.RMSprop, optimizers.RMSpropGraves, optimizers.SMORMS3,
    optimizers.MSVAG)}
_HOOKS = [
    lambda: optimizer_hooks.WeightDecay(.1), lambda: optimizer_hooks.Lasso(.1),
    lambda: optimizer_hooks.GradientHardClipping(-.5, .5),
    lambda: optimizer_hooks.GradientClipping(1.), optimizer_hooks.GradientLARS]


class _Model(chainer.Chain):

    def __init__(self, random):
        super().__init__()
        with self.init_scope():
            self.a = chainer.Parameter(random.normal(size=(4, 3)).astype('f'))
            self.b = chainer.Parameter(random.normal(size=7))
            self.c = chainer.Parameter(random.normal(size=(2, 3)).astype('e'))
            # Of a few its gradient is kept as the rows that are used.
            rows = 2000 if random.randint(4) == 0 else 9
            self.w = chainer.Parameter(random.normal(size=(rows, 40)).astype('f'))

        for p in self.params():
            p.array = changes.foreign(p.array, random)

    def give_gradients(self, random):
        self.cleargrads()
        ids = random.randint(0, 9, 5).astype('i')
        F.sum(F.embed_id(ids, self.w)).backward()
        for p in (self.a, self.b, self.c):
            p.grad = changes.foreign(
                random.normal(size=p.shape).astype(p.dtype), random)


def _without_recipes(optimizer):
    for param in optimizer.target.params():
        param.update_rule._recipe = None


def _give_states(model, random):
    """Give states of update rules other origins, as if they had been loaded."""
    for _, param in sorted(model.namedparams()):
        state = param.update_rule.state or {}
        for name in sorted(state):
            if isinstance(state[name], np.ndarray):
                state[name] = changes.foreign(state[name], random)


def _change(model, random, notes):
    params = [p for _, p in sorted(model.namedparams())]
    param = params[random.randint(len(params))]
    kind = random.randint(10)
    random = np.random.RandomState(random.randint(1 << 30))
    state = param.update_rule.state
    if kind < 3:
        param.array = array = changes.other(param.shape, param.dtype, random)
    elif kind < 5:
        array = changes.other(param.shape, param.dtype, random)
        param._set_grad_without_check(array)
    elif kind < 7 and state:
        name = sorted(state)[random.randint(len(state))]
        array = state[name]
        if isinstance(array, np.ndarray):
            if kind == 5:
                array = state[name] = changes.other(array.shape, array.dtype, random)
            else:
                changes.resize(array, [], random)
    elif kind == 7:
        array = param.array
        held = graphs.arrays_in([(p.array, p._grad) for p in params])
        changes.resize(array, held, random)
    elif kind == 8:
        # One array in two places.
        array = params[random.randint(len(params))].array
        param.array = array
    else:
        hyperparam = param.update_rule.hyperparam
        names = sorted(hyperparam.get_dict())
        array = names[random.randint(len(names))]
        value = [0, -1, np.nan, 1e300, None, np.float32(.5), '1'][random.randint(7)]
        setattr(hyperparam, array, value)
    notes.append((kind, (array.shape, array.dtype.str) if isinstance(
        array, np.ndarray) else array))


def call(seed, compiled):
    """Train a model with changes that a seed decides."""
    random = np.random.RandomState(seed)
    notes = [sorted(OPTIMIZERS)[random.randint(len(OPTIMIZERS))]]
    model = _Model(random)
    optimizer = OPTIMIZERS[notes[0]]()
    if random.randint(3) == 0:
        optimizer.use_fp32_update()
    optimizer.setup(model)
    for i in set(random.randint(0, len(_HOOKS), random.randint(3)).tolist()):
        optimizer.add_hook(_HOOKS[i]())
    if not compiled:
        _without_recipes(optimizer)
    error = None
    try:
        with np.errstate(all='ignore'):
            for step in range(3):
                model.give_gradients(random)
                _give_states(model, random)
                if step:
                    for _ in range(random.randint(1, 3)):
                        _change(model, random, notes)
                optimizer.update()
    except Exception as e:
        error = e
    arrays = [None if p.array is None else np.array(p.array)
              for _, p in sorted(model.namedparams())]
    return graphs.Outcome(arrays, error, True, notes)


def compare(seed):
    """Train by compiled rules and by others; return what is wrong, or None."""
    got, expected = call(seed, True), call(seed, False)
    if isinstance(got.error, SystemError):
        return 'seed %d: %r of %s' % (seed, got.error, got.notes)
    if (got.error is None) != (expected.error is None):
        return 'seed %d: %r, without recipes %r, of %s' % (
            seed, got.error, expected.error, got.notes)
    if got.error is None:
        for a, b in zip(got.arrays, expected.arrays, strict=True):
            if graphs._differ(a, b):
                return 'seed %d: %s, without recipes %s, of %s' % (
                    seed, a, b, got.notes)
    return None
