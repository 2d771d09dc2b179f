"""Networks of Caffe; installed when a program imports them, since protobuf may lack."""
import functools

import numpy

from chainer_fast import initializers, links
from chainer_fast.legacy import _named, _old_calls, _report
from chainer_fast.legacy._python.arrivals import when_imported

_MODULE = 'chainer_fast.links.caffe.caffe_function'


def adapt_calls(patches):
    """Take the argument ``train`` of Chainer 1."""
    def adapt(module):
        cls = module.CaffeFunction
        form = _old_calls.OldForm(
            'chainer.links.caffe.CaffeFunction.__call__',
            'self inputs outputs disable train*', cls.forward, 'v1' in patches.named)
        patches.set(cls, 'forward', _old_calls.adapt(form, cls.forward))
    when_imported(patches, _MODULE, adapt)


def install(patches):
    """Draw weights for layers that have some, as Chainer 1 and 2 did.

    They made links with weights of their own first: what the program draws afterwards
    depends on it. Deconvolutions were given those of the file at once.
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
