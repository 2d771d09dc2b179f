"""Matrix products of single matrices and of batches of them."""
from __future__ import annotations

import warnings

from chainer_fast import function_node, utils
from chainer_fast.backends.kernels import matmul as kernels
from chainer_fast.backends.kernels import record
from chainer_fast.backends.kernels.matmul import compiled
from chainer_fast.functions import _checks
from chainer_fast.functions.array import reshape
from chainer_fast.functions.math import sum as sum_mod
from chainer_fast.types import DTypeSpec, NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


def _flip(x, yes):
    """Transpose the matrices in the last two axes; return vectors unchanged."""
    return x.swapaxes(-1, -2) if yes and x.ndim > 1 else x


def _is_common(shape, ndim):
    """Return whether a right operand is one matrix for a batch with so many axes."""
    return 2 < len(shape) <= ndim and set(shape[:-2]) == {1}


def _matmul(a, b, transa=False, transb=False, transout=False):
    """Return the product of arrays, with operands or result transposed on request."""
    if transout and min(a.ndim, b.ndim) > 1:
        # (A B)^T = B^T A^T yields a contiguous result.
        return _matmul(b, a, not transb, not transa)
    left, right = _flip(a, transa), _flip(b, transb)
    if _is_common(right.shape, left.ndim):
        right = right.reshape(right.shape[-2:])
    if right.ndim < 3 and (left.ndim < 3 or not transa):
        # One large product where matmul would compute many small ones.
        return kernels.dot(left, right)
    return kernels.matmul(left, right)


def _get_check_index(trans, right, row_idx=0, col_idx=1):
    """Return the axis of an operand that a product sums over.

    This is the column axis of the left operand and the row axis of the right one; they
    are exchanged if the operand is transposed.
    """
    exchanged = bool(trans) != bool(right)
    return (col_idx, row_idx)[exchanged]


def _check_ndim(in_type, lower=1, upper=2):
    """Expect a number of axes between ``lower`` and ``upper``, inclusive."""
    ndim = in_type.ndim
    type_check.expect(lower <= ndim, ndim <= upper)


class _Product(function_node.FunctionNode):
    """Function of two operands, each of which may be transposed."""

    def __init__(self, transa: bool = False, transb: bool = False) -> None:
        self.transa = transa
        self.transb = transb


