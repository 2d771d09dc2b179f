from chainer_fast.functions.array import reshape
from chainer_fast.functions.math import minmax
from chainer_fast.utils import type_check


def maxout(x, pool_size, axis=1):
    """Largest of each group of neighbours along an axis.

    .. math:: y_{i, j} = \\max_{k < p} x_{i, jp + k}

    where :math:`p` is the size of a group. Where the largest occurs more than once,
    the gradient goes to each of its places.

    See: `Maxout networks <https://arxiv.org/abs/1302.4389>`_

    Parameters
    ----------
    x : Variable or array
        Values of a floating dtype.
    pool_size : int
        Number of elements in a group. It must divide the length of the axis.
    axis : int
        Axis along which the groups lie.

    Returns
    -------
    Variable
        Array of the dtype of ``x`` and, but for the axis, of its shape. The axis has
        an element for each group.

    Raises
    ------
    ValueError
        If ``pool_size`` is not positive.
    IndexError
        If ``x`` has no such axis.
    chainer.utils.type_check.InvalidType
        If ``pool_size`` does not divide the length of the axis.

    Examples
    --------
    >>> x = np.array([[1, 5, 2, 3, 0, 4]], np.float32)
    >>> F.maxout(x, 2).array
    array([[5., 3., 4.]], dtype=float32)
    """
    if pool_size <= 0:
        raise ValueError('pool_size must be a positive integer, not %s' % (pool_size,))
    if not -x.ndim <= axis < x.ndim:
        raise IndexError(
            'maxout along axis %d of an array of shape %s' % (axis, x.shape))
    axis %= x.ndim
    length = x.shape[axis]
    if length % pool_size:
        raise type_check.InvalidType(
            'x.shape[axis] % pool_size == 0',
            'x.shape[axis]=%d, pool_size=%d' % (length, pool_size),
            'pool_size must divide the length of axis %d of x' % axis)
    grouped = reshape.reshape(
        x, (*x.shape[:axis], length // pool_size, pool_size, *x.shape[axis + 1:]))
    return minmax.max(grouped, axis=axis + 1)
