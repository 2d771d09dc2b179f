"""Functions whose meaning has changed; the old one holds if its version is named."""
import functools

from chainer_fast import functions
from chainer_fast.functions.array import reshape
from chainer_fast.legacy import _named, _report


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


def install(patches):
    """Give functions the meaning of a version that was named.

    Only the names in ``chainer.functions`` get it: the modules that define them are
    what this package itself calls.
    """
    if _named.is_named(patches, 'v1'):
        patches.set(functions, 'split_axis', _split_axis(functions.split_axis))
    if _named.is_named(patches, 'v2'):
        patches.set(functions, 'matmul', _matmul(functions.matmul))
