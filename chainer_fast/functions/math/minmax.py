"""Largest and smallest elements over axes, and their positions."""
from __future__ import annotations

from chainer_fast import backend, function_node, utils
from chainer_fast.backends.kernels import record
from chainer_fast.backends.kernels import reduction as kernels
from chainer_fast.backends.kernels.common import halves
from chainer_fast.backends.kernels.reduction import shortcuts
from chainer_fast.functions import _checks
from chainer_fast.functions.array import reshape
from chainer_fast.functions.math import _axes
from chainer_fast.functions.math import sum as sum_
from chainer_fast.types import NdArray
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


class SelectorBase(_axes.Reduction):
    """Selection of one element over axes.

    Every element that equals the selected one receives the gradient.
    """

    def _fwd(self, x, xp):
        raise NotImplementedError('a subclass must define which element is selected')

    @halves.forward_in_single
    def forward(self, x: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        array, = x
        y = self._fwd(array, backend.get_array_module(array))
        self.retain_inputs((0,))
        self.retain_outputs((0,))
        return utils.force_array(y),

    def backward(
            self, indexes: tuple[int, ...],
            gy: GradOutputs) -> tuple[Variable | None, ...]:
        y, = self.get_retained_outputs()
        x, = self.get_retained_inputs()
        return _SelectorGrad(x.array, y.array, self.axis).apply(gy)


class _SelectorGrad(function_node.FunctionNode):
    """Gradient of :class:`SelectorBase`."""

    def __init__(
            self, x: NdArray, y: NdArray, axis: tuple[int, ...] | None) -> None:
        self.x = x
        self.y = y.reshape(_axes.kept_shape(x.shape, axis))
        self.axis = axis

    def _to_selected(self, gy):
        return utils.force_array(
            kernels.selected_grad(self.x, self.y, gy.reshape(self.y.shape)))

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        return self._to_selected(inputs[0]),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        ggx, = grad_outputs
        xp = backend.get_array_module(self.y)
        chosen = ggx * self._to_selected(xp.ones_like(self.y, dtype=ggx.dtype))
        return reshape.reshape(
            sum_.sum(chosen, axis=self.axis), self.inputs[0].shape),


class Max(SelectorBase):
    """Largest element over axes."""

    def _fwd(self, x, xp):
        return kernels.largest(x, self.axis, self.keepdims)


def max(
        x: VariableOrArray, axis: int | tuple[int, ...] | None = None,
        keepdims: bool = False) -> Variable:
    """Largest elements over axes.

    .. math:: y = \\max_i x_i

    Parameters
    ----------
    x : Variable or array
        Floating-point elements.
    axis : None, int or tuple of int
        Axes to search; all axes if ``None``.
    keepdims : bool
        Whether to keep the searched axes, with length 1.

    Returns
    -------
    Variable
        The elements, of the dtype of ``x`` and its shape without the searched axes.
        Every element that equals a result receives its gradient.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point or has no such axis.
    TypeError
        If ``axis`` is of another type.
    ValueError
        If ``axis`` contains an axis twice, or there is no element.

    See Also
    --------
    chainer_fast.functions.min
    chainer_fast.functions.argmax
    chainer_fast.functions.maximum
    numpy.max

    Examples
    --------
    >>> x = np.array([[1., 7., 7.], [9., 0., 3.]], np.float32)
    >>> F.max(x, axis=1).array
    array([7., 9.], dtype=float32)
    >>> F.max(x).array
    array(9., dtype=float32)
    """
    y, = Max(axis, keepdims).apply((x,))
    return y


class Min(SelectorBase):
    """Smallest element over axes."""

    def _fwd(self, x, xp):
        return kernels.smallest(x, self.axis, self.keepdims)


def min(
        x: VariableOrArray, axis: int | tuple[int, ...] | None = None,
        keepdims: bool = False) -> Variable:
    """Smallest elements over axes.

    .. math:: y = \\min_i x_i

    Parameters
    ----------
    x : Variable or array
        Floating-point elements.
    axis : None, int or tuple of int
        Axes to search; all axes if ``None``.
    keepdims : bool
        Whether to keep the searched axes, with length 1.

    Returns
    -------
    Variable
        The elements, of the dtype of ``x`` and its shape without the searched axes.
        Every element that equals a result receives its gradient.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point or has no such axis.
    TypeError
        If ``axis`` is of another type.
    ValueError
        If ``axis`` contains an axis twice, or there is no element.

    See Also
    --------
    chainer_fast.functions.max
    chainer_fast.functions.argmin
    chainer_fast.functions.minimum
    numpy.min

    Examples
    --------
    >>> x = np.array([[1., 7., 7.], [9., 0., 3.]], np.float32)
    >>> F.min(x, axis=1).array
    array([1., 0.], dtype=float32)
    >>> F.min(x).array
    array(0., dtype=float32)
    """
    y, = Min(axis, keepdims).apply((x,))
    return y


class IndexSelectorBase(function_node.FunctionNode):
    """Position of one element, over one axis or in the flattened array."""

    def __init__(self, axis: int | None = None) -> None:
        if axis is not None and not isinstance(axis, int):
            raise TypeError(f'axis must be None or an int, but {axis!r} was given.')
        self.axis = axis

    def _fwd(self, x, xp):
        raise NotImplementedError('a subclass must define which element is selected')

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'x')
        if self.axis is not None:
            _checks.axis(in_types[0], self.axis)

    @halves.forward_in_single
    def forward(self, x: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        array, = x
        positions = self._fwd(array, backend.get_array_module(array))
        return utils.force_array(positions, 'int32'),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        return None,


@record(shortcuts.PositionShortcut(kernels.positions, False), fields=('axis',))
class ArgMax(IndexSelectorBase):
    """Position of the largest element."""

    def _fwd(self, x, xp):
        return kernels.positions(x, self.axis, False)


def argmax(x: VariableOrArray, axis: int | None = None) -> Variable:
    """Positions of the largest elements.

    .. math:: y = \\operatorname{argmax}_i x_i

    Parameters
    ----------
    x : Variable or array
        Floating-point elements.
    axis : None or int
        Axis to search. The flattened array is searched if ``None``.

    Returns
    -------
    Variable
        Positions of the first such elements, of dtype int32 and the shape of ``x``
        without the axis. They have no gradient.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point or has no such axis.
    TypeError
        If ``axis`` is of another type, such as a tuple.
    ValueError
        If there is no element.

    See Also
    --------
    chainer_fast.functions.max
    chainer_fast.functions.argmin
    numpy.argmax

    Examples
    --------
    >>> x = np.array([[1., 7., 7.], [9., 0., 3.]], np.float32)
    >>> F.argmax(x, axis=1).array
    array([1, 0], dtype=int32)
    >>> F.argmax(x).array
    array(3, dtype=int32)
    """
    positions, = ArgMax(axis).apply((x,))
    return positions


@record(shortcuts.PositionShortcut(kernels.positions, True), fields=('axis',))
class ArgMin(IndexSelectorBase):
    """Position of the smallest element."""

    def _fwd(self, x, xp):
        return kernels.positions(x, self.axis, True)


def argmin(x: VariableOrArray, axis: int | None = None) -> Variable:
    """Positions of the smallest elements.

    .. math:: y = \\operatorname{argmin}_i x_i

    Parameters
    ----------
    x : Variable or array
        Floating-point elements.
    axis : None or int
        Axis to search. The flattened array is searched if ``None``.

    Returns
    -------
    Variable
        Positions of the first such elements, of dtype int32 and the shape of ``x``
        without the axis. They have no gradient.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point or has no such axis.
    TypeError
        If ``axis`` is of another type, such as a tuple.
    ValueError
        If there is no element.

    See Also
    --------
    chainer_fast.functions.min
    chainer_fast.functions.argmax
    numpy.argmin

    Examples
    --------
    >>> x = np.array([[1., 7., 7.], [9., 0., 3.]], np.float32)
    >>> F.argmin(x, axis=1).array
    array([0, 1], dtype=int32)
    >>> F.argmin(x).array
    array(4, dtype=int32)
    """
    positions, = ArgMin(axis).apply((x,))
    return positions
