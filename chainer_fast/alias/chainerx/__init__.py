"""The module ``chainerx`` of a Chainer that was built without ChainerX.

ChainerX is an array library of its own, in C++, which this package does not have.
Programs call :func:`is_available` before they use it, which returns False.
"""
from __future__ import annotations

import typing as tp

from chainer_fast.alias.chainerx import _build_info

_available = False


class ndarray:
    """Type of ChainerX's arrays, for ``isinstance``; there are none."""

    def __init__(self, *args: tp.Any, **kwargs: tp.Any) -> None:
        raise RuntimeError('chainerx is not available.')


ndarray.__module__ = 'chainerx'


def is_available() -> bool:
    """Return whether ChainerX can be used: always ``False``."""
    return _available
