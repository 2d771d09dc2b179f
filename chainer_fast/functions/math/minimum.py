"""The minimum of two arrays."""
from __future__ import annotations

from chainer_fast.backends.kernels.common import halves
from chainer_fast.functions.math import _pairwise
from chainer_fast.variable import Variable, VariableOrArray


class MinimumGrad(_pairwise.PairGrad):
    """Gradient of :class:`Minimum`; the first of equal elements receives it."""

    def __init__(self, x1: VariableOrArray, x2: VariableOrArray) -> None:
        wide1, wide2 = halves.as_floats(x1), halves.as_floats(x2)
        super().__init__(wide1 <= wide2, wide1 > wide2, (x1.shape, x2.shape))
        self.x1 = x1
        self.x2 = x2


class Minimum(_pairwise.PairFunction):
    """Elementwise minimum of two arrays."""

    ufunc = 'minimum'
    grad_class = MinimumGrad


def minimum(x1: VariableOrArray, x2: VariableOrArray) -> Variable:
    """Elementwise minimum of two arrays.

    .. math:: y_i = \\min(x^1_i, x^2_i)

    Parameters
    ----------
    x1, x2 : Variable or array
        Floating-point, of one dtype and of shapes that can be broadcast.

    Returns
    -------
    Variable
        The smaller element of each pair, of the common shape and dtype. If two elements
        are equal, ``x1`` receives the gradient.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If the arguments are not floating-point, differ in dtype, or their shapes cannot
        be broadcast.

    See Also
    --------
    chainer_fast.functions.maximum
    chainer_fast.functions.min
    numpy.minimum

    Examples
    --------
    >>> x1 = np.array([1., 5.], np.float32)
    >>> x2 = np.array([3., 2.], np.float32)
    >>> F.minimum(x1, x2).array
    array([1., 2.], dtype=float32)
    """
    return Minimum().apply((x1, x2))[0]
