"""Functions whose meaning has changed; the old one is used if its version is named."""
import functools

from chainer_fast import functions
from chainer_fast.functions.array import reshape
from chainer_fast.legacy import _named, _report
from chainer_fast.legacy._functions import calls


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
    _report.adapted('chainer.functions.matmul of one-dimensional arrays')
    return reshape.reshape(x, (-1, 1))


def _matmul(today):
    @functools.wraps(today)
    def matmul(a, b, transa=False, transb=False):
        return today(_as_column(a), _as_column(b), transa, transb)
    return matmul


# Parameters of normalizations; programs for Chainer 1 pass any of them by position.
_NORMALIZATIONS = {
    'batch_normalization': 'x gamma beta eps running_mean running_var decay',
    'batch_renormalization':
        'x gamma beta rmax dmax eps running_mean running_var decay update_statistics',
}


def _counting_eps(today):
    """Return a normalization whose running variance includes ``eps``."""
    what = 'chainer.functions.%s with eps in the running variance' % today.__name__
    names = _NORMALIZATIONS[today.__name__].split()

    @functools.wraps(today)
    def normalize(*args, **kwargs):
        y = today(*args, **kwargs)
        given = {**dict(zip(names, args, strict=False)), **kwargs}
        running_var = given.get('running_var')
        if running_var is not None and given.get(
                'update_statistics', 'update_statistics' not in names):
            _report.adapted(what)
            count = given['x'].size // given['gamma'].size
            share = (1 - given.get('decay', 0.9)) * count / max(count - 1, 1)
            running_var += share * given.get('eps', 2e-5)
        return y
    return normalize


def _with_small_eps(today):
    """Return a normalization whose ``eps`` is 1e-5 if it is omitted."""
    what = 'chainer.functions.%s with an eps of 1e-5' % today.__name__

    @functools.wraps(today)
    def normalize(*args, **kwargs):
        # Programs for Chainer 1 also pass it by position.
        if len(args) < 4 and 'eps' not in kwargs:
            _report.adapted(what)
            kwargs['eps'] = 1e-5
        return today(*args, **kwargs)
    return normalize


def _leaving_eps_out(today):
    """Return a normalization by given averages that does not add ``eps``."""
    what = 'chainer.functions.%s without eps' % today.__name__

    @functools.wraps(today)
    def normalize(*args, **kwargs):
        _report.adapted(what)
        if len(args) > 5:
            args = (*args[:5], 0, *args[6:])
        else:
            kwargs['eps'] = 0
        return today(*args, **kwargs)
    return normalize


def install(patches):
    """Set functions to the meaning of a named version.

    ``split_axis`` and ``matmul`` change only in ``chainer.functions``, since this
    package itself calls them in the modules that define them.
    """
    for name, version in (('batch_normalization', 'v3'),
                          ('batch_renormalization', 'v6')):
        if _named.is_named(patches, version):
            calls.replace(patches, name, _counting_eps)
    if _named.is_named(patches, 'v1.13'):
        calls.replace(patches, 'batch_normalization', _with_small_eps)
    if _named.is_named(patches, 'v1.20'):
        calls.replace(patches, 'fixed_batch_normalization', _leaving_eps_out)
    if _named.is_named(patches, 'v1'):
        patches.set(functions, 'split_axis', _split_axis(functions.split_axis))
    if _named.is_named(patches, 'v2'):
        patches.set(functions, 'matmul', _matmul(functions.matmul))
