from __future__ import annotations

from typing import Any

from chainer_fast import backend
from chainer_fast.backends.kernels import array as kernels
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions.array import cast, get_item
from chainer_fast.types import NdArray
from chainer_fast.utils import type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import GradOutputs, Variable, VariableOrArray


class ScatterAdd(FunctionNode):
    """Adds values to the elements that an index selects."""

    def __init__(self, slices: Any) -> None:
        super().__init__()
        self.slices: tuple[Any, ...] = get_item.as_index_tuple(slices)

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check._argname(in_types, ('a', 'b'))
        consumed = [
            s for s in self.slices if s is not None and s is not Ellipsis]
        type_check.expect(in_types[0].ndim >= len(consumed))

    def forward(self, xs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        a, b = xs
        xp = backend.get_array_module(*xs)
        index = get_item.on_module_of(xp, self.slices)
        place_shape = get_item.selected_shape(a, index)
        if place_shape != b.shape:
            # Broadcasting one value to several elements would require another gradient.
            raise ValueError(
                'Chainer does not support automatic broadcasting of '
                'variables: a[slices] has the shape %s, b %s'
                % (place_shape, b.shape))
        if not get_item.is_distinct(self.slices):
            return kernels.add_at(b, index, a),
        y = a.copy()
        y[index] += b
        return y,

    def backward(
            self, indexes: tuple[int, ...],
            grad_outputs: GradOutputs) -> tuple[Variable | None, ...]:
        g, = grad_outputs
        # Arrays accept values of other types.
        return tuple([
            cast.as_type(g if i == 0 else get_item.get_item(g, self.slices),
                         self.inputs[i].dtype)
            for i in indexes])


def scatter_add(a: VariableOrArray, slices: Any, b: VariableOrArray) -> Variable:
    """Adds values to the elements that an index selects.

    Values of repeated indices are all added, unlike in ``a[slices] += b``, and ``a``
    itself is not changed.

    .. math:: y_i = a_i + \\sum_{k : s_k = i} b_k

    Parameters
    ----------
    a : Variable or array
        The array to add to.
    slices : int, slice, Ellipsis, None, list or array, or a tuple of them
        The index :math:`s`; lists and arrays are of integers or booleans.
    b : Variable or array
        The values, of the shape of ``a[slices]``.

    Returns
    -------
    Variable
        Array of the shape and dtype of ``a``.

    Raises
    ------
    IndexError
        If the index is out of range or of another type.
    ValueError
        If ``b`` does not have the shape of ``a[slices]``.

    See Also
    --------
    chainer_fast.functions.get_item
    numpy.ufunc.at

    Examples
    --------
    >>> a = np.zeros(3, np.float32)
    >>> F.scatter_add(a, [0, 0, 2], np.ones(3, np.float32)).array
    array([2., 0., 1.], dtype=float32)
    """
    return ScatterAdd(slices).apply((a, b))[0]
