from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy

from chainer_fast import backend, utils
from chainer_fast._help import mistakes
from chainer_fast.backends.kernels import array as kernels
from chainer_fast.backends.kernels import record
from chainer_fast.backends.kernels.array import compiled
from chainer_fast.configuration import config
from chainer_fast.function_node import FunctionNode
from chainer_fast.types import NdArray, Xp
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


def as_index_tuple(slices: Any) -> tuple[Any, ...]:
    """Convert an index to a tuple with one entry per axis.

    A list of integers or booleans indexes the first axis; any other list is treated as
    a tuple, as in early versions of NumPy.

    Raises
    ------
    ValueError
        In debug mode, if the index has more than one ellipsis.
    """
    if isinstance(slices, list) and not all(isinstance(s, int) for s in slices):
        slices = tuple(slices)
    if not isinstance(slices, tuple):
        slices = slices,
    if config.debug and sum([s is Ellipsis for s in slices]) > 1:
        raise ValueError('only one Ellipsis is allowed in an index')
    return slices


def is_distinct(slices: Any) -> bool:
    """Return whether an index tuple obviously selects each element at most once.

    Masks do, whose positions are distinct also next to each other; integers in arrays
    may be repeated.
    """
    return all(
        s is None or s is Ellipsis or isinstance(s, (slice, int, numpy.integer))
        or getattr(s, 'dtype', None) == numpy.dtype(bool)
        for s in slices)


def selected_shape(array: NdArray, index: tuple[Any, ...]) -> tuple[int, ...]:
    """Return ``array[index].shape``, which copies no elements."""
    empty = array[..., None][..., :0]
    try:
        return empty[(*index, slice(None))].shape[:-1]
    except IndexError:      # its message would count this axis
        return array[index].shape


def on_module_of(xp: Xp, slices: Any) -> tuple[Any, ...]:
    """Convert the NumPy arrays within an index to the module of the indexed array."""
    if xp is numpy:
        return slices
    return tuple([
        xp.asarray(s) if isinstance(s, numpy.ndarray) else s for s in slices])


@record(compiled.GetItemShortcut(), fields=('slices',))
class GetItem(FunctionNode):
    """Returns the elements that an index selects."""

    def __init__(self, slices: Any) -> None:
        super().__init__()
        self.slices: tuple[Any, ...] = as_index_tuple(slices)

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check._argname(in_types, ('x',))

    def forward(self, xs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        xp = backend.get_array_module(*xs)
        return utils.force_array(xs[0][on_module_of(xp, self.slices)]),

    def backward(
            self, indexes: tuple[int, ...],
            gy: GradOutputs) -> tuple[Variable | None, ...]:
        in_shape = self.inputs[0].shape
        return GetItemGrad(self.slices, in_shape).apply(gy)


class GetItemGrad(FunctionNode):
    """Adds a gradient to zeros at the positions of the selected elements.

    Parameters
    ----------
    slices : tuple
        The index.
    in_shape : tuple
        Shape of the array that was indexed.
    """

    def __init__(
            self, slices: Sequence[Any], in_shape: Sequence[Any]) -> None:
        super().__init__()
        self.slices = slices
        self._in_shape = in_shape

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        gy, = inputs
        xp = backend.get_array_module(gy)
        if not is_distinct(self.slices):
            # Arrays may select an element repeatedly; its gradients are summed.
            return kernels.add_at(
                gy, on_module_of(xp, self.slices), tuple(self._in_shape)),
        gx = xp.zeros(self._in_shape, gy.dtype)
        gx[self.slices] = gy
        return gx,

    def backward(
            self, indexes: tuple[int, ...],
            ggx: GradOutputs) -> tuple[Variable | None, ...]:
        return GetItem(self.slices).apply(ggx)


def get_item(x: VariableOrArray, slices: Any) -> Variable:
    """Selects elements of an array, as ``x[slices]`` does.

    Parameters
    ----------
    x : Variable or array
        Array of any dtype.
    slices : int, slice, Ellipsis, None, list or array, or a tuple of them
        The index; lists and arrays are of integers or booleans.

    Returns
    -------
    Variable
        The elements, of the dtype of ``x``; a view of ``x`` if NumPy returns a view.

    Raises
    ------
    IndexError
        If the index is out of range or of another type.
    ValueError
        In debug mode, if there is more than one ellipsis.

    See Also
    --------
    chainer_fast.functions.scatter_add
    chainer_fast.functions.select_item

    Notes
    -----
    ``Variable.__getitem__`` calls this function.

    Examples
    --------
    >>> x = np.arange(8.).reshape(2, 2, 2)
    >>> F.get_item(x, (0, slice(None), 1)).array
    array([1., 3.])
    """
    try:
        y, = GetItem(slices).apply((x,))
    except IndexError as error:
        for index in slices if isinstance(slices, tuple) else (slices,):
            if isinstance(index, Variable):
                mistakes.tell(error, (
                    'an index is a variable of the dtype %s: index by its array, '
                    'x[index.array]' % (index.dtype,)))
        raise
    return y


def install_variable_get_item() -> None:
    """Define ``[]`` of variables."""
    Variable.__getitem__ = get_item
