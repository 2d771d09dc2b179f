"""Product with an array that has fewer axes."""
from __future__ import annotations

from chainer_fast.functions.math import _axes
from chainer_fast.variable import Variable, VariableOrArray


def scale(x: VariableOrArray, y: VariableOrArray, axis: int = 1) -> Variable:
    """Elementwise product with an array that lacks some axes.

    .. math:: z_{n, c, \\ldots} = x_{n, c, \\ldots} \\, y_c

    for a vector ``y`` and the default axis.

    Parameters
    ----------
    x : Variable or array
        Array to scale, of a floating dtype.
    y : Variable or array
        Factors, of the dtype of ``x``. Its axes are those of ``x`` from ``axis``.
    axis : int
        First axis of ``x`` that ``y`` has.

    Returns
    -------
    Variable
        Products, of the shape and dtype of ``x``.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point, or the shape of ``y`` is not that of the axes of
        ``x`` from ``axis``.

    See Also
    --------
    chainer_fast.functions.bias
    chainer_fast.links.Scale

    Examples
    --------
    >>> x = np.array([[1., 2., 3.], [4., 5., 6.]], np.float32)
    >>> F.scale(x, np.array([1., 10., 0.], np.float32)).array
    array([[ 1., 20.,  0.],
           [ 4., 50.,  0.]], dtype=float32)
    >>> F.scale(x, np.array([1., 10.], np.float32), axis=0).array
    array([[ 1.,  2.,  3.],
           [40., 50., 60.]], dtype=float32)
    """
    return x * _axes.align(y, x.shape, axis)
