"""Dropout between layers of both directions, in the order of Chainer 1 to 3."""
import functools

import numpy

from chainer_fast.functions.noise import dropout
from chainer_fast.functions.rnn import _layers
from chainer_fast.legacy import _named, _report

_WHAT = 'chainer.functions.n_step_bilstm that drops the last step first'


def _dropped(today):
    @functools.wraps(today)
    def dropped(self, x):
        if self.ratio is None or self.directions == 1 or len(self.masks) % 2 == 0:
            return today(self, x)
        # The backward direction processed, and dropped, the last step first.
        _report.adapted(_WHAT)
        ends = numpy.cumsum(self.sizes)
        mask = self.array_module.empty_like(x)
        for size, end in zip(self.sizes[::-1], ends[::-1], strict=True):
            function = dropout.Dropout(self.ratio)
            function.forward((x[end - size:end],))
            mask[end - size:end] = function.mask
        self.masks.append(mask)
        return x * mask
    return dropped


def install(patches):
    """Draw the random numbers in the old order if a version is named."""
    if _named.is_named(patches, 'v3'):
        patches.set(_layers.Layers, '_dropped', _dropped(_layers.Layers._dropped))
