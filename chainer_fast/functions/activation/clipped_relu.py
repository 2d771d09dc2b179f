from __future__ import annotations

from chainer_fast import backend, utils
from chainer_fast.backends.kernels import activation as kernels
from chainer_fast.backends.kernels import record
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.types import NdArray
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


@record(kernels.elementwise(
    'ClippedReLU::of', ('ClippedReLU::grad', 0), parameters=('cap',)))
class ClippedReLU(FunctionNode):
    """Rectifier with an upper bound.

    Parameters
    ----------
    z : float
        The upper bound, which must be positive.
    """

    def __init__(self, z: float) -> None:
        super().__init__()
        if not isinstance(z, float):
            raise TypeError(
                'the upper bound z of a clipped ReLU must be a float, not %s'
                % type(z).__name__)
        # An upper bound of zero or below would make the function constant.
        assert z > 0
        self.cap = z

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'x')

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x, = inputs
        xp = backend.get_array_module(x)
        self.retain_inputs((0,))
        return utils.force_array(xp.clip(x, 0, self.cap), x.dtype),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        x, = self.get_retained_inputs()
        return ClippedReLUGrad2(x.data, self.cap).apply(grad_outputs)


class ClippedReLUGrad2(FunctionNode):
    """Passes a gradient where the input is strictly within the bounds.

    Parameters
    ----------
    x : array
        Input of the forward pass.
    z : float
        The upper bound.
    """

    def __init__(self, x: NdArray, z: float) -> None:
        super().__init__()
        self.x = x
        self.cap = z

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'gy')

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        return kernels.clipped_relu_grad(self.x, inputs[0], self.cap),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        return ClippedReLUGrad2(self.x, self.cap).apply(grad_outputs)


class ClippedReLUGrad3(ClippedReLUGrad2):
    """:class:`ClippedReLUGrad2` that also has the output of the forward pass.

    Parameters
    ----------
    x, y : array
        Input and output of the forward pass.
    z : float
        The upper bound.
    """

    def __init__(self, x: NdArray, y: NdArray, z: float) -> None:
        super().__init__(x, z)
        self.y = y


def clipped_relu(x: VariableOrArray, z: float = 20.0) -> Variable:
    """Rectified linear unit with an upper bound, elementwise.

    .. math:: f(x; z) = \\min(\\max(0, x), z), \\quad z > 0

    Parameters
    ----------
    x : Variable or array
        Values of any shape and a floating dtype.
    z : float
        The upper bound.

    Returns
    -------
    Variable
        Array of the shape and dtype of ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point.
    TypeError
        If ``z`` is not a float, for example the integer 20.

    See Also
    --------
    chainer_fast.functions.relu6

    Examples
    --------
    >>> x = np.array([-7., 3., 12.], np.float32)
    >>> F.clipped_relu(x, 8.).array
    array([0., 3., 8.], dtype=float32)
    """
    return ClippedReLU(z).apply((x,))[0]


def relu6(x: VariableOrArray) -> Variable:
    """Rectified linear unit with the upper bound 6, elementwise.

    .. math:: f(x) = \\min(\\max(0, x), 6)

    See: `Convolutional Deep Belief Networks on CIFAR-10
    <https://www.cs.toronto.edu/~kriz/conv-cifar10-aug2010.pdf>`_

    Parameters
    ----------
    x : Variable or array
        Values of any shape and a floating dtype.

    Returns
    -------
    Variable
        Array of the shape and dtype of ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point.

    See Also
    --------
    chainer_fast.functions.clipped_relu

    Examples
    --------
    >>> x = np.array([-1., 3., 10.], np.float32)
    >>> F.relu6(x).array
    array([0., 3., 6.], dtype=float32)
    """
    return clipped_relu(x, 6.0)
