from __future__ import annotations

from collections.abc import Sequence

from chainer_fast.functions.array import _at_least_nd
from chainer_fast.variable import Variable, VariableOrArray


class Hstack(_at_least_nd.JoinAtLeastND):
    """Joins arrays horizontally."""

    def _lifted(self, shape):
        return shape or (1,)

    def _axis(self, ndim):
        return min(max(ndim, 1) - 1, 1)


def hstack(xs: Sequence[VariableOrArray]) -> Variable:
    """Joins arrays horizontally: vectors end to end, others along axis 1.

    Parameters
    ----------
    xs : list of Variables or arrays
        Arrays of one dtype, whose shapes are equal except for the axis. Scalars are
        treated as vectors.

    Returns
    -------
    Variable
        The joined array, of the dtype of the arrays.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If there is no array, or if dtypes or other axes differ.

    See Also
    --------
    chainer_fast.functions.vstack
    chainer_fast.functions.dstack
    chainer_fast.functions.concat
    numpy.hstack

    Examples
    --------
    >>> F.hstack([np.array([1., 2.]), np.array([3.])]).array
    array([1., 2., 3.])
    >>> F.hstack([np.array([[1.], [2.]]), np.array([[3.], [4.]])]).array
    array([[1., 3.],
           [2., 4.]])
    """
    return Hstack().apply(xs)[0]
