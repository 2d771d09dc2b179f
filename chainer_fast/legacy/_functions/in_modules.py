"""Classes of functions in old modules, for programs that import them from there."""
import functools
import importlib

from chainer_fast import functions
from chainer_fast._help.past.removed import functions_and_links as removed
from chainer_fast.functions.array import resize_images
from chainer_fast.functions.pooling import pooling_nd
from chainer_fast.legacy import _attributes, _named, _report
from chainer_fast.legacy._functions import calls, classes

# Modules that have moved, below chainer_fast.functions.
_TODAY = {'math.squared_difference': 'loss.squared_error',
          'pooling.max_pooling_2d': 'pooling.max_pooling_nd'}


def _of_images(today):
    """Return max pooling whose results report the old class of their creator."""
    @functools.wraps(today)
    def max_pooling_2d(x, ksize, stride=None, pad=0, cover_all=True,
                       return_indices=False):
        pooling_nd.check_ndim('max_pooling_2d', x, 2)
        function = classes.MaxPooling2D(ksize, stride, pad, cover_all, return_indices)
        y, = function.apply((x,))
        return (y, y.device.send(function.indexes)) if return_indices else y
    return max_pooling_2d


def _resizing_alone(today):
    @functools.wraps(today)
    def __init__(self, output_shape, mode=None, align_corners=True):
        if mode is None:
            _report.adapted(
                'chainer.functions.array.resize_images.ResizeImages without a mode')
            mode = 'bilinear'
        today(self, output_shape, mode, align_corners)
    return __init__


def install(patches):
    """Let them be imported, and appear as creators if their version is named."""
    for module, name, _ in removed.CLASSES_IN_MODULES:
        today = '%s.%s' % (functions.__name__, _TODAY.get(module, module))
        _attributes.provide(
            patches, importlib.import_module(today),
            'chainer.functions.%s.%%s' % module, {name: classes.ADDED[name]})
    cls = resize_images.ResizeImages
    patches.set(cls, '__init__', _resizing_alone(cls.__init__))
    if _named.is_named(patches, 'v6'):
        calls.replace(patches, 'max_pooling_2d', _of_images)
