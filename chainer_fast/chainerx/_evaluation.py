"""Evaluation of predictions."""
from __future__ import annotations

from chainer_fast.chainerx import _functions
from chainer_fast.chainerx._array import ndarray
from chainer_fast.functions.evaluation import accuracy as accuracy_mod

__all__ = ['accuracy']


def accuracy(y: ndarray, t: ndarray, ignore_label: int | None = None) -> ndarray:
    """Return the fraction of labels with the largest scores.

    Parameters
    ----------
    y : ndarray
        Scores, of the shape ``(batch, classes, ...)``.
    t : ndarray of int
        Labels, of the shape without classes.
    ignore_label : int, optional
        A label to ignore.

    Raises
    ------
    DtypeError
        If the scores are not floats, or the labels not integers.
    DimensionError
        If the shapes do not match.
    """
    _functions.expect_dtypes('f', y)
    _functions.expect_dtypes('iu', t)
    return _functions.apply_unchanged(
        lambda v, w: accuracy_mod.accuracy(v, w, ignore_label),
        y.as_grad_stopped(), t)
