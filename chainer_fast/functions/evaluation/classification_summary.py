from __future__ import annotations

import operator

from chainer_fast import _numbers
from chainer_fast.backends.kernels import accuracy as kernels
from chainer_fast.function import Function
from chainer_fast.functions import _checks
from chainer_fast.types import NdArray
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import Variable, VariableOrArray

# Results for more classes than this, of one gigabyte each, are requested by an invalid
# label rather than by so many classes.
_MOST_CLASSES = 2 ** 27


class ClassificationSummary(Function):
    """Precision, recall, F-beta score and support of each class."""

    def __init__(self, label_num: int | None, beta: float, ignore_label: int) -> None:
        self.ignore_label = ignore_label
        self.label_num: int | None = (
            None if label_num is None else +operator.index(_numbers.plain(label_num)))
        self.beta = beta

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.scores_and_labels(in_types)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        y, t = inputs
        count = self.label_num
        if count is None:
            # The number of results depends on the labels: the host must wait for a GPU.
            count = int(t.max()) + 1
            if count > _MOST_CLASSES:
                raise ValueError(
                    'the highest label in t is %d, but y has scores of %d classes, and '
                    'results are for at most 2**27 unless label_num is given: fix the '
                    'label, or pass label_num' % (count - 1, y.shape[1]))
        numbers = kernels.counts(y, t, count, self.ignore_label)
        return *kernels.shares(*numbers, self.beta), numbers[2]


def classification_summary(
        y: VariableOrArray, t: VariableOrArray, label_num: int | None = None,
        beta: float = 1.0, ignore_label: int = -1) -> tuple[Variable, ...]:
    """Precision, recall, F-beta score and support of each class.

    With the true positives :math:`tp`, false positives :math:`fp` and false
    negatives :math:`fn` of a class,

    .. math::

        p = \\frac{tp}{tp + fp}, \\qquad r = \\frac{tp}{tp + fn}, \\qquad
        F_\\beta = (1 + \\beta^2) \\frac{p r}{\\beta^2 p + r}

    Parameters
    ----------
    y : Variable or array
        Scores of a floating dtype; element ``[i, j, ...]`` is that of class ``j`` for
        sample ``i``.
    t : Variable or array
        Labels of a signed integer dtype and the shape of ``y`` without the second axis.
    label_num : int or None
        Number of classes. None means one more than the highest label.
    beta : float
        Weight of the recall relative to the precision.
    ignore_label : int
        Label of samples that are not counted.

    Returns
    -------
    tuple of Variables
        Precision, recall, F-beta score, which are of dtype float64, and support, which
        is of dtype int64, each of shape ``(label_num,)``. The support is the number of
        samples of a class. Undefined values, such as the recall of a class without
        samples, are NaN.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``y`` is not floating-point, ``t`` not of a signed integer dtype, or their
        shapes do not match.
    ValueError
        If ``label_num`` is None and a label is 2**27 or greater.

    See Also
    --------
    chainer_fast.functions.precision
    chainer_fast.functions.recall
    chainer_fast.functions.f1_score
    chainer_fast.functions.accuracy

    Notes
    -----
    No gradient flows through it.

    Examples
    --------
    >>> y = np.array([[2., 1.], [2., 1.], [1., 2.], [1., 2.]], np.float32)
    >>> t = np.array([0, 1, 1, 1], np.int32)
    >>> precision, recall, f1, support = F.classification_summary(y, t)
    >>> precision.array, recall.array
    (array([0.5, 1. ]), array([1.    , 0.6667]))
    >>> support.array
    array([1, 3])
    """
    summarize = ClassificationSummary(label_num, beta, ignore_label)
    return summarize(y, t)


