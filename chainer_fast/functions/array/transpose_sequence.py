from __future__ import annotations

from collections.abc import Sequence

from chainer_fast import backend
from chainer_fast.backends.kernels import record, sequences
from chainer_fast.backends.kernels.array import compiled
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions.array import cast
from chainer_fast.types import NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


@record(compiled.TransposeSequenceShortcut(), fields=('_length',))
class TransposeSequence(FunctionNode):
    """Regroups the elements of sequences by their positions.

    Parameters
    ----------
    length : int
        Number of outputs.
    """

    def __init__(self, length: int) -> None:
        self._length = length

    def check_type_forward(self, xs_type: TypeInfoTuple) -> None:
        for longer, shorter in zip(xs_type, xs_type[1:], strict=False):
            type_check.expect(longer.shape[0] >= shorter.shape[0])
            type_check.expect(longer.shape[1:] == shorter.shape[1:])

    def forward(self, xs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        if not xs:
            return ()
        return sequences.transpose(xs[0], xs, self._length)

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        # The length of an output is the number of inputs that are longer than its
        # position, and vice versa.
        known = next(g for g in grad_outputs if g is not None)
        xp = backend.get_array_module(known)
        lengths = [x.shape[0] for x in self.inputs]
        dtype = self.inputs[0].dtype
        grads = [
            xp.zeros((sum([n > i for n in lengths]), *known.shape[1:]), dtype)
            if g is None else g for i, g in enumerate(grad_outputs)]
        grads = TransposeSequence(len(lengths)).apply(tuple(grads))
        return tuple([
            cast.as_type(g, x.dtype)
            for g, x in zip(grads, self.inputs, strict=True)])


def transpose_sequence(xs: Sequence[VariableOrArray]) -> tuple[Variable, ...]:
    """Regroups the elements of sequences by their positions.

    Parameters
    ----------
    xs : list of Variables or arrays
        Sequences: arrays of any dtype and of shapes that differ in the first axis only,
        in descending order of their lengths.

    Returns
    -------
    tuple of Variables
        One array for each element of the first sequence. Array ``i`` consists of
        element ``i`` of every sequence that is long enough.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If a sequence is longer than the one before it, or shapes do not match.

    See Also
    --------
    chainer_fast.functions.pad_sequence

    Notes
    -----
    Applied to its own result, it returns the original sequences, except empty ones.

    Examples
    --------
    >>> xs = [np.array([1., 2., 3.]), np.array([4., 5.]), np.array([6.])]
    >>> for y in F.transpose_sequence(xs):
    ...     print(y.array)
    [1. 4. 6.]
    [2. 5.]
    [3.]
    """
    if not xs:
        return ()
    return TransposeSequence(len(xs[0])).apply(tuple(xs))
