"""Matrix products of which one operand is sparse."""
from __future__ import annotations

from typing import Any

import numpy

from chainer_fast import utils
from chainer_fast.backends.kernels import sparse as sparse_kernels
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.types import DTypeSpec, NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable


def _flip(x, yes):
    return x.swapaxes(-1, -2) if yes else x


class _Sampled(FunctionNode):
    """The sparse matrix of a product and its gradient, without its values.

    Parameters
    ----------
    sp_row, sp_col : array of int, shape (nnz,) or (batch, nnz)
        Coordinates of the values; negative ones are padding.
    sp_shape : tuple of int
        Shape of the matrix.
    sp_order : str
        Order of the coordinates, see :class:`chainer_fast.utils.CooMatrix`.
    transa, transb, transc : bool
        Whether to transpose the operands and the result.
    dtype : optional
        Dtype of the result, by default the common dtype of the operands.
    """

    sp_shape: tuple[int, int]
    sp_order: str
    dtype: DTypeSpec
    sp_row: NdArray
    sp_col: NdArray
    transa: bool
    transb: bool
    transc: bool

    def __init__(
            self, sp_row: NdArray, sp_col: NdArray, sp_shape: tuple[int, ...],
            sp_order: str = 'other', transa: bool = False, transb: bool = False,
            transc: bool = False, dtype: DTypeSpec = None) -> None:
        if sp_row.shape != sp_col.shape:
            raise ValueError('shapes of sp_row and sp_col must be the same: %s, %s.'
                             % (sp_row.shape, sp_col.shape))
        if not 1 <= sp_row.ndim <= 2:
            raise ValueError(
                'sp_row and sp_col must have 1 axis or 2, not %d.' % sp_row.ndim)
        if len(sp_shape) != 2:
            raise ValueError('sp_shape must be that of a matrix: %s.' % (sp_shape,))
        self.sp_shape, self.sp_order, self.dtype = sp_shape, sp_order, dtype
        self.sp_row, self.sp_col = sp_row, sp_col
        self.transa, self.transb, self.transc = transa, transb, transc

    def _result_dtype(self, inputs):
        if self.dtype is not None:
            return numpy.dtype(self.dtype)
        return numpy.result_type(*[x.dtype for x in inputs])

    def _like(self, cls, transa, transb, transc, dtype):
        return cls(self.sp_row, self.sp_col, self.sp_shape, self.sp_order,
                   transa, transb, transc, dtype)


def _computing_dtype(inputs):
    """Return the dtype to compute in: single precision for half precision."""
    return numpy.result_type(numpy.float32, *[x.dtype for x in inputs])


class CooMatMul(_Sampled):
    """Product of a sparse matrix, whose values are the input, and a dense one."""

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'sp', 'dn')
        sp_type, dn_type = in_types
        inner = self.sp_shape[0 if self.transa else 1]
        type_check.expect(dn_type.shape[-1 if self.transb else -2] == inner)
        type_check.expect(sp_type.ndim == dn_type.ndim - 1)
        type_check.expect(sp_type.ndim == self.sp_row.ndim)
        type_check.expect(sp_type.shape[-1] == self.sp_row.shape[-1])
        if self.sp_row.ndim == 2:
            type_check.expect(sp_type.shape[0] == self.sp_row.shape[0])
            type_check.expect(dn_type.shape[0] == self.sp_row.shape[0])

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0, 1))
        dtype = _computing_dtype(inputs)
        data, dense = [x.astype(dtype, copy=False) for x in inputs]
        row, col, (m, n) = self.sp_row, self.sp_col, self.sp_shape
        if self.transa:
            row, col, m = col, row, n
        c = sparse_kernels.product(data, row, col, m, _flip(dense, self.transb))
        c = _flip(c, self.transc)
        return utils.force_array(c, self._result_dtype(inputs)),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        # Of C = A B, with the transpositions on request, gA = gC B^T where A has
        # values, and gB = A^T gC.
        sp, dn = self.get_retained_inputs()
        gc, = grad_outputs
        transa, transb, transc = self.transa, self.transb, self.transc
        grads = []
        for i in indexes:
            if i == 0:
                function = self._like(
                    CooMatMulGradSP, transc, not transb, transa, sp.dtype)
                grads.extend(function.apply((gc, dn)))
            else:
                function = self._like(CooMatMul, not transa, transc, transb, dn.dtype)
                grads.extend(function.apply((sp, gc)))
        return tuple(grads)


