"""Warnings about results that can differ from run to run."""
from __future__ import annotations

import warnings

from chainer_fast.configuration import config


def nondeterministic(f_name: str) -> None:
    """Warn about a nondeterministic function if ``config.warn_nondeterministic``.

    Parameters
    ----------
    f_name : str
        Name of the function.

    Warns
    -----
    UserWarning
        With the name, if the flag is true.
    """
    if getattr(config, 'warn_nondeterministic', False):
        warnings.warn(
            'Potentially non-deterministic code is being executed while '
            'config.warn_nondeterministic set. Source: ' + f_name)
