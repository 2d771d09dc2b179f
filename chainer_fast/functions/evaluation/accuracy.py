from __future__ import annotations

from chainer_fast.backends.kernels import accuracy as kernels
from chainer_fast.backends.kernels import record
from chainer_fast.backends.kernels.declared import Declared
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.types import NdArray
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import Variable, VariableOrArray


@record(Declared('accuracy', None, None))
class Accuracy(FunctionNode):
    """Fraction of samples whose label has the highest score."""

    def __init__(self, ignore_label: int | None = None) -> None:
        super().__init__()
        self.ignore_label = ignore_label

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.scores_and_labels(in_types)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        return kernels.accuracy(*inputs, self.ignore_label),


def accuracy(
        y: VariableOrArray, t: VariableOrArray,
        ignore_label: int | None = None) -> Variable:
    """Fraction of samples whose label has the highest score.

    .. math:: \\frac{1}{N} | \\{ i : \\operatorname{argmax}_j y_{ij} = t_i \\} |

    where :math:`N` is the number of samples that are counted.

    Parameters
    ----------
    y : Variable or array
        Scores of a floating dtype; element ``[i, j, ...]`` is that of class ``j`` for
        sample ``i``.
    t : Variable or array
        Labels of a signed integer dtype and the shape of ``y`` without the second axis.
    ignore_label : int or None
        Label of samples that are not counted. None means that all samples count.

    Returns
    -------
    Variable
        The fraction, of shape ``()`` and the dtype of ``y``; 0 if every label is
        ignored.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``y`` is not floating-point, ``t`` not of a signed integer dtype, or their
        shapes do not match.
    numpy.exceptions.AxisError
        If ``y`` has no second axis.

    See Also
    --------
    chainer_fast.functions.binary_accuracy
    chainer_fast.functions.classification_summary

    Notes
    -----
    No gradient flows through it.

    Examples
    --------
    >>> y = np.array([[1., 3.], [4., 2.], [0., 5.]], np.float32)
    >>> F.accuracy(y, np.array([1, 1, 1], np.int32)).array      # two of three
    array(0.6667, dtype=float32)
    >>> F.accuracy(y, np.array([1, 1, -1], np.int32), ignore_label=-1).array
    array(0.5, dtype=float32)
    """
    return Accuracy(ignore_label=ignore_label).apply((y, t))[0]
