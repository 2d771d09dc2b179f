from __future__ import annotations

from chainer_fast.functions.array import reshape
from chainer_fast.variable import Variable, VariableOrArray


def flatten(x: VariableOrArray) -> Variable:
    """Flattens an array into one dimension.

    Parameters
    ----------
    x : Variable or array
        Array of any shape and dtype.

    Returns
    -------
    Variable
        The elements in C order, of shape ``(x.size,)`` and of the dtype of ``x``.

    See Also
    --------
    chainer_fast.functions.reshape

    Notes
    -----
    Every axis is flattened. To keep the batch axis, use
    :func:`~chainer_fast.functions.reshape` with ``(len(x), -1)``.

    Examples
    --------
    >>> F.flatten(np.array([[[5., 6.]], [[7., 8.]]])).array
    array([5., 6., 7., 8.])
    """
    return reshape.reshape(x, (x.size,))
