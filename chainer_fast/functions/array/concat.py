from __future__ import annotations

from collections.abc import Sequence

import numpy

from chainer_fast.backends.kernels import array as kernels
from chainer_fast.backends.kernels import record
from chainer_fast.backends.kernels.array import compiled
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.functions.array import split_axis
from chainer_fast.types import NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


@record(compiled.ConcatShortcut(), fields=('axis',))
class Concat(FunctionNode):
    """Joins arrays along an existing axis."""

    def __init__(self, axis: int = 1) -> None:
        super().__init__()
        if not isinstance(axis, int):
            raise TypeError(
                'axis must be int, not %s%s' % (
                    type(axis).__name__, _checks.advice_on_axis('concat', axis)))
        self.axis = axis

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check.expect(in_types.size() > 0)
        first = in_types[0]
        _checks.axis(first, self.axis)
        ndim = type_check.eval(first.ndim)
        joined = self.axis % ndim
        kept = [d for d in range(ndim) if d != joined]
        for i in range(1, type_check.eval(in_types.size())):
            other = in_types[i]
            type_check.expect(
                first.dtype == other.dtype,
                first.ndim == other.ndim,
            )
            for d in kept:
                type_check.expect(first.shape[d] == other.shape[d])

    def forward(self, xs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        return kernels.join(xs[0], xs, self.axis),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        if len(self.inputs) == 1:
            return grad_outputs
        lengths = [x.shape[self.axis] for x in self.inputs[:-1]]
        boundaries = numpy.cumsum(lengths)
        return split_axis.split_axis(grad_outputs[0], boundaries, self.axis)


def concat(xs: Sequence[VariableOrArray], axis: int = 1) -> Variable:
    """Joins arrays along an axis.

    Parameters
    ----------
    xs : tuple of Variables or arrays
        Arrays of one dtype, whose shapes are equal except for the axis.
    axis : int
        Axis to join along.

    Returns
    -------
    Variable
        The joined array, of the dtype of the arrays. The length of the axis is the sum
        of their lengths.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If there is no array, if the axis does not exist, or if dtypes or other axes
        differ.

    See Also
    --------
    chainer_fast.functions.stack
    chainer_fast.functions.split_axis
    numpy.concatenate

    Examples
    --------
    >>> x = np.array([[1., 2.], [4., 5.]])
    >>> y = np.array([[3.], [6.]])
    >>> F.concat((x, y), axis=1).array
    array([[1., 2., 3.],
           [4., 5., 6.]])
    """
    return Concat(axis=axis).apply(tuple(xs))[0]
