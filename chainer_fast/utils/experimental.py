"""Warnings about interfaces that may change."""
import warnings

import chainer_fast


def experimental(api_name):
    """Warn that a function or a class is experimental.

    Call this at its beginning. ``chainer.disable_experimental_feature_warning`` turns
    the warnings off.

    Parameters
    ----------
    api_name : str
        Name of the interface, e.g. ``'chainer.functions.foo'``.

    Warns
    -----
    FutureWarning
    """
    if not chainer_fast.disable_experimental_feature_warning:
        warnings.warn(
            '%s is experimental. The interface can change in the future.' % api_name,
            FutureWarning)
