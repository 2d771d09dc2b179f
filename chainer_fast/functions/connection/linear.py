from __future__ import annotations

from typing import Any

from chainer_fast import _numbers
from chainer_fast.backends.kernels import matmul, record
from chainer_fast.backends.kernels.matmul import compiled
from chainer_fast.configuration import config
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.functions.array import cast, reshape
from chainer_fast.functions.math import sum as sum_
from chainer_fast.graph_optimizations import static_code
from chainer_fast.graph_optimizations._processor import builders
from chainer_fast.types import DTypeSpec, NdArray, Xp
from chainer_fast.utils import array as array_utils
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


def _product(a, b, dtype):
    """Return a matrix product in a given dtype, computed in that of the operands."""
    return matmul.dot(a, b).astype(dtype, copy=False)


def _apply(function, inputs, dtype):
    """Return the output of a function with one output, in a given dtype."""
    y, = function.apply(inputs)
    return y if y.dtype == dtype else cast.cast(y, dtype)


@record(compiled.LinearShortcut(), plan=builders.Affine)
class LinearFunction(FunctionNode):
    """Affine map :math:`Y = X W^T + b` of the rows of a matrix."""

    # Subclasses in programs compute their gradients in a context with this value.
    _config_use_ideep: Any = None

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        names = ('x', 'W', 'b')
        count = type_check.eval(in_types.size())
        _checks.floats(in_types, *names[:max(count, 2)])
        x_type, w_type = in_types[:2]
        for matrix in x_type, w_type:
            type_check.expect(matrix.ndim == 2)
        type_check.expect(x_type.shape[1] == w_type.shape[1])
        if count == 3:
            b_type = in_types[2]
            type_check.expect(b_type.dtype == x_type.dtype)
            type_check.expect(b_type.ndim == 1)
            type_check.expect(b_type.shape[0] == w_type.shape[0])

    def _advice(self, expect, x, *others):
        if expect != 'x.shape[1] == W.shape[1]':
            return None
        return ('Each row of x has %d elements and W takes %d: make the link with '
                'in_size=%d, or with in_size=None, which takes the first it is given'
                % (x.shape[1], others[0].shape[1], x.shape[1]))

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x, W = inputs[:2]
        self._config_use_ideep = config.use_ideep
        self.retain_inputs((0, 1))
        y = _product(x, W.T, x.dtype)
        if len(inputs) == 3:
            y += inputs[2]
        return y,

    @static_code
    def static_linear_no_bias(
            self, xp: Xp, optimized: Any, inputs: tuple[NdArray, ...],
            outputs: tuple[Any, ...]) -> None:
        """Write the product of rows and a weight to an array.

        Like :func:`static_add_bias`, it is a step that static chains of programs may
        call.
        """
        x, W = inputs
        outputs[0][...] = _product(x, W.T, outputs[0].dtype)

    @static_code
    def static_add_bias(
            self, inputs: tuple[NdArray, ...], outputs: tuple[Any, ...]) -> None:
        """Add a bias to the rows of an array, in place."""
        outputs[0][...] += inputs[0]

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        return tuple([self._gradient(i, *grad_outputs) for i in indexes])

    def _gradient(self, index, gy):
        if index == 2:
            return sum_.sum(gy, axis=0)
        x, W = self.get_retained_inputs()
        if index == 0:
            return _apply(LinearGradData(), (W, gy), x.dtype)
        return _apply(LinearGradWeight(W.dtype), (x, gy), W.dtype)


# The product is that of (W^T gy^T)^T.
@record(compiled.MatMulShortcut((True, True, True)))
class LinearGradData(FunctionNode):
    """Gradient of :class:`LinearFunction` with respect to its rows."""

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0, 1))
        W, gy = inputs
        return _product(gy, W, gy.dtype),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        return tuple([self._gradient(i, *grad_outputs) for i in indexes])

    def _gradient(self, index, ggx):
        # The gradient of the rows' gradient replaces the rows.
        W, gy = self.get_retained_inputs()
        if index == 0:
            return _apply(LinearGradWeight(W.dtype), (ggx, gy), W.dtype)
        return _apply(LinearFunction(), (ggx, W), gy.dtype)


# The product is that of (x^T gy)^T.
@record(compiled.MatMulShortcut((True, False, True)), fields=('_w_dtype',))
class LinearGradWeight(FunctionNode):
    """Gradient of :class:`LinearFunction` with respect to its weight.

    Parameters
    ----------
    w_dtype
        Dtype of the weight.
    """

    def __init__(self, w_dtype: DTypeSpec) -> None:
        super().__init__()
        self._w_dtype = w_dtype

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0, 1))
        x, gy = inputs
        return _product(gy.T, x, self._w_dtype),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        return tuple([self._gradient(i, *grad_outputs) for i in indexes])

    def _gradient(self, index, ggW):
        # The gradient of the weight's gradient replaces the weight.
        x, gy = self.get_retained_inputs()
        if index == 0:
            return _apply(LinearGradData(), (ggW, gy), x.dtype)
        return _apply(LinearFunction(), (x, ggW), gy.dtype)


def linear(
        x: VariableOrArray, W: VariableOrArray, b: VariableOrArray | None = None,
        n_batch_axes: int = 1) -> Variable:
    """Affine map :math:`Y = X W^T + b`.

    Parameters
    ----------
    x : Variable or array
        Input of a floating dtype. Its first ``n_batch_axes`` axes are batch axes; the
        others are flattened into vectors of length ``N``.
    W : Variable or array
        Weight of shape ``(M, N)``. Its floating dtype may differ from that of ``x``.
    b : Variable or array
        Bias of shape ``(M,)`` and the dtype of ``x``, or ``None``.
    n_batch_axes : int
        Number of batch axes, at least one.

    Returns
    -------
    Variable
        Array of the batch axes' shape followed by ``M``, in the dtype of ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If dtypes or shapes do not match.
    ValueError
        If ``n_batch_axes`` is less than one.

    See Also
    --------
    chainer_fast.functions.bilinear
    chainer_fast.functions.matmul
    chainer_fast.links.Linear

    Examples
    --------
    >>> x = np.array([[1., 2., 3.]], np.float32)
    >>> W = np.array([[1., 1., 1.], [0., 0., 2.]], np.float32)
    >>> b = np.array([10., 20.], np.float32)
    >>> F.linear(x, W, b).array
    array([[16., 26.]], dtype=float32)
    """
    if type(n_batch_axes) is not int:
        n_batch_axes = _numbers.whole(n_batch_axes)
        # A value that is not greater than one, a fraction or NaN, counts as one.
        if not (n_batch_axes <= 0 or n_batch_axes > 1):
            n_batch_axes = 1
    if n_batch_axes <= 0:
        raise ValueError('n_batch_axes should be greater than 0.')
    batch_shape = x.shape[:n_batch_axes]
    if n_batch_axes > 1 or x.ndim > 2:
        rows = array_utils.size_of_shape(batch_shape)
        # The last length is inferred, so that exported models show it, unless there are
        # no elements.
        features = -1 if x.size else array_utils.size_of_shape(x.shape[n_batch_axes:])
        x = reshape.reshape(x, (rows, features))
    operands = (x, W) if b is None else (x, W, b)
    y, = LinearFunction().apply(operands)
    if n_batch_axes > 1:
        y = reshape.reshape(y, batch_shape + ((-1,) if y.size else y.shape[1:]))
    return y
