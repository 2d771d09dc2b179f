"""Caffe networks; installed at their import, since protobuf may be missing."""
import functools

import numpy

from chainer_fast import initializers, links
from chainer_fast.legacy import _named, _old_calls, _report
from chainer_fast.legacy._python.arrivals import when_imported

_MODULE = 'chainer_fast.links.caffe.caffe_function'


def adapt_calls(patches):
    """Accept the argument ``train`` of Chainer 1."""
    def adapt(module):
        cls = module.CaffeFunction
        form = _old_calls.OldForm(
            'chainer.links.caffe.CaffeFunction.__call__',
            'self inputs outputs disable train*', cls.forward, 'v1' in patches.named)
        patches.set(cls, 'forward', _old_calls.adapt(form, cls.forward))
    when_imported(patches, _MODULE, adapt)


def install(patches):
    """Draw weights for layers that have weights, as Chainer 1 and 2 did.

    Those versions first created links with random weights, which affects the random
    numbers that the program draws afterwards. Only deconvolutions were created with the
    weights of the file.
    """
    def adapt(module):
        cls = module.CaffeFunction
        today = cls.__init__

        @functools.wraps(today)
        def __init__(self, model_path):
            today(self, model_path)
            drawn = [child.W for child in self.children()
                     if type(child) in (links.Convolution2D, links.Linear)]
            if drawn:
                _report.adapted('chainer.links.caffe.CaffeFunction that draws weights')
            for W in drawn:
                initializers.LeCunNormal()(numpy.empty(W.shape, W.dtype))
        patches.set(cls, '__init__', __init__)
    if _named.is_named(patches, 'v2'):
        when_imported(patches, _MODULE, adapt)
