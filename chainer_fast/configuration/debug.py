"""Debug mode: additional checks, which take time."""
from __future__ import annotations

import warnings

from chainer_fast.configuration import config, using_config


def is_debug() -> bool:
    """Return whether the current thread is in debug mode.

    In debug mode, functions also check their inputs and outputs for NaN and for indices
    out of range, which takes time.

    Returns
    -------
    bool
        Whether ``config.debug`` is true.

    Examples
    --------
    See :func:`set_debug`.
    """
    return bool(config.debug)


def set_debug(debug: bool) -> None:
    """Turn debug mode on or off in the current thread.

    Parameters
    ----------
    debug : bool
        The mode.

    See Also
    --------
    chainer_fast.using_config : ``using_config('debug', True)`` turns it on for a block.

    Examples
    --------
    >>> chainer.set_debug(True)
    >>> chainer.is_debug()
    True
    >>> chainer.set_debug(False)
    """
    config.debug = debug


class DebugMode:
    """Context manager that turns debug mode on or off.

    Parameters
    ----------
    debug : bool
        The mode inside the block. The previous mode is restored at its end.

    .. deprecated:: 2.0
        Use ``using_config('debug', ...)``.
    """

    def __init__(self, debug: bool) -> None:
        warnings.warn(
            'chainer.DebugMode is deprecated. '
            'Use chainer.using_config("debug", ...) instead.',
            DeprecationWarning)
        self._mode = debug
        self._blocks = []

    def __enter__(self) -> None:
        block = using_config('debug', self._mode)
        block.__enter__()
        self._blocks.append(block)

    def __exit__(self, *exc_info: object) -> None:
        self._blocks.pop().__exit__(*exc_info)
