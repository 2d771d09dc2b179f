"""Update rules of every kind, and how their results are compared."""

import numpy as np

from chainer_fast.optimizers.ada_delta import AdaDeltaRule
from chainer_fast.optimizers.ada_grad import AdaGradRule
from chainer_fast.optimizers.adam import AdamRule
from chainer_fast.optimizers.corrected_momentum_sgd import CorrectedMomentumSGDRule
from chainer_fast.optimizers.momentum_sgd import MomentumSGDRule
from chainer_fast.optimizers.msvag import MSVAGRule
from chainer_fast.optimizers.nesterov_ag import NesterovAGRule
from chainer_fast.optimizers.rmsprop import RMSpropRule
from chainer_fast.optimizers.rmsprop_graves import RMSpropGravesRule
from chainer_fast.optimizers.sgd import SGDRule
from chainer_fast.optimizers.smorms3 import SMORMS3Rule

RULES = [
    (SGDRule, {'lr': 0.1}),
    (MomentumSGDRule, {'lr': 0.1, 'momentum': 0.7}),
    (CorrectedMomentumSGDRule, {'lr': 0.1, 'momentum': 0.7}),
    (NesterovAGRule, {'lr': 0.1, 'momentum': 0.7}),
    (RMSpropRule, {'lr': 0.1, 'alpha': 0.7, 'eps': 1e-4}),
    (RMSpropRule, {'lr': 0.1, 'alpha': 0.7, 'eps': 1e-4, 'eps_inside_sqrt': True}),
    (RMSpropGravesRule, {'lr': 0.1, 'alpha': 0.7, 'momentum': 0.6}),
    (AdaGradRule, {'lr': 0.1, 'eps': 1e-3}),
    (AdaDeltaRule, {'rho': 0.7, 'eps': 1e-3}),
    (SMORMS3Rule, {'lr': 0.1, 'eps': 1e-3}),
    (MSVAGRule, {'lr': 0.1, 'beta': 0.7}),
    (MSVAGRule, {'lr': 0.1, 'eta': 0.6, 'weight_decay_rate': 0.3}),
    (AdamRule, {'alpha': 0.1, 'beta1': 0.7, 'beta2': 0.8}),
    (AdamRule, {'alpha': 0.1, 'weight_decay_rate': 0.3, 'eta': 0.6, 'eps': 1e-3}),
    (AdamRule, {'alpha': 0.1, 'beta2': 0.5, 'amsgrad': True}),
    (AdamRule, {'alpha': 0.1, 'adabound': True, 'gamma': 0.3}),
    (AdamRule, {'alpha': 0.1, 'amsgrad': True, 'adabound': True, 'final_lr': 0}),
]
IDS = ['%s-%s' % (cls.__name__, '-'.join(kwargs)) for cls, kwargs in RULES]


def assert_same_bits(a, b):
    assert a.dtype == b.dtype
    np.testing.assert_array_equal(np.isnan(a), np.isnan(b))
    bits = 'u%d' % a.dtype.itemsize
    finite = ~np.isnan(a)
    np.testing.assert_array_equal(
        np.ascontiguousarray(a).view(bits).reshape(a.shape)[finite],
        np.ascontiguousarray(b).view(bits).reshape(b.shape)[finite])


def strided(array):
    return np.repeat(array, 2, axis=-1)[..., ::2]


def misaligned(array):
    raw = np.zeros(array.nbytes + 1, np.uint8)
    made = raw[1:].view(array.dtype).reshape(array.shape)
    made[...] = array
    return made


def backwards(array):
    return array[::-1].copy()[::-1]


class Subarray(np.ndarray):
    pass

LAYOUTS = {
    'strided': strided,
    'misaligned': misaligned,
    'backwards': backwards,
    'other order': np.asfortranarray,
    'other byte order': lambda a: a.astype(a.dtype.newbyteorder()),
}
