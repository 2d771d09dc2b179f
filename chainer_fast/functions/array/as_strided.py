from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy

from chainer_fast import _numbers, backend
from chainer_fast.backends.kernels import array as kernels
from chainer_fast.function_node import FunctionNode
from chainer_fast.types import NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray

# Positions and strides are counted in elements from the start of the memory of a view,
# that is, of the array that owns the memory.


def _get_base_array(array):
    """Return the array that owns the memory of a view."""
    owner, holder = array, array.base
    while holder is not None:
        # NumPy may insert its own objects between a view and its base.
        if isinstance(holder, type(array)):
            owner = holder
        holder = getattr(holder, 'base', None)
    return owner


def _address(array):
    if isinstance(array, numpy.ndarray):
        return array.ctypes.data
    return array.data.ptr


def _stride_array(array, shape, strides, storage_offset):
    """View with a given geometry into the memory of an array.

    Parameters
    ----------
    array : array
        Array whose memory is viewed.
    shape : tuple of ints
        Shape of the view.
    strides : tuple of ints
        Strides of the view.
    storage_offset : int
        Position of the first element of the view.

    Returns
    -------
    array
        The view, of the dtype of ``array``.

    Raises
    ------
    ValueError
        If the view would extend beyond the memory, or if the lengths of ``shape`` and
        ``strides`` differ.
    """
    if len(shape) != len(strides):
        raise ValueError(
            'strides must have one element for each axis of shape, but are %s for %s'
            % (tuple(strides), tuple(shape)))
    memory = _get_base_array(array).ravel(order='K').view(array.dtype)
    if 0 not in shape:
        reaches = [(n - 1) * s for n, s in zip(shape, strides, strict=True)]
        first = storage_offset + sum([r for r in reaches if r < 0])
        last = storage_offset + sum([r for r in reaches if r > 0])
        if first < 0:
            raise ValueError('Out of buffer: too small index was specified')
        if last >= memory.size:
            raise ValueError('Out of buffer: too large index was specified')
    xp = backend.get_array_module(array)
    steps = [s * array.itemsize for s in strides]
    return xp.lib.stride_tricks.as_strided(memory[storage_offset:], shape, steps)


