from __future__ import annotations

import numpy

from chainer_fast import backend
from chainer_fast.backends.kernels import matmul as kernels
from chainer_fast.configuration import config
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions.array import cast
from chainer_fast.functions.loss import _reduction
from chainer_fast.functions.math import average, matmul
from chainer_fast.types import NdArray
from chainer_fast.utils import precision, type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


class CrossCovariance(FunctionNode):
    """Covariance between the columns of two matrices."""

    def __init__(self, reduce: str = 'half_squared_sum') -> None:
        super().__init__()
        _reduction.check(reduce, 'half_squared_sum', 'no')
        self.reduce = reduce
        self._covariance = None

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check._argname(in_types, ('y', 'z'))
        y_type, z_type = in_types
        for each in in_types:
            type_check.expect(each.dtype.kind == 'f', each.ndim == 2)
        type_check.expect(y_type.shape[0] == z_type.shape[0])
        type_check.expect(y_type.dtype == z_type.dtype)

    @precision._fp16_mixed_precision_helper
    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0, 1))
        y, z = inputs
        xp = backend.get_array_module(y)
        # Centering one factor would suffice; centering both keeps the products small.
        covariance = kernels.dot((y - y.mean(axis=0)).T, z - z.mean(axis=0))
        # Division by a Python zero would raise an error for an empty batch.
        covariance /= covariance.dtype.type(len(y))
        if self.reduce == 'no':
            return covariance,
        self._covariance = covariance
        loss = xp.vdot(covariance, covariance) / 2
        return xp.asarray(loss, dtype=covariance.dtype),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        inputs = (*self.get_retained_inputs(), *grad_outputs)
        dtype = inputs[0].dtype
        if dtype.char == 'e':
            inputs = tuple([cast.cast(v, numpy.float32) for v in inputs])
        if config.enable_backprop:
            gs = self._gradients(indexes, average.average, matmul.matmul, None, *inputs)
        else:
            arrays = [v.array for v in inputs]
            gs = tuple([Variable(g) for g in self._gradients(
                indexes, type(arrays[0]).mean, kernels.dot, self._covariance, *arrays)])
        return tuple([g if g.dtype == dtype else cast.cast(g, dtype) for g in gs])

    def _gradients(self, indexes, mean, dot, covariance, y, z, gc):
        # Works on arrays and on variables, whose functions are ``mean`` and ``dot``.
        y, z = [each - mean(each, axis=0, keepdims=True) for each in (y, z)]
        n = y.shape[0]
        if self.reduce != 'no':
            # For a second gradient, it is part of the graph.
            gc = gc * (dot(y.T, z) / n if covariance is None else covariance)
        gc = gc / n
        # The gradient through the mean is zero, because the other factor is centered.
        return tuple([dot(z, gc.T) if i == 0 else dot(y, gc) for i in indexes])


def cross_covariance(
        y: VariableOrArray, z: VariableOrArray,
        reduce: str = 'half_squared_sum') -> Variable:
    """Penalty on the covariance between two groups of hidden units.

    .. math::

        C = \\frac{1}{N} \\sum_n (y_n - \\bar y) (z_n - \\bar z)^T, \\qquad
        L = \\frac{1}{2} \\sum_{ij} C_{ij}^2

    See: `Discovering Hidden Factors of Variation in Deep Networks
    <https://arxiv.org/abs/1412.6583>`_, where it is called XCov.

    Parameters
    ----------
    y : Variable or array
        Units :math:`y`, of a floating dtype and shape ``(N, I)``.
    z : Variable or array
        Units :math:`z`, of the same dtype and shape ``(N, J)``.
    reduce : str
        ``'half_squared_sum'`` for the loss :math:`L`, ``'no'`` for the matrix
        :math:`C`.

    Returns
    -------
    Variable
        The loss, a scalar, or the matrix of shape ``(I, J)``, of the dtype of ``y``;
        NaN if the batch is empty.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If an argument is not a floating-point matrix, or their dtypes or numbers of
        rows differ.
    ValueError
        If ``reduce`` has another value.

    See Also
    --------
    chainer_fast.functions.decov

    Examples
    --------
    >>> y = np.array([[1., 1.], [3., 1.]], np.float32)
    >>> z = np.array([[0.], [4.]], np.float32)
    >>> F.cross_covariance(y, z, reduce='no').array
    array([[2.],
           [0.]], dtype=float32)
    >>> F.cross_covariance(y, z).array
    array(2., dtype=float32)
    """
    return CrossCovariance(reduce).apply((y, z))[0]
