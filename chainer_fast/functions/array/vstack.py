from __future__ import annotations

from collections.abc import Sequence

from chainer_fast.functions.array import _at_least_nd
from chainer_fast.variable import Variable, VariableOrArray


class Vstack(_at_least_nd.JoinAtLeastND):
    """Joins arrays vertically."""

    def _lifted(self, shape):
        return (1,) * (2 - len(shape)) + shape

    def _axis(self, ndim):
        return 0


def vstack(xs: Sequence[VariableOrArray]) -> Variable:
    """Joins arrays vertically: vectors as rows, others along axis 0.

    Parameters
    ----------
    xs : list of Variables or arrays
        Arrays of one dtype, whose shapes are equal except for the first axis. Vectors
        must be equally long.

    Returns
    -------
    Variable
        The joined array, of the dtype of the arrays and two or more dimensions.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If there is no array, or if dtypes or other axes differ.

    See Also
    --------
    chainer_fast.functions.hstack
    chainer_fast.functions.dstack
    chainer_fast.functions.concat
    numpy.vstack

    Examples
    --------
    >>> F.vstack([np.array([1., 2.]), np.array([3., 4.])]).array
    array([[1., 2.],
           [3., 4.]])
    """
    return Vstack().apply(xs)[0]
