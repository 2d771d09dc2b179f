from __future__ import annotations

from chainer_fast import backend
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions.array import reshape, split_axis
from chainer_fast.types import NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable


class JoinAtLeastND(FunctionNode):
    """Joins arrays that are first extended to a minimum number of dimensions.

    :func:`hstack`, :func:`vstack` and :func:`dstack` differ in that number
    and in the axis they join along.
    """

    def _lifted(self, shape):
        """Return the shape with which an input is joined."""
        raise NotImplementedError

    def _axis(self, ndim):
        """Return the axis along which inputs of ``ndim`` dimensions are joined."""
        raise NotImplementedError

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check.expect(in_types.size() > 0)
        first = in_types[0]
        ndim = type_check.eval(first.ndim)
        axis = self._axis(ndim)
        # The input does not have an axis that is added first.
        free = axis if len(self._lifted((1,) * ndim)) == ndim else None
        for i in range(1, type_check.eval(in_types.size())):
            other = in_types[i]
            type_check.expect(
                first.dtype == other.dtype,
                first.ndim == other.ndim,
            )
            if free is None:
                type_check.expect(first.shape == other.shape)
                continue
            for d in range(ndim):
                if d != free:
                    type_check.expect(first.shape[d] == other.shape[d])

    def forward(self, xs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        xp = backend.get_array_module(*xs)
        lifted = [x.reshape(self._lifted(x.shape)) for x in xs]
        return xp.concatenate(lifted, self._axis(xs[0].ndim)),

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        gy, = grad_outputs
        shapes = [x.shape for x in self.inputs]
        axis = self._axis(len(shapes[0]))
        boundaries, end = [], 0
        for shape in shapes[:-1]:
            end += self._lifted(shape)[axis]
            boundaries.append(end)
        parts = split_axis.split_axis(gy, boundaries, axis)
        return tuple([
            reshape.reshape(parts[i], shapes[i]) for i in indexes])
