from __future__ import annotations

from chainer_fast.backends.kernels import accuracy as kernels
from chainer_fast.function import Function
from chainer_fast.types import NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import Variable, VariableOrArray


class BinaryAccuracy(Function):
    """Fraction of elements whose sign agrees with their binary label."""

    ignore_label = -1

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check._argname(in_types, ('x', 't'))
        for each, kind in zip(in_types, 'fi', strict=True):
            type_check.expect(each.dtype.kind == kind)
        type_check.expect(in_types[1].shape == in_types[0].shape)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        return kernels.binary_accuracy(*inputs, self.ignore_label),


def binary_accuracy(y: VariableOrArray, t: VariableOrArray) -> Variable:
    """Fraction of elements whose sign agrees with their binary label.

    .. math:: \\frac{|\\{ i : t_i = [y_i \\ge 0] \\}|}{|\\{ i : t_i \\ne -1 \\}|}

    Parameters
    ----------
    y : Variable or array
        Scores of a floating dtype. Scores of zero or greater predict label 1.
    t : Variable or array
        Labels 0 and 1, or -1 for elements that are not counted, of an integer dtype and
        the shape of ``y``.

    Returns
    -------
    Variable
        The fraction, of shape ``()`` and the dtype of ``y``; 0 if no element is
        counted.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``y`` is not floating-point, ``t`` not of a signed integer dtype, or the
        shapes differ.

    See Also
    --------
    chainer_fast.functions.accuracy
    chainer_fast.functions.sigmoid_cross_entropy

    Notes
    -----
    No gradient flows through it.

    Examples
    --------
    >>> y = np.array([4., -1., -3., 9.], np.float32)
    >>> t = np.array([1, 1, 0, -1], np.int32)       # the last does not count
    >>> F.binary_accuracy(y, t).array
    array(0.6667, dtype=float32)
    """
    return BinaryAccuracy()(y, t)
