"""The module ``chainerx`` of a Chainer that was built without ChainerX.

ChainerX is an array library of its own, in C++, which this package does not have.
Programs call :func:`is_available` before they use it, which returns False.
"""
from chainer_fast.alias.chainerx import _build_info

_available = False


class ndarray:
    """Type of ChainerX's arrays, for ``isinstance``; there are none."""

    def __init__(self, *args, **kwargs):
        raise RuntimeError('chainerx is not available.')


ndarray.__module__ = 'chainerx'


def is_available():
    """Return whether ChainerX can be used: always ``False``."""
    return _available
