"""The maximum of two arrays."""
from __future__ import annotations

from chainer_fast.backends.kernels.common import halves
from chainer_fast.functions.math import _pairwise
from chainer_fast.variable import Variable, VariableOrArray


class MaximumGrad(_pairwise.PairGrad):
    """Gradient of :class:`Maximum`; the first of equal elements receives it."""

    def __init__(self, x1: VariableOrArray, x2: VariableOrArray) -> None:
        first = halves.as_floats(x1) >= halves.as_floats(x2)
        super().__init__(first, ~first, (x1.shape, x2.shape))


class Maximum(_pairwise.PairFunction):
    """Elementwise maximum of two arrays."""

    ufunc = 'maximum'
    grad_class = MaximumGrad


def maximum(x1: VariableOrArray, x2: VariableOrArray) -> Variable:
    """Elementwise maximum of two arrays.

    .. math:: y_i = \\max(x^1_i, x^2_i)

    Parameters
    ----------
    x1, x2 : Variable or array
        Floating-point, of one dtype and of shapes that can be broadcast.

    Returns
    -------
    Variable
        The larger element of each pair, of the common shape and dtype. If two elements
        are equal, ``x1`` receives the gradient.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If the arguments are not floating-point, differ in dtype, or their shapes cannot
        be broadcast.

    See Also
    --------
    chainer_fast.functions.minimum
    chainer_fast.functions.max
    numpy.maximum

    Examples
    --------
    >>> x1 = np.array([1., 5.], np.float32)
    >>> x2 = np.array([3., 2.], np.float32)
    >>> F.maximum(x1, x2).array
    array([3., 5.], dtype=float32)
    """
    return Maximum().apply((x1, x2))[0]
