from __future__ import annotations

from typing import Any

import numpy

from chainer_fast import backend
from chainer_fast.backends.kernels import array as kernels
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.functions.array import get_item
from chainer_fast.types import NdArray
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


class Pad(FunctionNode):
    """Pads an array at its borders."""

    def __init__(self, pad_width: Any, mode: str, **keywords: Any) -> None:
        super().__init__()
        self.mode = mode
        self.keywords = keywords
        self.pad_width = pad_width
        widths = numpy.asarray(pad_width)
        if widths.size == 1:
            # One number applies to both ends.
            widths = numpy.repeat(widths.ravel(), 2)
        self.pad_bw = widths

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'x')

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x, = inputs
        xp = backend.get_array_module(x)
        value = self._one_constant()
        if value is None:
            return xp.pad(x, self.pad_width, self.mode, **self.keywords),
        # NumPy fills one border after the other.
        widths = numpy.broadcast_to(self.pad_bw, (x.ndim, 2)).tolist()
        shape = [n + sum(width) for n, width in zip(x.shape, widths, strict=True)]
        order = 'F' if x.flags.fnc else 'C'
        # Zeros are filled in by several threads.
        y = xp.zeros(shape, x.dtype, order) if type(value) is int and value == 0 else (
            xp.full(shape, value, x.dtype, order))
        kernels.assign(y[(*self._interior(x.shape), ...)], x)
        return y,

    def _one_constant(self):
        """Return the number on all borders; None if NumPy has to check arguments."""
        if self.mode != 'constant' or not self.keywords.keys() <= {'constant_values'}:
            return None
        value = self.keywords.get('constant_values', 0)
        if type(value) not in (int, float) or self.pad_bw.dtype.kind != 'i':
            return None
        return value if (self.pad_bw >= 0).all() else None

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        interior = self._interior(self.inputs[0].shape)
        return get_item.get_item(grad_outputs[0], interior),

    def _interior(self, lengths):
        """Return the index of the array within the padded one."""
        widths = numpy.broadcast_to(self.pad_bw, (len(lengths), 2))
        return tuple([
            slice(before, before + n)
            for before, n in zip(widths[:, 0].tolist(), lengths, strict=True)])


def pad(
        x: VariableOrArray, pad_width: Any, mode: str,
        **keywords: Any) -> Variable:
    """Pads an array at its borders.

    Parameters
    ----------
    x : Variable or array
        Array of a floating dtype.
    pad_width : int or sequence of pairs of int
        Number of values added before and after each axis: ``((before, after), ...)``
        with one pair per axis, one pair for all of them, or one number.
    mode : str
        Source of the values, see :func:`numpy.pad`.
    **keywords
        Additional arguments of the mode, such as ``constant_values``.

    Returns
    -------
    Variable
        The padded array, of the dtype of ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point.
    ValueError
        If the mode is unknown, it does not have a given argument, a width is negative,
        or the number of pairs is not the number of axes.

    See Also
    --------
    chainer_fast.functions.pad_sequence
    numpy.pad

    Notes
    -----
    The added values are constants: no gradient flows through them, even in modes that
    copy them from ``x``.

    Examples
    --------
    >>> F.pad(np.array([1., 2.]), (1, 2), 'constant').array
    array([0., 1., 2., 0., 0.])
    """
    padding = Pad(pad_width, mode, **keywords)
    return padding.apply((x,))[0]