@record(compiled.MatMulShortcut(), fields=('dtype', 'transa', 'transb', 'transc'))
class MatMul(_Product):
    """Product of matrices, of a batch of them, or of a matrix and a vector.

    ``transc`` transposes the result and ``dtype`` casts it.
    """

    def __init__(
            self, transa: bool = False, transb: bool = False, transc: bool = False,
            dtype: DTypeSpec = None) -> None:
        super().__init__(transa, transb)
        self.transc = transc
        self.dtype = dtype

    def _check_data_type_forward(self, arrays):
        # Matrices that obviously match need no further check.
        if len(arrays) == 2:
            a, b = [x.shape for x in arrays]
            if (min(len(a), len(b)) > 1 and a[:-2] == b[:-2]
                    and a[-2 if self.transa else -1] == b[-1 if self.transb else -2]
                    and arrays[0].dtype.kind == arrays[1].dtype.kind == 'f'):
                return
        super()._check_data_type_forward(arrays)

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'a', 'b')
        summed = []
        for x, trans, right in zip(in_types, (self.transa, self.transb), (False, True),
                                   strict=True):
            type_check.expect(x.ndim >= 1)
            axis = -2 if bool(trans) != right else -1
            if type_check.eval(x.ndim) == 1:
                axis = 0
            summed.append(x.shape[axis])
        type_check.expect(summed[0] == summed[1])
        a, b = in_types
        if min(type_check.eval(a.ndim), type_check.eval(b.ndim)) > 2:
            type_check.expect_broadcast_shapes(a.shape[:-2], b.shape[:-2])

    def forward(self, x: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        a, b = x
        y = _matmul(a, b, self.transa, self.transb, self.transc)
        self.retain_inputs((0, 1))
        return utils.force_array(y, self.dtype),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        a, b = self.get_retained_inputs()
        gy, = grad_outputs
        transa, transb, transc = self.transa, self.transb, self.transc

        # A left vector is a row and a right one a column, and each keeps an axis of
        # length 1 in the gradient of the result.
        a_shape, b_shape = a.shape, b.shape
        if a.ndim == 1 or b.ndim == 1:
            batch = (a_shape if b.ndim == 1 else b_shape)[:-2]
            rows = 1 if a.ndim == 1 else a_shape[-1 if transa else -2]
            columns = 1 if b.ndim == 1 else b_shape[-2 if transb else -1]
            gy = reshape.reshape(gy, batch + (rows, columns))
            if a.ndim == 1:
                a = reshape.reshape(a, (1,) + a_shape)
                transa = False
            if b.ndim == 1:
                b = reshape.reshape(b, b_shape + (1,))
                transb = False
            transc = False
        elif a.ndim > 2 and not (transa or transc) and (
                b.ndim == 2 or _is_common(b_shape, a.ndim)):
            # All matrices of the batch are multiplied by the same one: stacked, they
            # form one matrix, which avoids separate gradients of b that would have to
            # be summed.
            b = reshape.reshape(b, b_shape[-2:])
            rows = utils.size_of_shape(a_shape[:-1])
            a = reshape.reshape(a, (rows, a_shape[-1]))
            gy = reshape.reshape(gy, (rows, gy.shape[-1]))

        grads = []
        for i in indexes:
            if i == 0:
                x, shape = a, a_shape
                g, = MatMul(transc, not transb, transa, x.dtype).apply((gy, b))
            else:
                x, shape = b, b_shape
                g, = MatMul(not transa, transc, transb, x.dtype).apply((a, gy))
            if g.shape != x.shape:
                g = sum_mod.sum_to(g, x.shape)
            grads.append(g if g.shape == shape else reshape.reshape(g, shape))
        return tuple(grads)


def matmul(
        a: VariableOrArray, b: VariableOrArray, transa: bool = False,
        transb: bool = False) -> Variable:
    """Matrix product.

    .. math:: y_{ij} = \\sum_k a_{ik} b_{kj}

    Parameters
    ----------
    a, b : Variable or array
        Floating-point arrays. An array with two axes is a matrix; preceding axes form a
        batch of matrices, which is broadcast. An array with one axis is a vector: a row
        as left operand and a column as right operand.
    transa, transb : bool
        Whether to transpose the matrices of an operand. Vectors are not affected.

    Returns
    -------
    Variable
        The product, without the axes that were added to vectors, in the common dtype of
        the operands.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If an operand is not floating-point or has no axis, the summed axes differ in
        length, or the batches cannot be broadcast.

    See Also
    --------
    chainer_fast.functions.tensordot
    chainer_fast.functions.einsum
    chainer_fast.functions.linear
    numpy.matmul

    Examples
    --------
    >>> a = np.array([[1., 2.], [3., 4.]], np.float32)
    >>> F.matmul(a, a, transb=True).array
    array([[ 5., 11.],
           [11., 25.]], dtype=float32)
    >>> F.matmul(a, np.array([1., 10.], np.float32)).array
    array([21., 43.], dtype=float32)
    """
    y, = MatMul(transa, transb).apply((a, b))
    return y


def _as_columns(x):
    """Reshape a batch of vectors to a batch of matrices with one column."""
    return x[:, :, None] if x.ndim == 2 else x


def _summed_length(in_type, axis):
    """Return the length of an axis, which is 1 for the missing column of vectors."""
    if axis == 2 and type_check.eval(in_type.ndim) == 2:
        return type_check.make_variable(1, '1')
    return in_type.shape[axis]


class BatchMatMul(_Product):
    """Products of the pairs of matrices of two batches of equal length."""

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'a', 'b')
        a, b = in_types
        type_check.expect(a.dtype == b.dtype)
        for each in in_types:
            _check_ndim(each, 2, 3)
        type_check.expect(a.shape[0] == b.shape[0])
        lengths = [
            _summed_length(a, _get_check_index(self.transa, False, 1, 2)),
            _summed_length(b, _get_check_index(self.transb, True, 1, 2))]
        type_check.expect(lengths[0] == lengths[1])

    def forward(self, x: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        a, b = map(_as_columns, x)
        y = _matmul(a, b, self.transa, self.transb)
        self.retain_inputs((0, 1))
        return y,

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        inputs = self.get_retained_inputs()
        gradient = BatchMatMulGrad(self.transa, self.transb)
        return gradient.apply((*inputs, *grad_outputs))


class BatchMatMulGrad(_Product):
    """Gradients of :class:`BatchMatMul` with respect to both operands."""

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        a, b, gy = map(_as_columns, inputs)
        self.retain_inputs((0, 1, 2))
        ga = _matmul(gy, b, False, not self.transb, self.transa)
        gb = _matmul(a, gy, not self.transa, False, self.transb)
        return ga.reshape(inputs[0].shape), gb.reshape(inputs[1].shape)

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        # <gga, ga> + <ggb, gb> = <gy, op(gga) op(b) + op(a) op(ggb)>, so the gradient
        # of each operand is that of the product of the other one and a second gradient.
        a, b, gy = self.get_retained_inputs()
        gga, ggb = grad_outputs
        flags = self.transa, self.transb
        grads = []
        for i in indexes:
            g = None
            if i == 0:
                if ggb is not None:
                    g = BatchMatMulGrad(*flags).apply((a, ggb, gy))[0]
            elif i == 1:
                if gga is not None:
                    g = BatchMatMulGrad(*flags).apply((gga, b, gy))[1]
            else:
                if gga is not None:
                    g, = BatchMatMul(*flags).apply((gga, b))
                if ggb is not None:
                    h, = BatchMatMul(*flags).apply((a, ggb))
                    g = h if g is None else g + h
            grads.append(g)
        return tuple(grads)


def batch_matmul(
        a: VariableOrArray, b: VariableOrArray, transa: bool = False,
        transb: bool = False) -> Variable:
    """Products of the pairs of matrices of two batches.

    .. deprecated:: 3.0
       Use :func:`matmul`.

    .. math:: y_{nij} = \\sum_k a_{nik} b_{nkj}

    Parameters
    ----------
    a, b : Variable or array
        Floating-point batches of matrices, with three axes, or of vectors, with two
        axes. A vector is a matrix with one column.
    transa, transb : bool
        Whether to transpose the matrices of an operand.

    Returns
    -------
    Variable
        Products, of shape ``(batch, rows, columns)``, in the common dtype of the
        operands.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If the operands are not floating-point, or their shapes do not match.

    Warns
    -----
    DeprecationWarning
        At every call.

    See Also
    --------
    chainer_fast.functions.matmul

    Examples
    --------
    >>> import warnings
    >>> a = np.array([[[1., 2.], [3., 4.]]], np.float32)
    >>> b = np.array([[1., 10.]], np.float32)
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter('ignore', DeprecationWarning)
    ...     F.batch_matmul(a, b).array
    array([[[21.],
            [43.]]], dtype=float32)
    >>> F.matmul(a, b[:, :, None]).array        # write this instead
    array([[[21.],
            [43.]]], dtype=float32)
    """
    warnings.warn('batch_matmul is deprecated. Use matmul instead.',
                  DeprecationWarning)
    y, = BatchMatMul(transa, transb).apply((a, b))
    return y
