from __future__ import annotations

from typing import Any

import numpy

from chainer_fast import utils
from chainer_fast.backends import arrays
from chainer_fast.backends.kernels import noise
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions.array import cast, expand_dims, reshape
from chainer_fast.functions.math import matmul
from chainer_fast.functions.math import sum as sum_
from chainer_fast.types import NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


class SimplifiedDropconnect(FunctionNode):
    """Linear layer that drops random weights.

    Parameters
    ----------
    ratio : float
        Probability of dropping a weight.
    mask : array, Variable or None
        Zeros and ones to multiply the weights by, instead of random ones. Its shape is
        that of the weights, preceded by the batch size if each row has its own mask.
    use_batchwise_mask : bool
        Whether each row of the batch has its own mask.
    """

    _draws_uniform = True

    def __init__(
            self, ratio: float, mask: NdArray | Variable | None = None,
            use_batchwise_mask: bool = True) -> None:
        self.ratio = ratio
        self.mask: Any = mask.array if isinstance(mask, Variable) else mask
        self.use_batchwise_mask = use_batchwise_mask

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check.expect(in_types.size() >= 2, in_types.size() <= 3)
        count = type_check.eval(in_types.size())
        type_check._argname(in_types, ('x', 'W', 'b')[:count])
        x_type, w_type = in_types[:2]
        for each in x_type, w_type:
            type_check.expect(each.dtype.kind == 'f')
        type_check.expect(x_type.ndim >= 2, w_type.ndim == 2)
        width = type_check.prod(x_type.shape[1:])
        type_check.expect(width == w_type.shape[1])
        if count == 3:
            b_type = in_types[2]
            type_check.expect(b_type.ndim == 1)
            type_check.expect(b_type.shape[0] == w_type.shape[0])
            type_check.expect(b_type.dtype == x_type.dtype)
        if self.mask is not None:
            shape = self.mask.shape
            if self.use_batchwise_mask:
                type_check.expect(x_type.shape[0] == shape[0])
                shape = shape[1:]
            type_check.expect(w_type.shape == shape)

    def _factors(self, dtype):
        """Return the factors of the weights."""
        scale = 1. / (1 - self.ratio)
        return self.mask.astype(dtype) * numpy.dtype(dtype).type(scale)

    def _work_dtype(self, x, W):
        # Half precision is insufficient for sums of many products.
        return numpy.result_type(x.dtype, W.dtype, numpy.float32)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x, W = [arrays.unmasked(each) for each in inputs[:2]]
        self.retain_inputs((0, 1))
        if self.mask is None:
            shape = W.shape
            if self.use_batchwise_mask:
                shape = (len(x), *shape)
            self.mask = noise.kept(x, shape, self.ratio)
        dtype = self._work_dtype(x, W)
        rows = x.reshape(len(x), W.shape[1]).astype(dtype, copy=False)
        weights = W * self._factors(dtype)
        if self.use_batchwise_mask:
            y = (weights @ rows[:, :, None])[:, :, 0]
        else:
            y = rows.dot(weights.T)
        y = utils.force_array(y, x.dtype)
        if len(inputs) == 3:
            y += inputs[2]
        return y,

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        x, W = self.get_retained_inputs()
        gy, = grad_outputs
        dtype = self._work_dtype(x, W)
        factors = self._factors(dtype)
        g = cast.cast(gy, dtype)
        ret = []
        for i in indexes:
            if i == 0:
                weights = cast.cast(W, dtype) * factors
                if self.use_batchwise_mask:
                    gx = matmul.matmul(expand_dims.expand_dims(g, 1), weights)
                else:
                    gx = matmul.matmul(g, weights)
                ret.append(cast.cast(reshape.reshape(gx, x.shape), x.dtype))
            elif i == 1:
                rows = cast.cast(reshape.reshape(x, (len(x), W.shape[1])), dtype)
                if self.use_batchwise_mask:
                    pairs = (expand_dims.expand_dims(g, 2)
                             * expand_dims.expand_dims(rows, 1))
                    gW = sum_.sum(pairs * factors, axis=0)
                else:
                    gW = matmul.matmul(g, rows, transa=True) * factors
                ret.append(cast.cast(gW, W.dtype))
            else:
                ret.append(sum_.sum(gy, axis=0))
        return tuple(ret)


def simplified_dropconnect(
        x: VariableOrArray, W: VariableOrArray, b: Variable | NdArray | None = None,
        ratio: float = 0.5, train: bool = True, mask: NdArray | Variable | None = None,
        use_batchwise_mask: bool = True) -> Variable:
    """Applies a linear layer after dropping random weights.

    .. math:: Y = x (M \\odot W / (1 - p))^\\top + b

    where the elements of :math:`M` are zero with the probability :math:`p` and one
    otherwise.

    At test time the full method samples outputs from normal distributions with matching
    moments; this simplification does not.

    See: `Regularization of neural networks using DropConnect
    <https://cs.nyu.edu/~wanli/dropc/>`_

    Parameters
    ----------
    x : Variable or array
        Rows of a floating dtype. Axes after the second one are flattened into the
        second.
    W : Variable or array
        Weights, of shape ``(M, N)`` for rows of ``N`` elements.
    b : Variable, array or None
        Bias, of shape ``(M,)`` and the dtype of ``x``.
    ratio : float
        The probability :math:`p`.
    train : bool
        Whether to drop weights. Unlike other functions, this one ignores
        ``chainer.config.train``.
    mask : array, Variable or None
        Value of :math:`M`; by default it is drawn at random. It has the shape ``(B, M,
        N)`` for a batch of ``B``, or ``(M, N)`` if ``use_batchwise_mask`` is false.
    use_batchwise_mask : bool
        Whether each row of the batch has its own mask.

    Returns
    -------
    Variable
        Array of shape ``(B, M)`` and the dtype of ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If dtypes or shapes do not match.
    ZeroDivisionError
        If ``ratio`` is 1.

    See Also
    --------
    chainer_fast.functions.dropout
    chainer_fast.functions.linear
    chainer_fast.links.SimplifiedDropconnect

    Examples
    --------
    >>> x = np.array([[1., 2.]], np.float32)
    >>> W = np.array([[1., 10.], [100., 1000.]], np.float32)
    >>> mask = np.array([[[1., 0.], [1., 1.]]], np.float32)
    >>> F.simplified_dropconnect(x, W, mask=mask).array     # half dropped, half doubled
    array([[   2., 4200.]], dtype=float32)
    """
    function = SimplifiedDropconnect(
        ratio if train else 0, mask, use_batchwise_mask)
    return function.apply((x, W) if b is None else (x, W, b))[0]
