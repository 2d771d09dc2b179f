"""Inverses of matrices."""
from __future__ import annotations

from typing import Any

import numpy

from chainer_fast.backends.kernels import linalg
from chainer_fast.configuration import config
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.functions.math import matmul
from chainer_fast.types import NdArray
from chainer_fast.utils import precision, type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


def _inverse(x, factors=None):
    """Invert the matrices in the last two axes, of which there may be factors."""
    try:
        return linalg.inverse(x, config.debug, factors)
    except numpy.linalg.LinAlgError:
        raise ValueError('Input has singular matrices: they have no inverse.') from None


def _check_square(in_types, ndim):
    """Expect floating-point square matrices in the last two of a number of axes."""
    _checks.floats(in_types, 'a')
    type_check.expect(in_types[0].ndim == ndim)
    height, width = in_types[0].shape[ndim - 2], in_types[0].shape[ndim - 1]
    type_check.expect(height == width)


class Inv(FunctionNode):
    """Inverse of a matrix, of which the kernel of determinants may have the factors."""

    def __init__(self, factors: Any = None) -> None:
        super().__init__()
        self._factors = factors

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _check_square(in_types, 2)

    @precision._fp16_mixed_precision_helper
    def forward(self, x: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_outputs((0,))
        return _inverse(x[0], self._factors),

    def backward(
            self, x: tuple[int, ...], gy: GradOutputs) -> tuple[Variable | None, ...]:
        # d(A^-1) = -A^-1 dA A^-1.
        y, = self.get_retained_outputs()
        g = matmul.matmul(matmul.matmul(y, gy[0], transa=True), y, transb=True)
        return -g,


class BatchInv(Inv):
    """Inverses of a batch of matrices."""

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _check_square(in_types, 3)


def inv(a: VariableOrArray) -> Variable:
    """Inverse of a matrix.

    .. math:: A A^{-1} = I

    Parameters
    ----------
    a : Variable or array
        Floating-point square matrix. Half precision is computed in single precision.

    Returns
    -------
    Variable
        Matrix whose product with ``a`` is the identity, of the shape and dtype of
        ``a``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``a`` is not floating-point or not a square matrix.
    ValueError
        If the matrix is singular; on a GPU in debug mode only.

    See Also
    --------
    chainer_fast.functions.batch_inv
    chainer_fast.functions.det
    numpy.linalg.inv

    Examples
    --------
    >>> F.inv(np.array([[2., 0.], [0., 4.]], np.float32)).array
    array([[0.5 , 0.  ],
           [0.  , 0.25]], dtype=float32)
    """
    y, = Inv().apply((a,))
    return y


def batch_inv(a: VariableOrArray) -> Variable:
    """Inverses of a batch of matrices.

    .. math:: Y_n = A_n^{-1}

    Parameters
    ----------
    a : Variable or array
        Floating-point square matrices, of shape ``(batch, n, n)``. Half precision is
        computed in single precision.

    Returns
    -------
    Variable
        Inverses, of the shape and dtype of ``a``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``a`` is not floating-point or not a batch of square matrices.
    ValueError
        If any matrix is singular; on a GPU in debug mode only.

    See Also
    --------
    chainer_fast.functions.inv
    chainer_fast.functions.batch_det

    Examples
    --------
    >>> a = np.array([[[2., 0.], [0., 4.]], [[1., 1.], [0., 1.]]], np.float32)
    >>> F.batch_inv(a).array
    array([[[ 0.5 ,  0.  ],
            [ 0.  ,  0.25]],
    <BLANKLINE>
           [[ 1.  , -1.  ],
            [ 0.  ,  1.  ]]], dtype=float32)
    """
    y, = BatchInv().apply((a,))
    return y
