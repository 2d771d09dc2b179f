from __future__ import annotations

import numpy

from chainer_fast import _numbers, backend
from chainer_fast.configuration import config
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.types import NdArray
from chainer_fast.utils import _labels, type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


def _check_indices(indices):
    """Raise ValueError unless the indices are a permutation."""
    values = backend.CpuDevice().send(indices)
    outside = values[(values < 0) | (values >= len(values))]
    if outside.size:
        raise ValueError('Out of bounds index: %d' % (outside[0],))
    counts = numpy.bincount(values, minlength=len(values))
    if (counts > 1).any():
        raise ValueError(
            'indices contains duplicate value: %d' % counts.argmax())


def _inverse_indices(indices):
    xp = backend.get_array_module(indices)
    # Its initial values are out of range of any axis and remain unless the indices are
    # a permutation.
    inverse = xp.full(len(indices), numpy.iinfo(numpy.intp).max)
    inverse[indices] = xp.arange(len(indices), dtype=indices.dtype)
    return inverse


class Permutate(FunctionNode):
    """Reorders an array along an axis.

    Parameters
    ----------
    indices : array
        Permutation, of an integer dtype.
    axis : int
        The axis.
    inv : bool
        Whether the inverse permutation is applied.
    """

    def __init__(self, indices: NdArray, axis: int, inv: bool) -> None:
        super().__init__()
        self.indices = indices
        self.axis: int = _numbers.plain(axis)
        self.inv = inv

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check._argname(in_types, ('x',))
        _checks.axis(in_types[0], self.axis)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        x, = inputs
        order = _inverse_indices(self.indices) if self.inv else self.indices
        try:
            # NumPy does not accept a bool as an axis.
            return backend.get_array_module(x).take(x, order, +self.axis),
        except IndexError as error:
            raise self._explained(error, x.shape[self.axis]) from None

    def _explained(self, error, n):
        explained = _labels.explain(
            error, n, 'elements along axis %d' % self.axis, indices=self.indices)
        if explained is error:
            try:
                _check_indices(self.indices)
            except ValueError as reason:
                return IndexError(str(reason))
        return explained

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        return permutate(
            grad_outputs[0], self.indices, self.axis, not self.inv),


def permutate(
        x: VariableOrArray, indices: VariableOrArray, axis: int = 0,
        inv: bool = False) -> Variable:
    """Reorders an array along an axis.

    .. math::

        y_i = x_{\\pi(i)}, \\qquad \\text{or with inv} \\quad y_{\\pi(i)} = x_i

    Parameters
    ----------
    x : Variable or array
        Array of any dtype.
    indices : Variable or array
        Permutation :math:`\\pi` of the numbers below the length of the axis: a vector
        of integers.
    axis : int
        The axis to reorder.
    inv : bool
        Whether the inverse permutation is applied.

    Returns
    -------
    Variable
        Array of the shape and dtype of ``x``.

    Raises
    ------
    ValueError
        If ``indices`` is not a vector of integers or, in debug mode, has duplicates.
    IndexError
        If an index is out of range or, with ``inv``, occurs twice.
    chainer_fast.utils.type_check.InvalidType
        If ``x`` has no such axis.

    See Also
    --------
    chainer_fast.functions.get_item

    Examples
    --------
    >>> x = np.array([10., 20., 30.])
    >>> order = np.array([1, 2, 0])
    >>> y = F.permutate(x, order)
    >>> y.array
    array([20., 30., 10.])
    >>> F.permutate(y, order, inv=True).array
    array([10., 20., 30.])
    """
    if isinstance(indices, Variable):
        indices = indices.array
    if indices.dtype.kind != 'i' or indices.ndim != 1:
        raise ValueError('indices should be a one-dimensional int array')
    if config.debug:
        _check_indices(indices)
    return Permutate(indices, axis, inv).apply((x,))[0]
