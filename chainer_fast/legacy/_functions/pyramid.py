"""``spatial_pyramid_pooling_2d`` with a class for the kind of pooling."""
import functools

from chainer_fast.legacy import _report
from chainer_fast.legacy._functions import calls


def _take_class(today):
    @functools.wraps(today)
    def spatial_pyramid_pooling_2d(x, pyramid_height, pooling=None, *args,
                                   pooling_class=None, **kwargs):
        if isinstance(pooling, type):
            pooling, pooling_class = None, pooling
        if pooling_class is not None:
            if pooling_class.__name__ != 'MaxPooling2D':
                raise ValueError(
                    'pooling_class has to be MaxPooling2D, not %s: there is no other '
                    'kind of pooling' % pooling_class.__name__)
            _report.adapted(
                'chainer.functions.spatial_pyramid_pooling_2d(pooling_class=)')
            pooling = 'max'
        return today(x, pyramid_height, pooling, *args, **kwargs)
    return spatial_pyramid_pooling_2d


def install(patches):
    """Accept the class that Chainer 1 to 4 accepted."""
    calls.replace(patches, 'spatial_pyramid_pooling_2d', _take_class)