def precision(
        y: VariableOrArray, t: VariableOrArray, label_num: int | None = None,
        ignore_label: int = -1) -> tuple[Variable, ...]:
    """Precision and support of each class.

    The precision is the fraction of the samples predicted as a class that belong to it:
    :math:`p = tp / (tp + fp)` for the true and false positives.

    Parameters
    ----------
    y : Variable or array
        Scores of a floating dtype; element ``[i, j, ...]`` is that of class ``j`` for
        sample ``i``.
    t : Variable or array
        Labels of a signed integer dtype and the shape of ``y`` without the second axis.
    label_num : int or None
        Number of classes. None means one more than the highest label.
    ignore_label : int
        Label of samples that are not counted.

    Returns
    -------
    tuple of Variables
        Precision and support of each class, of dtypes float64 and int64 and of shape
        ``(label_num,)``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``y`` is not floating-point, ``t`` not of a signed integer dtype, or their
        shapes do not match.

    See Also
    --------
    chainer_fast.functions.classification_summary

    Examples
    --------
    >>> y = np.array([[2., 1.], [2., 1.], [1., 2.], [1., 2.]], np.float32)
    >>> precision, support = F.precision(y, np.array([0, 1, 1, 1], np.int32))
    >>> precision.array
    array([0.5, 1. ])
    """
    summary = classification_summary(y, t, label_num, 1.0, ignore_label)
    return summary[0], summary[3]


def recall(
        y: VariableOrArray, t: VariableOrArray, label_num: int | None = None,
        ignore_label: int = -1) -> tuple[Variable, ...]:
    """Recall and support of each class.

    The recall is the fraction of the samples of a class that are predicted as that
    class: :math:`r = tp / (tp + fn)` for the true positives and false negatives.

    Parameters
    ----------
    y : Variable or array
        Scores of a floating dtype; element ``[i, j, ...]`` is that of class ``j`` for
        sample ``i``.
    t : Variable or array
        Labels of a signed integer dtype and the shape of ``y`` without the second axis.
    label_num : int or None
        Number of classes. None means one more than the highest label.
    ignore_label : int
        Label of samples that are not counted.

    Returns
    -------
    tuple of Variables
        Recall and support of each class, of dtypes float64 and int64 and of shape
        ``(label_num,)``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``y`` is not floating-point, ``t`` not of a signed integer dtype, or their
        shapes do not match.

    See Also
    --------
    chainer_fast.functions.classification_summary

    Examples
    --------
    >>> y = np.array([[2., 1.], [2., 1.], [1., 2.], [1., 2.]], np.float32)
    >>> recall, support = F.recall(y, np.array([0, 1, 1, 1], np.int32))
    >>> recall.array
    array([1.    , 0.6667])
    """
    summary = classification_summary(y, t, label_num, 1.0, ignore_label)
    return summary[1], summary[3]


def fbeta_score(
        y: VariableOrArray, t: VariableOrArray, label_num: int | None = None,
        beta: float = 1.0, ignore_label: int = -1) -> tuple[Variable, ...]:
    """F-beta score and support of each class.

    See :func:`~chainer_fast.functions.classification_summary` for the arguments.

    Returns
    -------
    tuple of Variables
        F-beta score and support.
    """
    summary = classification_summary(y, t, label_num, beta, ignore_label)
    return summary[2], summary[3]


def f1_score(
        y: VariableOrArray, t: VariableOrArray, label_num: int | None = None,
        ignore_label: int = -1) -> tuple[Variable, ...]:
    """F1 score, the harmonic mean of precision and recall, and support.

    .. math:: F_1 = \\frac{2 p r}{p + r}

    with the precision :math:`p` and the recall :math:`r` of a class.

    Parameters
    ----------
    y : Variable or array
        Scores of a floating dtype; element ``[i, j, ...]`` is that of class ``j`` for
        sample ``i``.
    t : Variable or array
        Labels of a signed integer dtype and the shape of ``y`` without the second axis.
    label_num : int or None
        Number of classes. None means one more than the highest label.
    ignore_label : int
        Label of samples that are not counted.

    Returns
    -------
    tuple of Variables
        F1 score and support of each class, of dtypes float64 and int64 and of shape
        ``(label_num,)``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``y`` is not floating-point, ``t`` not of a signed integer dtype, or their
        shapes do not match.

    See Also
    --------
    chainer_fast.functions.classification_summary

    Examples
    --------
    >>> y = np.array([[2., 1.], [2., 1.], [1., 2.], [1., 2.]], np.float32)
    >>> score, support = F.f1_score(y, np.array([0, 1, 1, 1], np.int32))
    >>> score.array
    array([0.6667, 0.8   ])
    """
    return fbeta_score(y, t, label_num, 1.0, ignore_label)
