"""Initializers of version 1, which accepted a scale."""
import sys

from chainer_fast import initializers, variable
from chainer_fast.initializer import Initializer
from chainer_fast.legacy import _report


class Scaled(Initializer):
    """Result of another initializer, multiplied by a number."""

    def __init__(self, initializer, scale):
        super().__init__(getattr(initializer, 'dtype', None))
        self.initializer, self.scale = initializer, scale

    def __call__(self, array):
        self.initializer(array)
        array *= self.scale


def install(patches):
    """Restore ``init_weight`` and the argument ``scale``."""
    get = initializers._get_initializer

    def get_initializer(initializer, scale=None):
        if scale is None:
            return get(initializer)
        _report.adapted('chainer.initializers._get_initializer(scale=)')
        return Scaled(get(initializer), scale)

    def make_init_weight(module):
        def init_weight(weights, initializer, scale=1.0):
            _report.adapted(module + '.init_weight')
            Scaled(get(initializer), scale)(variable.as_array(weights))
        return init_weight

    patches.set(initializers, '_get_initializer', get_initializer)
    patches.set(
        initializers, 'init_weight', make_init_weight('chainer.initializers'))
    patches.set(
        sys.modules['chainer_fast'], 'init_weight', make_init_weight('chainer'))
