from __future__ import annotations

import functools
import operator
from collections import abc
from collections.abc import Sequence
from typing import Any

from chainer_fast import _numbers, backend, utils
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions import _checks
from chainer_fast.functions.math import _contraction
from chainer_fast.functions.math.einsum import einsum_symbols
from chainer_fast.types import DTypeSpec, NdArray
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


def _as_axes(entry):
    """Return one side of ``axes`` as a tuple."""
    if isinstance(entry, abc.Sequence) or getattr(entry, 'ndim', None):
        return _numbers.plain_all(entry)
    return operator.index(_numbers.plain(entry)),


def _counted(axes, shape, name):
    """Return nonnegative axes."""
    ndim = len(shape)
    if len(axes) > ndim:
        raise ValueError('axes contains %d axes of %s, which has %d: %s' % (
            len(axes), name, ndim, list(axes)))
    found = []
    for axis in axes:
        shape[axis]  # an axis that does not exist raises IndexError
        found.append(axis % ndim)
    if len(set(found)) < len(found):
        raise ValueError('axes contains an axis of %s twice: %s' % (name, list(axes)))
    return tuple(found)


def _read_axes(axes, a_shape, b_shape):
    """Return the axes of both arrays that are summed over."""
    if isinstance(axes, abc.Sequence):
        if len(axes) != 2:
            raise ValueError(
                'axes must be a pair of sequences of integers, one for each array, but '
                'it has %d entries: %r' % (len(axes), axes))
        a_sum, b_sum = map(_as_axes, axes)
        if len(a_sum) != len(b_sum):
            raise ValueError('axes must contain the same number of axes of a and b: '
                             '%r' % (axes,))
    elif isinstance(axes, int):
        for name, shape in ('a', a_shape), ('b', b_shape):
            if axes > len(shape):
                raise ValueError('axes contains %s axes of %s, which has %s' % (
                    axes, name, len(shape)))
        count = max(axes, 0)
        a_sum = range(-count, 0)
        b_sum = range(count)
    else:
        raise TypeError(
            'axes must be an int or a pair of sequences of integers, not %r' % (axes,))
    a_sum = _counted(a_sum, a_shape, 'a')
    b_sum = _counted(b_sum, b_shape, 'b')
    lengths = [a_shape[d] for d in a_sum], [b_shape[d] for d in b_sum]
    if lengths[0] != lengths[1]:
        raise ValueError(
            'shape mismatch: axes %s of a have lengths %s, axes %s of b %s' % (
                list(a_sum), lengths[0], list(b_sum), lengths[1]))
    return a_sum, b_sum


def _others(axes, ndim):
    return tuple([d for d in range(ndim) if d not in axes])


@functools.lru_cache(maxsize=1024)
def _terms(a_axes, b_axes, c_axes):
    """Return letters for the axes of both arrays and of the product."""
    letters = iter(einsum_symbols)
    a, b, c = {}, {}, {}
    for first, places, second, others in (
            (a, a_axes[1], b, b_axes[0]), (a, a_axes[0], c, c_axes[0]),
            (b, b_axes[1], c, c_axes[1])):
        for place, other in zip(places, others, strict=True):
            first[place] = second[other] = next(letters)
    return [''.join([term[d] for d in sorted(term)]) for term in (a, b, c)]


_Axes = tuple[Sequence[int], Sequence[int]]


