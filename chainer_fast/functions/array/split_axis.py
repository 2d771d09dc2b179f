from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, Literal, overload

import numpy

from chainer_fast import _numbers, backend
from chainer_fast.backends.kernels import record
from chainer_fast.backends.kernels.array import compiled
from chainer_fast.configuration import config
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.functions.array import concat, get_item
from chainer_fast.types import NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


def _sections_or_indices(value):
    """Split the ambiguous argument into ``(sections, indices)``."""
    if isinstance(value, numpy.ndarray) and value.ndim == 0:
        value = int(value)
    elif not isinstance(value, int) and (
            not isinstance(value, Iterable) or isinstance(value, (Mapping, Set))):
        raise TypeError(
            'indices_or_sections must be integer or 1-D array.\n'
            f'Actual: {type(value)}')
    if isinstance(value, int):
        if value < 0:
            raise ValueError(
                'the number of sections must be positive, not %s' % (value,))
        return value, None
    if getattr(value, 'ndim', 1) != 1:
        raise TypeError(
            f'indices_or_sections must be 1-D sequence, not {value.ndim}-D')
    if config.debug and list(value) != sorted(value):
        raise ValueError(
            'indices_or_sections must be sorted, but is %s' % (value,))
    # The gradient needs it, too, and a list may have changed by then.
    return None, value.copy() if hasattr(value, 'copy') else value


@record(compiled.SplitShortcut(), fields=('axis', 'indices', 'sections'))
class SplitAxis(FunctionNode):
    """Splits an array along an axis into several."""

    sections: int | None
    indices: Any
    # The shortcut, which handles NumPy arrays, does not change it.
    _xp: Any = numpy

    def __init__(
            self, indices_or_sections: int | Sequence[int] | NdArray,
            axis: int) -> None:
        super().__init__()
        self.sections, self.indices = _sections_or_indices(
            indices_or_sections)
        self.axis = axis

    @property
    def indices_or_sections(self) -> Any:
        return self.sections if self.indices is None else self.indices

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check.expect(in_types.size() == 1)
        _checks.axis(in_types[0], self.axis)
        length = in_types[0].shape[self.axis]
        if self.sections is not None:
            sections = type_check.make_variable(self.sections, 'sections')
            type_check.expect(length % sections == 0)
        elif len(self.indices) > 0:
            last = type_check.make_variable(self.indices[-1], 'max_index')
            type_check.expect(length >= last)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x, = inputs
        self._xp = backend.get_array_module(x)
        return tuple([x[piece] for piece in self._pieces(x.shape)])

    def _pieces(self, shape):
        """Return the indices of the sections of an array."""
        cuts = self.indices_or_sections
        if self.indices is not None:
            # An empty array of indices has a floating dtype by default, and an index
            # may be a 0-dim array.
            cuts = [operator.index(_numbers.plain(i)) for i in cuts]
        else:
            length = shape[self.axis] // cuts
            cuts = [i * length for i in range(1, cuts)]
        whole = (slice(None),) * (self.axis % len(shape))
        return [(*whole, slice(start, stop))
                for start, stop in zip([0, *cuts], [*cuts, None], strict=True)]

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        x_shape, x_dtype = self.inputs[0].shape, self.inputs[0].dtype
        lengths = [len(range(x_shape[self.axis])[piece[-1]])
                   for piece in self._pieces(x_shape)]
        axis = self.axis % len(x_shape)
        gys = [
            self._xp.zeros((*x_shape[:axis], length, *x_shape[axis + 1:]), x_dtype)
            if gy is None else gy
            for length, gy in zip(lengths, grad_outputs, strict=True)]
        if sum(lengths) == x_shape[self.axis]:
            return concat.concat(gys, self.axis),
        # Positions that are not sorted result in overlapping sections.
        gx: Any = sum([
            get_item.GetItemGrad(piece, x_shape).apply((gy,))[0]
            for piece, gy in zip(self._pieces(x_shape), gys, strict=True)])
        return gx,


@overload
def split_axis(
        x: VariableOrArray, indices_or_sections: int | Sequence[int] | NdArray,
        axis: int, force_tuple: Literal[True] = ...) -> tuple[Variable, ...]: ...
@overload
def split_axis(
        x: VariableOrArray, indices_or_sections: int | Sequence[int] | NdArray,
        axis: int, force_tuple: bool) -> Variable | tuple[Variable, ...]: ...
def split_axis(
        x: VariableOrArray, indices_or_sections: int | Sequence[int] | NdArray,
        axis: int, force_tuple: bool = True) -> Variable | tuple[Variable, ...]:
    """Splits an array along an axis into several.

    Parameters
    ----------
    x : Variable or array
        The array to split, of any dtype.
    indices_or_sections : int or 1-D array
        A number of equal sections, or the sorted positions at which the array is split.
    axis : int
        The axis to split.
    force_tuple : bool
        If it is false, a single section is returned by itself rather than in a tuple of
        one.

    Returns
    -------
    tuple of Variables
        The sections in order, of the dtype of ``x``. An output that a loss does not
        depend on has a gradient of zeros.

    Raises
    ------
    TypeError
        If ``indices_or_sections`` is neither an integer nor one-dimensional.
    ValueError
        If the number of sections is negative or, in debug mode, the positions are not
        sorted.
    ZeroDivisionError
        If the number of sections is zero.
    chainer_fast.utils.type_check.InvalidType
        If ``x`` has no such axis, its length is not a multiple of the number of
        sections, or a position exceeds it.

    See Also
    --------
    chainer_fast.functions.concat
    chainer_fast.functions.separate
    numpy.split

    Examples
    --------
    >>> x = np.arange(6.)
    >>> for y in F.split_axis(x, [1, 3], axis=0):
    ...     print(y.array)
    [0.]
    [1. 2.]
    [3. 4. 5.]
    """
    ys = SplitAxis(indices_or_sections, axis).apply((x,))
    if len(ys) == 1 and not force_tuple:
        return ys[0]
    return ys
