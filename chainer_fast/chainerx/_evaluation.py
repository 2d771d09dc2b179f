"""How good predictions are."""
from __future__ import annotations

from chainer_fast.chainerx import _functions
from chainer_fast.chainerx._array import ndarray
from chainer_fast.functions.evaluation import accuracy as accuracy_mod

__all__ = ['accuracy']


def accuracy(y: ndarray, t: ndarray, ignore_label: int | None = None) -> ndarray:
    """Return the share of labels whose scores are the largest.

    Parameters
    ----------
    y : ndarray
        Scores, of the shape ``(batch, classes, ...)``.
    t : ndarray of int
        Labels, of the shape without classes.
    ignore_label : int, optional
        A label that does not count.

    Raises
    ------
    DtypeError
        If the scores are no floats, or the labels no integers.
    DimensionError
        If the shapes do not go together.
    """
    _functions.expect_dtypes('f', y)
    _functions.expect_dtypes('iu', t)
    return _functions.apply_unchanged(
        lambda v, w: accuracy_mod.accuracy(v, w, ignore_label),
        y.as_grad_stopped(), t)
