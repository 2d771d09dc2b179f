"""Normalization to vectors of length one."""
from __future__ import annotations

from chainer_fast.backends.kernels import normalization as kernels
from chainer_fast.backends.kernels import record
from chainer_fast.backends.kernels.declared import Declared
from chainer_fast.backends.kernels.normalization import dtypes as _dtypes
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.functions.array import cast
from chainer_fast.functions.math import sqrt
from chainer_fast.functions.math import sum as sum_mod
from chainer_fast.types import NdArray
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


@record(Declared('length', ('length_grad', 0, 'g')))
class NormalizeL2(FunctionNode):
    """Divides vectors by their length.

    Parameters
    ----------
    eps : float
        Constant added to the length.
    axis : int or tuple of int
        Axes of the components of a vector.
    """

    axis: tuple[int] | tuple[int, ...]

    def __init__(self, eps: float = 1e-5, axis: int | tuple[int, ...] = 1) -> None:
        super().__init__()
        self.eps = eps
        self.axis = (axis,) if isinstance(axis, int) else axis

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'x')

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0,))
        return kernels.length_forward(*inputs, self.axis, _checks.as_float(self.eps)),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        return _NormalizeL2Grad(self.eps, self.axis).apply(
            (*self.get_retained_inputs(), *grad_outputs))


class _NormalizeL2Grad(FunctionNode):
    """Gradient of :class:`NormalizeL2`.

    Parameters
    ----------
    eps : float
        Constant added to the length.
    axis : tuple of int
        Axes of the components of a vector.
    """

    def __init__(self, eps: float, axis: int | tuple[int, ...]) -> None:
        super().__init__()
        self.eps = eps
        self.axis = axis

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0, 1))
        return kernels.length_backward(*inputs, self.axis, _checks.as_float(self.eps)),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        # With the length r, the direction e = x / r and n = r + eps, the gradient is
        # (g - e <g, e> r / n) / n. The direction of a zero vector is defined as zero.
        inputs = self.get_retained_inputs()
        dtype = _dtypes.interm(*inputs)
        x, gy, ggx = [cast.as_type(v, dtype) for v in (*inputs, *grad_outputs)]

        def dot(a, b):
            return sum_mod.sum(a * b, axis=self.axis, keepdims=True)

        square = dot(x, x)
        # For zero vectors, use a length that is differentiable and not zero.
        zero = (square.array == 0).astype(dtype)
        safe = sqrt.sqrt(square + zero)
        direction = x / safe
        r = safe - zero
        n = r + self.eps
        by_ggx, by_gy = dot(ggx, direction), dot(gy, direction)
        radial = by_ggx * by_gy * (1 + 2 * r / n) - dot(ggx, gy)
        grads = (
            (direction * radial - ggx * by_gy - gy * by_ggx) / (n * n),
            (ggx - direction * (by_ggx * r / n)) / n,
        )
        return tuple([cast.as_type(grads[i], inputs[i].dtype) for i in indexes])


def normalize(
        x: VariableOrArray, eps: float = 1e-5,
        axis: int | tuple[int, ...] = 1) -> Variable:
    """Divide vectors by their length.

    .. math::

        y = \\frac{x}{\\lVert x \\rVert_2 + \\epsilon}

    Parameters
    ----------
    x : Variable or array
        Vectors of a floating dtype. The lengths of float16 vectors are computed in
        single precision.
    eps : float
        Constant added to the length, so that zero vectors remain zero.
    axis : int or tuple of int
        Axes of the components of a vector.

    Returns
    -------
    Variable
        Array of the shape and dtype of ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point.
    numpy.exceptions.AxisError
        If ``x`` has no such axis.
    ValueError
        If an axis occurs twice.

    See Also
    --------
    chainer_fast.functions.batch_l2_norm_squared

    Examples
    --------
    >>> x = np.array([[3., 4.], [0., 0.]], np.float32)
    >>> F.normalize(x).array
    array([[0.6, 0.8],
           [0. , 0. ]], dtype=float32)
    """
    return NormalizeL2(eps, axis).apply((x,))[0]
