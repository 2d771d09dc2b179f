"""Sum with an array that has fewer axes."""
from __future__ import annotations

from chainer_fast.functions.math import _axes
from chainer_fast.variable import Variable, VariableOrArray


def bias(x: VariableOrArray, y: VariableOrArray, axis: int = 1) -> Variable:
    """Elementwise sum with an array that lacks some axes.

    .. math:: z_{n, c, \\ldots} = x_{n, c, \\ldots} + y_c

    for a vector ``y`` and the default axis.

    Parameters
    ----------
    x : Variable or array
        Array to add to, of any dtype.
    y : Variable or array
        Terms, of the dtype of ``x``. Its axes are those of ``x`` from ``axis``.
    axis : int
        First axis of ``x`` that ``y`` has.

    Returns
    -------
    Variable
        Sums, of the shape and dtype of ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If the shape of ``y`` is not that of the axes of ``x`` from ``axis``.

    See Also
    --------
    chainer_fast.functions.scale
    chainer_fast.functions.add
    chainer_fast.links.Bias

    Examples
    --------
    >>> x = np.array([[1., 2., 3.], [4., 5., 6.]], np.float32)
    >>> F.bias(x, np.array([10., 20., 30.], np.float32)).array
    array([[11., 22., 33.],
           [14., 25., 36.]], dtype=float32)
    >>> F.bias(x, np.array([10., 20.], np.float32), axis=0).array
    array([[11., 12., 13.],
           [24., 25., 26.]], dtype=float32)
    """
    return x + _axes.align(y, x.shape, axis)