class CooMatMulGradSP(_Sampled):
    """Product of two dense matrices, computed where a sparse one has values."""

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'a', 'b')
        a_type, b_type = in_types
        type_check.expect(a_type.ndim == b_type.ndim)
        type_check.expect(a_type.shape[-2 if self.transa else -1]
                          == b_type.shape[-1 if self.transb else -2])
        rows, columns = self.sp_shape[::-1] if self.transc else self.sp_shape
        type_check.expect(a_type.shape[-1 if self.transa else -2] == rows)
        type_check.expect(b_type.shape[-2 if self.transb else -1] == columns)
        type_check.expect(a_type.ndim == self.sp_row.ndim + 1)
        if self.sp_row.ndim == 2:
            for each in in_types:
                type_check.expect(each.shape[0] == self.sp_row.shape[0])

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0, 1))
        dtype = _computing_dtype(inputs)
        a, b = [x.astype(dtype, copy=False) for x in inputs]
        row, col = self.sp_row, self.sp_col
        if self.transc:
            row, col = col, row
        values = sparse_kernels.sampled_product(
            _flip(a, self.transa), row, col, _flip(b, not self.transb))
        return utils.force_array(values, self._result_dtype(inputs)),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        # The gradient of the values is a sparse matrix G; of C = A B, gA = G B^T and
        # gB = A^T G, which is the transpose of G^T A.
        a, b = self.get_retained_inputs()
        gsp, = grad_outputs
        transa, transb, transc = self.transa, self.transb, self.transc
        grads = []
        for i in indexes:
            if i == 0:
                function = self._like(CooMatMul, transc, not transb, transa, a.dtype)
                grads.extend(function.apply((gsp, b)))
            else:
                function = self._like(
                    CooMatMul, not transc, transa, not transb, b.dtype)
                grads.extend(function.apply((gsp, a)))
        return tuple(grads)


def sparse_matmul(
        a: Any, b: Any, transa: bool = False, transb: bool = False) -> Variable:
    """Matrix product of a sparse and a dense matrix, or of batches of them.

    .. math:: y_{ij} = \\sum_k a_{ik} b_{kj}

    Parameters
    ----------
    a, b : CooMatrix, and Variable or array
        One sparse and one dense operand, in either order. The dense one is
        floating-point and has two axes, or three for a batch whose length is that of
        the sparse one.
    transa, transb : bool
        Whether to transpose the matrices of an operand.

    Returns
    -------
    Variable
        The dense product, with two or three axes, in the common dtype of the operands.

    Raises
    ------
    ValueError
        If not exactly one of the operands is sparse.
    chainer_fast.utils.type_check.InvalidType
        If shapes do not match, or the dense operand is not floating-point.

    See Also
    --------
    chainer_fast.functions.matmul
    chainer_fast.utils.to_coo

    Examples
    --------
    >>> a = chainer.utils.to_coo(np.array([[0., 2.], [3., 0.]], np.float32))
    >>> b = np.array([[1., 10.], [100., 1000.]], np.float32)
    >>> F.sparse_matmul(a, b).array
    array([[ 200., 2000.],
           [   3.,   30.]], dtype=float32)
    """
    sparse = [isinstance(x, utils.CooMatrix) for x in (a, b)]
    if sum(sparse) != 1:
        raise ValueError(
            'One of the operands must be a CooMatrix and the other one a dense '
            'matrix, but they are %s and %s.' % (type(a), type(b)))
    if sparse[0]:
        matrix, dense, flags = a, b, (transa, transb)
    else:
        # A B is the transpose of B^T A^T.
        matrix, dense, flags = b, a, (not transb, not transa, True)
    function = CooMatMul(matrix.row, matrix.col, matrix.shape, matrix.order, *flags)
    y, = function.apply((matrix.data, dense))
    return y
