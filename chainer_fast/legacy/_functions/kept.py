"""Functions that kept what they had computed, where today's read their inputs again.

That tells where a program writes the next batch into an array that a loss, still to be
differentiated, was computed from. What a program fills are arrays of its own, not the
results of functions.
"""
import functools

from chainer_fast.backends.arrays import get_array_types
from chainer_fast.functions.array import copy
from chainer_fast.legacy import _named
from chainer_fast.legacy._functions import calls
from chainer_fast.variable import Parameter, Variable

# Functions, and how many of their first inputs it is about.
_KEEPING = {
    'mean_squared_error': 2, 'squared_difference': 2, 'squared_error': 2,
    'huber_loss': 2, 'contrastive': 2, 'convolution_2d': 1, 'batch_normalization': 1}


def _may_change(x):
    # The result of a function may be a view of such an array.
    return x.creator_node is None or getattr(x.array, 'base', None) is not None


def _kept(x):
    if isinstance(x, get_array_types()):
        return x.copy()
    if (isinstance(x, Variable) and not isinstance(x, Parameter)
            and x.array is not None and _may_change(x)):
        return copy.copy(x, x.device)
    return x


def _keeping(count):
    def make(today):
        @functools.wraps(today)
        def keep(*args, **kwargs):
            return today(*map(_kept, args[:count]), *args[count:], **kwargs)
        return keep
    return make


def install(patches):
    """Have functions keep their inputs if version 1 or 2 is named."""
    if _named.is_named(patches, 'v2'):
        for name, count in _KEEPING.items():
            calls.replace(patches, name, _keeping(count))
