from __future__ import annotations

from chainer_fast.backends.kernels import accuracy as kernels
from chainer_fast.function import Function
from chainer_fast.functions import _checks
from chainer_fast.types import NdArray, VariableOrArray
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import Variable


class ClassificationSummary(Function):
    """Precision, recall, F-beta score and support of each class."""

    def __init__(self, label_num: int | None, beta: float, ignore_label: int) -> None:
        self.ignore_label = ignore_label
        self.label_num = label_num
        self.beta = beta

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.scores_and_labels(in_types)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        y, t = inputs
        count = self.label_num
        if count is None:
            # As many results as there are labels: on a GPU, the host waits for them.
            count = int(t.max()) + 1
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
        Labels of an integer dtype.
    label_num : int or None
        Number of classes. None means one more than the highest label.
    beta : float
        Weight of the recall against the precision.
    ignore_label : int
        Label of samples that do not count.

    Returns
    -------
    tuple of Variables
        Precision, recall, F-beta score and support, each of shape ``(label_num,)``. The
        support is the number of samples of a class. Undefined values, such as the
        recall of a class without samples, are NaN.

    Notes
    -----
    No gradient flows through it.
    """
    summarize = ClassificationSummary(label_num, beta, ignore_label)
    return summarize(y, t)


def precision(
        y: VariableOrArray, t: VariableOrArray, label_num: int | None = None,
        ignore_label: int = -1) -> tuple[Variable, ...]:
    """Precision and support of each class.

    See :func:`~chainer.functions.classification_summary` for the arguments.

    Returns
    -------
    tuple of Variables
        Precision and support.
    """
    summary = classification_summary(y, t, label_num, 1.0, ignore_label)
    return summary[0], summary[3]


def recall(
        y: VariableOrArray, t: VariableOrArray, label_num: int | None = None,
        ignore_label: int = -1) -> tuple[Variable, ...]:
    """Recall and support of each class.

    See :func:`~chainer.functions.classification_summary` for the arguments.

    Returns
    -------
    tuple of Variables
        Recall and support.
    """
    summary = classification_summary(y, t, label_num, 1.0, ignore_label)
    return summary[1], summary[3]


def fbeta_score(
        y: VariableOrArray, t: VariableOrArray, label_num: int | None = None,
        beta: float = 1.0, ignore_label: int = -1) -> tuple[Variable, ...]:
    """F-beta score and support of each class.

    See :func:`~chainer.functions.classification_summary` for the arguments.

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

    See :func:`~chainer.functions.classification_summary` for the arguments.

    Returns
    -------
    tuple of Variables
        F1 score and support.
    """
    return fbeta_score(y, t, label_num, 1.0, ignore_label)
