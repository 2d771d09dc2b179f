"""A function of ``chainer.optimizer`` up to version 3."""
import sys

from chainer_fast.legacy import _attributes
from chainer_fast.optimizer_hooks import gradient_noise


def install(patches):
    """Restore it."""
    _attributes.provide(
        patches, sys.modules['chainer_fast.optimizer'], 'chainer.optimizer.%s',
        {'exponential_decay_noise': gradient_noise.exponential_decay_noise})