class TensorGeometry:
    """Layout of the elements of an array in memory.

    Parameters
    ----------
    array : array
        The array to describe.

    Attributes
    ----------
    shape : tuple of ints
        Shape of the array.
    strides : tuple of ints
        Strides of the array, in elements.
    storage_offset : int
        Position of the first element of the view.
    itemsize : int
        Size of an element in bytes.
    """

    strides: tuple[int, ...]

    def __init__(self, array: NdArray) -> None:
        self.itemsize: int = array.itemsize
        self.shape: tuple[int, ...] = array.shape
        self.strides = tuple([s // self.itemsize for s in array.strides])
        distance = _address(array) - _address(_get_base_array(array))
        self.storage_offset: int = distance // self.itemsize

    @property
    def ndim(self) -> int:
        return len(self.shape)


def _positions(xp, shape, strides, offset):
    """Return an array of the positions of the elements of a view."""
    positions = xp.full(shape, offset, dtype=numpy.int64)
    for d, (n, s) in enumerate(zip(shape, strides, strict=True)):
        column = (n,) + (1,) * (len(shape) - d - 1)
        positions += (xp.arange(n, dtype=numpy.int64) * s).reshape(column)
    return positions


def _carry(values, source, target, shared):
    """Sum values at the positions of one view, and read the sums through another.

    Parameters
    ----------
    values : array
        Values of the source view.
    source, target : tuple
        Shape, strides and offset of the two views.
    shared : tuple
        Geometry of a view whose elements share positions: the sum at a position is
        divided by the number of elements at that position.

    Returns
    -------
    array
        Values of the target view.
    """
    xp = backend.get_array_module(values)
    memory = xp.zeros(
        max([1] + [_end(*view) for view in (source, target, shared)]), values.dtype)
    if _are_disjoint(*source):
        kernels.assign(_view(xp, memory, *source), values)
    else:
        xp.add.at(memory, _positions(xp, *source).ravel(), values.ravel())
    if not _are_disjoint(*shared):
        sharers = xp.bincount(_positions(xp, *shared).ravel(), minlength=len(memory))
        memory /= xp.maximum(sharers, 1).astype(values.dtype)
    y = _view(xp, memory, *target)
    # Elements that share memory, and memory of which little is used, are copied.
    return y if y.size == len(memory) and _are_disjoint(*target) else kernels.copied(y)


def _end(shape, strides, offset):
    """Return the first position after a view."""
    if 0 in shape:
        return 0
    return offset + 1 + sum([
        (n - 1) * s for n, s in zip(shape, strides, strict=True) if s > 0])


def _are_disjoint(shape, strides, offset):
    """Return whether the elements of a view obviously have distinct positions."""
    reach = 0
    for s, n in sorted([(abs(s), n) for s, n in zip(strides, shape, strict=True)]):
        if n > 1 and s <= reach:
            return False
        reach += s * (n - 1)
    return True


def _view(xp, memory, shape, strides, offset):
    if 0 in shape:
        offset = 0
    return xp.lib.stride_tricks.as_strided(
        memory[offset:], shape, [s * memory.itemsize for s in strides])


class AsStrided(FunctionNode):
    """View with a given geometry into the memory of an array."""

    input_geometry: Any = None

    def __init__(
            self, shape: Sequence[int], strides: Sequence[int],
            storage_offset: int | None = None) -> None:
        self.storage_offset: Any = _numbers.plain(storage_offset)
        self.strides = _numbers.plain_all(strides)
        self.shape = _numbers.plain_all(shape)

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check._argname(in_types, ('x',))

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.input_geometry = geometry = TensorGeometry(inputs[0])
        if self.storage_offset is None:
            # The view starts at the first element of the array.
            self.storage_offset = geometry.storage_offset
        view = _stride_array(
            inputs[0], self.shape, self.strides, self.storage_offset)
        return view,

    def backward(
            self, _: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        if grad_outputs[0].dtype.kind != 'f':
            raise TypeError(
                'gradients flow through as_strided in floating dtypes only, not in %s'
                % (grad_outputs[0].dtype,))
        return AsStridedGrad(
            self.input_geometry, self.shape, self.strides, self.storage_offset,
        ).apply(grad_outputs)


class AsStridedGrad(FunctionNode):
    """Gradient of :class:`AsStrided`.

    Gradients of elements at the same position are summed. If several elements of the
    input are at the same position, each receives an equal part.

    Parameters
    ----------
    input_geometry : TensorGeometry
        Geometry of the input.
    shape, strides : tuple of ints
        Geometry of the view.
    storage_offset : int
        Position of the view's first element.
    """

    def __init__(
            self, input_geometry: TensorGeometry, shape: Sequence[int],
            strides: Sequence[int], storage_offset: int | None) -> None:
        super().__init__()
        self.input_geometry = input_geometry
        self.shape = shape
        self.strides = strides
        self.storage_offset = storage_offset

    def _views(self):
        geometry = self.input_geometry
        inner = geometry.shape, geometry.strides, geometry.storage_offset
        outer = self.shape, self.strides, self.storage_offset
        return inner, outer

    def forward(self, grads: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        inner, outer = self._views()
        return _carry(grads[0], source=outer, target=inner, shared=inner),

    def backward(
            self, target_input_indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        return _AsStridedGradGrad(self).apply(grad_outputs)


class _AsStridedGradGrad(FunctionNode):
    """Gradient of :class:`AsStridedGrad`, with source and target exchanged.

    Parameters
    ----------
    grad : AsStridedGrad
        The function that is differentiated.
    """

    def __init__(self, grad: AsStridedGrad) -> None:
        super().__init__()
        self._views = grad._views()
        self._arguments = (
            grad.input_geometry, grad.shape, grad.strides, grad.storage_offset)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        inner, outer = self._views
        return _carry(inputs[0], source=inner, target=outer, shared=inner),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        return AsStridedGrad(*self._arguments).apply(grad_outputs)


def as_strided(
        x: VariableOrArray, shape: Sequence[int], strides: Sequence[int],
        storage_offset: int | None = None) -> Variable:
    """View with a given geometry into the memory of an array.

    Parameters
    ----------
    x : Variable or array
        The array. The view refers to the memory of the array that owns its elements,
        which need not be ``x`` itself.
    shape : tuple of ints
        Shape of the view.
    strides : tuple of ints
        Strides of the view, counted in elements rather than bytes.
    storage_offset : int or None
        Position of the first element of the view, counted from the start of the memory.
        By default it is that of ``x``.

    Returns
    -------
    Variable
        The view.

    Raises
    ------
    ValueError
        If the view would extend beyond the memory, or if the lengths of ``shape`` and
        ``strides`` differ.
    TypeError
        In backpropagation, if a gradient does not have a floating dtype.

    See Also
    --------
    chainer_fast.functions.im2col
    numpy.lib.stride_tricks.as_strided

    Notes
    -----
    The result depends on the memory layout of ``x``. For example, some functions that
    move axes return a view and others a copy.

    Examples
    --------
    >>> x = np.array([1., 2., 3., 4.], np.float32)
    >>> F.as_strided(x, (3, 2), (1, 1)).array       # windows of two
    array([[1., 2.],
           [2., 3.],
           [3., 4.]], dtype=float32)
    """
    return AsStrided(shape, strides, storage_offset).apply((x,))[0]
