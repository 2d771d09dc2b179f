"""Determinants."""
from __future__ import annotations

from chainer_fast.backends.kernels import linalg
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions.array import broadcast, reshape, transpose
from chainer_fast.functions.math import inv
from chainer_fast.types import NdArray
from chainer_fast.utils import precision
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


class BatchDet(FunctionNode):
    """Determinants of a batch of matrices."""

    @property
    def label(self) -> str:
        return 'det'

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        inv._check_square(in_types, 3)

    @precision._fp16_mixed_precision_helper
    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0,))
        self.retain_outputs((0,))
        y, self._factors = linalg.determinant(inputs[0])
        return y,

    def backward(
            self, indexes: tuple[int, ...],
            gy: GradOutputs) -> tuple[Variable | None, ...]:
        # By Jacobi's formula, d det(A) = det(A) tr(A^-1 dA).
        a, = self.get_retained_inputs()
        y, = self.get_retained_outputs()
        inverse, = inv.BatchInv(self._factors).apply((a,))
        cofactors = transpose.transpose(inverse, (0, 2, 1))
        g = reshape.reshape(gy[0] * y, (len(y), 1, 1))
        return broadcast.broadcast_to(g, a.shape) * cofactors,


def batch_det(a: VariableOrArray) -> Variable:
    """Determinants of a batch of matrices.

    .. math:: y_n = \\det A_n

    Parameters
    ----------
    a : Variable or array
        Floating-point square matrices, of shape ``(batch, n, n)``. Half precision is
        computed in single precision.

    Returns
    -------
    Variable
        Determinants, of shape ``(batch,)`` and the dtype of ``a``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``a`` is not floating-point or not a batch of square matrices.

    See Also
    --------
    chainer_fast.functions.det
    chainer_fast.functions.batch_inv

    Notes
    -----
    Singular matrices have a determinant, but the backward pass raises ``ValueError``
    for them: it needs their inverses.

    Examples
    --------
    >>> a = np.array([[[3., 1.], [2., 4.]], [[1., 0.], [0., 5.]]], np.float32)
    >>> F.batch_det(a).array
    array([10.,  5.], dtype=float32)
    """
    y, = BatchDet().apply((a,))
    return y


def det(a: VariableOrArray) -> Variable:
    """Determinant of a matrix.

    .. math:: \\det A = \\sum_\\pi \\operatorname{sign}(\\pi) \\prod_i a_{i, \\pi(i)}

    where the sum is over all permutations.

    Parameters
    ----------
    a : Variable or array
        Floating-point square matrix. Half precision is computed in single precision.

    Returns
    -------
    Variable
        The determinant, of shape ``()`` and the dtype of ``a``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``a`` is not floating-point or not a square matrix.

    See Also
    --------
    chainer_fast.functions.batch_det
    chainer_fast.functions.inv
    numpy.linalg.det

    Notes
    -----
    A singular matrix has a determinant, but the backward pass raises ``ValueError``
    for it: it needs the inverse.

    Examples
    --------
    >>> F.det(np.array([[3., 1.], [2., 4.]], np.float32)).array      # 3 * 4 - 1 * 2
    array(10., dtype=float32)
    """
    batch = reshape.reshape(a, (1, a.shape[0], a.shape[1]))
    return reshape.reshape(batch_det(batch), ())
