"""Boxes in the coordinates of images of another size."""
from __future__ import annotations

import dataclasses
import functools
import typing as tp

import numpy

from chainer_fast.backends.cuda import get_array_module
from chainer_fast.types import NdArray


@dataclasses.dataclass(frozen=True)
class Boxes:
    """Boxes ``(y_min, x_min, y_max, x_max)`` to multiply by a number.

    Attributes
    ----------
    corners : array
        Array of shape ``(r, 4)`` or ``(r, 2, 2)``.
    scale : float
        The number.
    """

    corners: tp.Any
    scale: float

    def __len__(self) -> int:
        return len(self.corners)

    def in_pixels(self) -> NdArray:
        """Return an array of shape ``(r, 4)``, in double precision."""
        xp = get_array_module(self.corners)
        boxes = xp.multiply(self.corners, self.scale, dtype=numpy.float64)
        return xp.ascontiguousarray(boxes).reshape(len(boxes), 4)


def in_pixels(form: tp.Any) -> tp.Callable[..., tp.Any]:
    """Decorate a form of a kernel that takes boxes as arrays."""
    @functools.wraps(form)
    def run(*args):
        return form(*[
            arg.in_pixels() if isinstance(arg, Boxes) else arg for arg in args])

    return run
