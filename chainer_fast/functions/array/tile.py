from __future__ import annotations

from chainer_fast import backend
from chainer_fast.backends.kernels import array as kernels
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions.array import reshape
from chainer_fast.functions.math import sum as sum_
from chainer_fast.types import NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


class Tile(FunctionNode):
    """Repeats an array as a whole along its axes."""

    reps: tuple[int] | tuple[int, ...]

    def __init__(self, reps: int | tuple[int, ...]) -> None:
        super().__init__()
        self.reps = (reps,) if isinstance(reps, int) else reps
        if not isinstance(self.reps, tuple) or not all(
                isinstance(r, int) for r in self.reps):
            raise TypeError(
                'reps must be int or tuple of ints.\n'
                f'Actual: {type(reps)}')
        if any(r < 0 for r in self.reps):
            raise ValueError(
                'All elements in reps must be zero or larger, but reps is %s'
                % (reps,))

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check._argname(in_types, ('x',))

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x, = inputs
        self._in_shape = x.shape
        xp = backend.get_array_module(x)
        reps, lengths = self._of_axes()
        if x.size < kernels.LEAST or all([n == 1 for n in reps]):
            return xp.tile(x, self.reps),
        y = xp.empty([n * length for n, length in zip(reps, lengths, strict=True)],
                     x.dtype)
        split = [n for pair in zip(reps, lengths, strict=True) for n in pair]
        copies = y.reshape(split)
        kernels.assign(copies, xp.broadcast_to(
            x.reshape([n for length in lengths for n in (1, length)]), copies.shape))
        return y,

    def _of_axes(self):
        """The repetitions and lengths, of which the shorter sequence begins with ones.
        """
        ndim = max(len(self.reps), len(self._in_shape))
        return [(1,) * (ndim - len(each)) + each
                for each in (self.reps, self._in_shape)]

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        # Each axis is split into repetitions and elements; the former are summed.
        reps, lengths = self._of_axes()
        split = [n for pair in zip(reps, lengths, strict=True) for n in pair]
        copies = tuple(range(0, len(split), 2))
        gy = reshape.reshape(grad_outputs[0], tuple(split))
        gx = sum_.sum(gy, axis=copies) if copies else gy
        return reshape.reshape(gx, self._in_shape),


def tile(x: VariableOrArray, reps: int | tuple[int, ...]) -> Variable:
    """Builds an array from copies of another one.

    Parameters
    ----------
    x : Variable or array
        Array of any dtype.
    reps : int or tuple of ints
        The number of copies along each axis, aligned at the last one. Missing axes are
        prepended.

    Returns
    -------
    Variable
        The copies side by side, of the dtype of ``x``.

    Raises
    ------
    TypeError
        If ``reps`` is of another type.
    ValueError
        If a number is negative.

    See Also
    --------
    chainer_fast.functions.repeat
    numpy.tile

    Examples
    --------
    >>> F.tile(np.array([0., 1.]), (2, 2)).array
    array([[0., 1., 0., 1.],
           [0., 1., 0., 1.]])
    """
    return Tile(reps).apply((x,))[0]
