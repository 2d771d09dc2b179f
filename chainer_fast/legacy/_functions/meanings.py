"""Functions whose meaning has changed; the old one holds if its version is named."""
import functools

from chainer_fast import functions
from chainer_fast.functions.array import reshape
from chainer_fast.legacy import _named, _report
from chainer_fast.legacy._functions import calls

_EPS = 'chainer.functions.batch_normalization with eps in the running variance'


def _split_axis(today):
    @functools.wraps(today)
    def split_axis(x, indices_or_sections, axis, force_tuple=None):
        parts = today(x, indices_or_sections, axis)
        if force_tuple or len(parts) > 1:
            return parts
        if force_tuple is None:
            _report.adapted('chainer.functions.split_axis without force_tuple')
        return parts[0]
    return split_axis


def _as_column(x):
    if x.ndim != 1:
        return x
    _report.adapted(
        'chainer.functions.matmul of one-dimensional arrays')
    return reshape.reshape(x, (-1, 1))


def _matmul(today):
    @functools.wraps(today)
    def matmul(a, b, transa=False, transb=False):
        return today(_as_column(a), _as_column(b), transa, transb)
    return matmul


def _batch_normalization(today):
    @functools.wraps(today)
    def batch_normalization(x, gamma, beta, *args, **kwargs):
        y = today(x, gamma, beta, *args, **kwargs)
        running_var = kwargs.get('running_var')
        if running_var is not None:
            _report.adapted(_EPS)
            count = x.size // gamma.size
            share = (1 - kwargs.get('decay', 0.9)) * count / max(count - 1, 1)
            running_var += share * kwargs.get('eps', 2e-5)
        return y
    return batch_normalization


def install(patches):
    """Give functions the meaning of a version that was named.

    ``split_axis`` and ``matmul`` change in ``chainer.functions`` alone: this package
    itself calls them in the modules that define them.
    """
    if _named.is_named(patches, 'v3'):
        calls.replace(patches, 'batch_normalization', _batch_normalization)
    if _named.is_named(patches, 'v1'):
        patches.set(functions, 'split_axis', _split_axis(functions.split_axis))
    if _named.is_named(patches, 'v2'):
        patches.set(functions, 'matmul', _matmul(functions.matmul))
