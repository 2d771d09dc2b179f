from __future__ import annotations

from collections.abc import Sequence

from chainer_fast.functions.array import _at_least_nd
from chainer_fast.variable import Variable, VariableOrArray


class Dstack(_at_least_nd.JoinAtLeastND):
    """Joins arrays along the third axis."""

    def _lifted(self, shape):
        if len(shape) >= 3:
            return shape
        row = (1,) * (2 - len(shape)) + shape
        return row + (1,)

    def _axis(self, ndim):
        return 2


def dstack(xs: Sequence[VariableOrArray]) -> Variable:
    """Joins arrays in depth, along the third axis.

    Parameters
    ----------
    xs : list of Variables or arrays
        Arrays of one dtype, whose shapes are equal except for the third axis. A matrix
        of shape ``(M, N)`` is treated as an array of shape ``(M, N, 1)``, a vector of
        length ``N`` as one of shape ``(1, N, 1)``.

    Returns
    -------
    Variable
        The joined array, of the dtype of the arrays and three or more dimensions.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If there is no array, or if dtypes or other axes differ.

    See Also
    --------
    chainer_fast.functions.hstack
    chainer_fast.functions.vstack
    numpy.dstack

    Examples
    --------
    >>> F.dstack([np.array([1., 2.]), np.array([3., 4.])]).array
    array([[[1., 3.],
            [2., 4.]]])
    """
    return Dstack().apply(xs)[0]
