"""Warnings about interfaces that may change."""
from __future__ import annotations

import sys
import types
import warnings
from typing import Any

__warningregistry__: dict[Any, Any] = {}

# Programs turn off the warnings by an attribute of the package itself.
_package: Any = None


def bind(package: types.ModuleType) -> None:
    """Set the package, which calls this when it is imported."""
    global _package
    _package = package


def experimental(api_name: str) -> None:
    """Warn that a function or a class is experimental.

    Call this at the beginning of the function.
    ``chainer.disable_experimental_feature_warning`` turns the warnings off.

    Parameters
    ----------
    api_name : str
        Name of the interface, e.g. ``'chainer.functions.foo'``.

    Warns
    -----
    FutureWarning
        With the name, unless ``config.disable_experimental_feature_warning`` is set.

    Examples
    --------
    >>> import warnings
    >>> def new_function():
    ...     chainer.utils.experimental('new_function')
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter('always')
    ...     new_function()
    >>> caught[0].category
    <class 'FutureWarning'>
    """
    if _package.disable_experimental_feature_warning:
        return
    # Programs filter these by Chainer's name of this module.
    module = __name__
    if sys.modules.get('chainer') is _package:
        module = module.replace('chainer_fast', 'chainer', 1)
    warnings.warn_explicit(
        '%s is experimental. The interface can change in the future.' % api_name,
        FutureWarning, __file__, sys._getframe().f_lineno, module, __warningregistry__)
