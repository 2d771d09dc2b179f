from __future__ import annotations

from chainer_fast import backend
from chainer_fast.backends import arrays
from chainer_fast.function import Function
from chainer_fast.functions.loss import _reduction
from chainer_fast.types import GradArrays, NdArray
from chainer_fast.utils import precision, type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import Variable, VariableOrArray


def _clear_diagonal(matrix):
    matrix.reshape(-1)[::len(matrix) + 1] = 0


class DeCov(Function):
    """Covariance between the different columns of a matrix.

    Attributes
    ----------
    h_centered : array
        Input of the last forward pass minus the mean of each column.
    covariance : array
        Covariance of the columns, with zeros on the diagonal.
    """

    h_centered: NdArray | None = None
    covariance: NdArray | None = None

    def __init__(self, reduce: str = 'half_squared_sum') -> None:
        _reduction.check(reduce, 'half_squared_sum', 'no')
        self.reduce = reduce

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check._argname(in_types, ('h',))
        for h_type in in_types:
            type_check.expect(h_type.dtype.kind == 'f', h_type.ndim == 2)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        h, = inputs
        # The gradient is computed from these in the dtype of the matrix.
        self.h_centered, self.covariance, loss = self._covariance(inputs)
        return loss,

    @precision._fp16_mixed_precision_helper
    def _covariance(self, inputs):
        h, = inputs
        xp = backend.get_array_module(h)
        centered = h - h.mean(axis=0)
        covariance = centered.T @ centered
        _clear_diagonal(covariance)
        covariance /= covariance.dtype.type(len(h))
        loss = covariance
        if self.reduce != 'no':
            loss = arrays.floating(xp.vdot(loss, loss) / 2, h.dtype)
        return centered, covariance, loss

    def backward(
            self, inputs: tuple[NdArray, ...],
            grad_outputs: GradArrays) -> tuple[NdArray | None, ...]:
        return self._gradient((*grad_outputs, self.h_centered, self.covariance))

    @precision._fp16_mixed_precision_helper
    def _gradient(self, arrays):
        gloss, centered, covariance = arrays
        n = centered.dtype.type(len(centered))
        if self.reduce == 'no':
            # Each pair of columns occurs twice in the matrix; the diagonal is constant.
            weights = gloss + gloss.T
            _clear_diagonal(weights)
        else:
            weights = 2 * gloss * covariance
        return centered @ (weights / n),


def decov(h: VariableOrArray, reduce: str = 'half_squared_sum') -> Variable:
    """DeCov loss: a penalty on the covariance between hidden units.

    .. math::

        C = \\frac{1}{N} \\sum_n (h_n - \\bar h) (h_n - \\bar h)^T, \\qquad
        L = \\frac{1}{2} \\sum_{i \\ne j} C_{ij}^2

    See: `Reducing Overfitting in Deep Networks by Decorrelating Representations
    <https://arxiv.org/abs/1511.06068>`_

    Parameters
    ----------
    h : Variable or array
        Units, of a floating dtype and shape ``(N, M)``.
    reduce : str
        ``'half_squared_sum'`` for the loss :math:`L`, ``'no'`` for the matrix
        :math:`C` with zeros on its diagonal.

    Returns
    -------
    Variable
        The loss, a scalar, or the matrix of shape ``(M, M)``, of the dtype of ``h``. It
        can be differentiated once.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``h`` is not a floating-point matrix.
    ValueError
        If ``reduce`` has another value.

    See Also
    --------
    chainer_fast.functions.cross_covariance

    Examples
    --------
    >>> h = np.array([[0., 0.], [2., 4.]], np.float32)
    >>> F.decov(h, reduce='no').array
    array([[0., 2.],
           [2., 0.]], dtype=float32)
    >>> F.decov(h).array
    array(4., dtype=float32)
    """
    return DeCov(reduce)(h)