class TensorDot(FunctionNode):
    """Sums of products along axes of two arrays.

    Parameters
    ----------
    axes : int or pair of sequences of int
        The axes to sum over; see :func:`tensordot`.
    a_axes, b_axes, c_axes : pair of sequences of int, optional
        The axes in detail: for ``a`` the axes that are kept and those that are summed
        over, for ``b`` those that are summed over and those that are kept, and for the
        result the positions of the kept axes of ``a`` and ``b``. By default they are
        derived from ``axes``.
    dtype : optional
        Dtype of the result.
    """

    dtype: DTypeSpec
    axes: int | tuple[Sequence[int], Sequence[int]]
    a_axes: tuple[Sequence[int], Sequence[int]]
    b_axes: tuple[Sequence[int], Sequence[int]]
    c_axes: tuple[tuple[int, ...], tuple[int, ...]]

    def __init__(
            self, axes: int | _Axes | None = 2,
            a_axes: _Axes | None = None,
            b_axes: _Axes | None = None,
            c_axes: _Axes | None = None,
            dtype: DTypeSpec = None) -> None:
        self.dtype, self.axes = dtype, axes
        self.a_axes, self.b_axes, self.c_axes = a_axes, b_axes, c_axes

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        _checks.floats(in_types, 'a', 'b')

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        self.retain_inputs((0, 1))
        a, b = inputs
        if self.a_axes is None:
            self._find_axes(a.shape, b.shape)
        c = _product(a, b, self.a_axes, self.b_axes, self.c_axes)
        return utils.force_array(c, self.dtype),

    def _find_axes(self, a_shape, b_shape):
        a_sum, b_sum = _read_axes(self.axes, a_shape, b_shape)
        a_kept = _others(a_sum, len(a_shape))
        b_kept = _others(b_sum, len(b_shape))
        places = tuple(range(len(a_kept) + len(b_kept)))
        self.a_axes = a_kept, a_sum
        self.b_axes = b_sum, b_kept
        self.c_axes = places[:len(a_kept)], places[len(a_kept):]

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        a, b = self.get_retained_inputs()
        gc, = grad_outputs
        a_axes: Any = self.a_axes
        b_axes: Any = self.b_axes
        c_axes: Any = self.c_axes
        grads = []
        for i in indexes:
            if i == 0:
                function = TensorDot(
                    None, c_axes, (b_axes[1], b_axes[0]), a_axes, a.dtype)
                grads.extend(function.apply((gc, b)))
            else:
                function = TensorDot(
                    None, (a_axes[1], a_axes[0]), c_axes, b_axes, b.dtype)
                grads.extend(function.apply((a, gc)))
        return tuple(grads)


def _product(a, b, a_axes, b_axes, c_axes):
    *terms, out = _terms(*[
        (tuple(first), tuple(second)) for first, second in (a_axes, b_axes, c_axes)])
    xp = backend.get_array_module(a, b)
    return _contraction.contract(xp, tuple(terms), out, (a, b))


def tensordot(
        a: VariableOrArray, b: VariableOrArray,
        axes: int | tuple[Sequence[int], Sequence[int]] = 2) -> Variable:
    """Sums the products of two arrays along some of their axes.

    .. math:: c_{i, j} = \\sum_k a_{i, k} \\, b_{k, j}

    where :math:`k` is a position along the axes to sum over, and :math:`i` and
    :math:`j` are positions along the others.

    Parameters
    ----------
    a, b : Variable or array
        Floating-point arrays.
    axes : int or pair of sequences of int
        An int ``n`` sums over the last ``n`` axes of ``a`` and the first ``n`` of
        ``b``, in order. A pair contains the axes of ``a`` and the corresponding axes of
        ``b``; a single axis of each may be given as an integer.

    Returns
    -------
    Variable
        Array whose axes are those of ``a`` and then those of ``b`` that are not summed
        over, in the common dtype of the arrays.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If an array is not floating-point.
    ValueError
        If the axes of ``a`` and ``b`` differ in number or length, or one occurs twice.
    IndexError
        If an array has no such axis.
    TypeError
        If ``axes`` is of another type.

    See Also
    --------
    chainer_fast.functions.matmul
    chainer_fast.functions.einsum
    numpy.tensordot

    Examples
    --------
    >>> a = np.array([[1., 2.], [3., 4.]], np.float32)
    >>> F.tensordot(a, a, axes=(1, 1)).array    # the product with the transpose
    array([[ 5., 11.],
           [11., 25.]], dtype=float32)
    >>> F.tensordot(a, a, axes=2).array         # 1 + 4 + 9 + 16
    array(30., dtype=float32)
    """
    c, = TensorDot(axes).apply((a, b))
    return c
