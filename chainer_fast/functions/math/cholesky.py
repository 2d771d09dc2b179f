from __future__ import annotations

from chainer_fast import backend
from chainer_fast.backends.kernels import linalg
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.functions.math import inv, matmul
from chainer_fast.types import NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


class _InverseOfFactor(inv.Inv):
    """Inverse of a lower triangular matrix, whose diagonal is positive."""

    label = 'Inv'

    def forward(self, x: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_outputs((0,))
        return linalg.inverse_of_lower(x[0]),


class Cholesky(FunctionNode):
    """Lower triangular factor of a positive definite matrix."""

    @property
    def label(self) -> str:
        return 'cholesky'

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'a')
        type_check.expect(in_types[0].ndim == 2)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_outputs((0,))
        return linalg.cholesky(inputs[0]),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        # From A = L L^T, L^-1 dA L^-T = M + M^T with the lower triangular M = L^-1 dL.
        # So M is the lower triangle of the left-hand side with half of its diagonal,
        # and <gL, dL> = <L^T gL, M> is expressed in terms of dA. See I. Murray,
        # "Differentiation of the Cholesky decomposition" (arXiv:1602.07527), section
        # 5.3.
        factor, = self.get_retained_outputs()
        gy, = grad_outputs
        xp = backend.get_array_module(gy)
        n = len(gy)
        half = xp.tri(n, dtype=gy.dtype)
        half.reshape(-1)[::n + 1] = .5
        inverse, = _InverseOfFactor().apply((factor,))
        middle = matmul.matmul(factor, gy, transa=True) * half
        g = matmul.matmul(matmul.matmul(inverse, middle, transa=True), inverse)
        return (g + g.T) * .5,


def cholesky(a: VariableOrArray) -> Variable:
    """Cholesky decomposition of a matrix.

    .. math:: A = L L^T

    Parameters
    ----------
    a : Variable or array
        Symmetric positive definite matrix in single or double precision. Only its lower
        triangle is read; the gradient is that with respect to a symmetric matrix.

    Returns
    -------
    Variable
        Lower triangular matrix :math:`L`, of the shape and dtype of ``a``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``a`` is not floating-point or does not have two axes.
    numpy.linalg.LinAlgError
        If the matrix is not positive definite, or not square.
    TypeError
        If ``a`` is in half precision.

    See Also
    --------
    chainer_fast.functions.inv
    chainer_fast.functions.det
    numpy.linalg.cholesky

    Examples
    --------
    >>> F.cholesky(np.array([[4., 2.], [2., 5.]], np.float32)).array
    array([[2., 0.],
           [1., 2.]], dtype=float32)
    """
    return Cholesky().apply((a,))[0]
