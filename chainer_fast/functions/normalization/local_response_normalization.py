"""Normalization across adjacent channels."""
from __future__ import annotations

import operator

from chainer_fast import _numbers
from chainer_fast.backends.kernels import normalization as kernels
from chainer_fast.backends.kernels import record
from chainer_fast.backends.kernels.normalization import compiled
from chainer_fast.backends.kernels.normalization import dtypes as _dtypes
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.functions.array import cast
from chainer_fast.types import NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


@record(
    compiled.LocalResponseNormalizationShortcut(),
    fields=('alpha', 'beta', 'k', 'n', 'unit_scale', 'scale'))
class LocalResponseNormalization(FunctionNode):
    """Normalizes each element by its neighbors in other channels.

    Parameters
    ----------
    n : int
        Width of the window.
    k, alpha, beta : float
        Coefficients.

    Attributes
    ----------
    unit_scale : array
        The base of the power ``-beta``, after the call.
    scale : array
        The power.
    """

    n: int
    k: float
    alpha: float
    beta: float

    scale: NdArray | None = None
    indexes = None
    unit_scale: NdArray | None = None

    def __init__(
            self, n: int = 5, k: float = 2, alpha: float = 1e-4,
            beta: float = .75) -> None:
        super().__init__()
        self.n, self.k, self.alpha, self.beta = n, k, alpha, beta

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check._argname(in_types, ('x',))
        x_type, = in_types
        type_check.expect(x_type.ndim >= 2, x_type.dtype.kind == 'f')

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0,))
        x, = inputs
        if x.dtype.kind != 'f':     # unchecked types: the result is floating
            x = x.astype(_dtypes.interm(x, x))
        y, self.unit_scale, self.scale = kernels.response_forward(
            x, _half(self.n), _checks.as_float(self.k),
            _checks.as_float(self.alpha), _checks.as_float(self.beta))
        return y,

    def forward_ideep(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        """Compute :meth:`forward`, since iDeep is not supported."""
        return self.forward(inputs)

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        return LocalResponseNormalizationGrad(
            self.n, self.k, self.alpha, self.beta, False, self.scale, self.indexes,
            self.unit_scale,
        ).apply((*self.get_retained_inputs(), *grad_outputs))


def _half(n):
    """Return the number of neighbors on either side."""
    if not isinstance(n, int):
        n = operator.index(_numbers.plain(n))
    return max(n // 2, 0)


class LocalResponseNormalizationGrad(FunctionNode):
    """Gradient of :class:`LocalResponseNormalization`.

    Its inputs are those of that function and the gradient of its output.

    Parameters
    ----------
    n : int
        Width of the window.
    k, alpha, beta : float
        Coefficients.
    use_ideep : bool
        Whether the function ran on iDeep; not used.
    scale, unit_scale : array
        Attributes of the function.
    indexes : None
        Not used.
    """

    n: int
    k: float
    alpha: float
    beta: float
    unit_scale: NdArray | None
    scale: NdArray | None
    indexes: None

    def __init__(
            self, n: int, k: float, alpha: float, beta: float, use_ideep: bool,
            scale: NdArray | None = None, indexes: None = None,
            unit_scale: NdArray | None = None) -> None:
        super().__init__()
        self.n, self.k, self.alpha, self.beta = n, k, alpha, beta
        self.unit_scale, self.scale = unit_scale, scale
        self.indexes, self._use_ideep = indexes, use_ideep

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0, 1))
        return kernels.response_backward(
            *inputs, self.unit_scale, self.scale, _half(self.n),
            _checks.as_float(self.alpha),
            _checks.as_float(self.beta)),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        # Let W be the sum over the window, which is its own adjoint. With
        # u = k + a W(x^2) and y = x u^-b, gx = gy u^-b - 2ab x W(gy x u^-(b+1)).
        inputs = self.get_retained_inputs()
        dtype = _dtypes.interm(*inputs)
        x, gy, ggx = [cast.as_type(v, dtype) for v in (*inputs, *grad_outputs)]
        half, a, b = _half(self.n), self.alpha, self.beta

        def window(v):
            return _WindowSum(half).apply((v,))[0]

        u = self.k + a * window(x * x)
        scale = u ** -b
        steep = scale / u
        mixed = window(ggx * x)
        by_u = gy * steep * (2 * a * (b + 1) * mixed * x / u - ggx)
        by_x = 2 * a * b * (
            x * window(by_u) - ggx * window(gy * x * steep) - mixed * gy * steep)
        by_gy = ggx * scale - 2 * a * b * x * steep * mixed
        grads = by_x, by_gy
        return tuple([cast.as_type(grads[i], inputs[i].dtype) for i in indexes])


class _WindowSum(FunctionNode):
    """Sum over adjacent channels, which is its own adjoint.

    Parameters
    ----------
    half : int
        Number of neighbors on either side.
    """

    def __init__(self, half: int) -> None:
        super().__init__()
        self.half = half

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        return kernels.window_sum(inputs[0], self.half),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        return _WindowSum(self.half).apply(grad_outputs)


def local_response_normalization(
        x: VariableOrArray, n: int = 5, k: float = 2, alpha: float = 1e-4,
        beta: float = .75) -> Variable:
    """Normalize each element by its neighbors in other channels.

    .. math::

        y_i = x_i
            \\left( k + \\alpha \\sum_{|j - i| \\le n / 2} x_j^2 \\right)^{-\\beta}

    where :math:`i` and :math:`j` are channels at the same position of a sample.

    See: Krizhevsky et al., `ImageNet Classification with Deep Convolutional Neural
    Networks <https://www.cs.toronto.edu/~fritz/absps/imagenet.pdf>`_

    Parameters
    ----------
    x : Variable or array
        Batch of a floating dtype and shape ``(N, C, ...)``.
    n : int
        Width of the window: the element itself and ``n // 2`` channels on either side.
    k, alpha, beta : float
        Coefficients.

    Returns
    -------
    Variable
        Array of the shape and dtype of ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point or has no second axis.

    See Also
    --------
    chainer_fast.functions.batch_normalization

    Examples
    --------
    >>> x = np.array([[1., 2., 3.]], np.float32)
    >>> F.local_response_normalization(x, n=3, k=0, alpha=1, beta=1).array
    array([[0.2   , 0.1429, 0.2308]], dtype=float32)
    >>> x / np.array([1 + 4, 1 + 4 + 9, 4 + 9])     # the same
    array([[0.2   , 0.1429, 0.2308]])
    """
    return LocalResponseNormalization(n, k, alpha, beta).apply((x,))[0]
