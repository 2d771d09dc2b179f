from __future__ import annotations

import operator
from collections.abc import Sequence

import numpy

from chainer_fast import _numbers, backend
from chainer_fast.backends.kernels import sequences
from chainer_fast.function_node import FunctionNode
from chainer_fast.types import NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


def _in_dtype(padding, dtype):
    """Convert a scalar to a dtype; integers out of range wrap around."""
    try:
        return dtype.type(padding)
    except OverflowError:
        # NumPy does not define the integer value of a float that is too large.
        whole = int(padding) if isinstance(padding, float) else padding
        return numpy.asarray(whole).astype(dtype)[()]


class PadSequence(FunctionNode):
    """Stacks sequences of different lengths.

    Parameters
    ----------
    length : int or None
        Length of each sequence after padding.
    padding : scalar
        Value to pad with.
    """

    def __init__(self, length: int | None, padding: float) -> None:
        self.length: int | None = (
            None if length is None else operator.index(_numbers.plain(length)))
        self.padding = padding

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        count = type_check.eval(in_types.size())
        type_check.expect(in_types.size() > 0)
        type_check._argname(in_types, ['x%d' % i for i in range(count)])
        first = in_types[0]
        type_check.expect(first.ndim > 0)
        for each in in_types:
            type_check.expect(each.dtype == first.dtype)
            type_check.expect(each.ndim > 0)
            type_check.expect(each.shape[1:] == first.shape[1:])
            if self.length is not None:
                type_check.expect(each.shape[0] <= self.length)

    def forward(self, xs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        length = self.length
        if length is None:
            length = max([len(x) for x in xs])
        padding = _in_dtype(self.padding, xs[0].dtype)
        return sequences.stack_padded(xs[0], xs, length, padding),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        lengths = [x.shape[0] for x in self.inputs]
        grads = _CutSequences(lengths).apply(grad_outputs)
        return tuple([grads[i] for i in indexes])


class _CutSequences(FunctionNode):
    """Splits padded sequences and removes the padding.

    Parameters
    ----------
    lengths : sequence of int
        Lengths of the sequences.
    """

    def __init__(self, lengths: Sequence[int]) -> None:
        self.lengths = lengths

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        stacked, = inputs
        return tuple([x[:n] for x, n in zip(stacked, self.lengths, strict=True)])

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        shape, dtype = self.inputs[0].shape, self.inputs[0].dtype
        known = next(g for g in grad_outputs if g is not None)
        xp = backend.get_array_module(known)
        grads = [
            xp.zeros((n, *shape[2:]), dtype) if g is None else g
            for g, n in zip(grad_outputs, self.lengths, strict=True)]
        return PadSequence(shape[1], 0).apply(grads)


def pad_sequence(
        xs: Sequence[VariableOrArray], length: int | None = None,
        padding: float = 0) -> Variable:
    """Stacks sequences of different lengths, padded at their ends.

    Parameters
    ----------
    xs : list of Variables or arrays
        Sequences: arrays of one dtype and of shapes that differ in the first axis only.
    length : int or None
        Length to pad to; by default that of the longest sequence.
    padding : float
        Value to pad with.

    Returns
    -------
    Variable
        Array of shape ``(len(xs), length, ...)`` and of the dtype of the sequences.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If there is no sequence, one is longer than ``length``, or dtypes or shapes do
        not match.

    See Also
    --------
    chainer_fast.functions.pad
    chainer_fast.functions.transpose_sequence

    Examples
    --------
    >>> xs = [np.array([1., 2.]), np.array([3.])]
    >>> F.pad_sequence(xs, length=3, padding=-1).array
    array([[ 1.,  2., -1.],
           [ 3., -1., -1.]])
    """
    return PadSequence(length, padding).apply(xs)[0]
