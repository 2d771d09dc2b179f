"""Advice on the arguments of functions that join arrays."""
from __future__ import annotations

from typing import Any


def joined(function: str, axis: Any) -> str:
    """Return advice for an axis that is an array, for the end of a message.

    Parameters
    ----------
    function : str
        Name of the function.
    axis : object
        Its second argument.

    Returns
    -------
    str
        The advice; empty for other objects than arrays and variables.
    """
    if not hasattr(axis, 'shape'):
        return ''
    return ': the arrays are one argument, a list or a tuple, F.%s((x, y))' % function
