from __future__ import annotations

import math

from chainer_fast import _numbers
from chainer_fast.functions.array import concat, reshape
from chainer_fast.functions.pooling import max_pooling_nd
from chainer_fast.variable import Variable, VariableOrArray


def spatial_pyramid_pooling_2d(
        x: VariableOrArray, pyramid_height: int,
        pooling: str | None = None) -> Variable:
    """Pools images of any size to vectors of a fixed length.

    Level ``l`` of a pyramid divides the image into ``2**l`` by ``2**l`` parts and
    computes the maximum of each. The levels are concatenated, which yields ``c *
    (4**pyramid_height - 1) / 3`` numbers (more if an image is too small for so many
    parts).

    See: `Spatial Pyramid Pooling in Deep Convolutional Networks for Visual Recognition
    <https://arxiv.org/abs/1406.4729>`_

    Parameters
    ----------
    x : Variable or array, shape (n, c, h, w)
        Images of a floating dtype.
    pyramid_height : int
        Number of levels.
    pooling : {'max'}
        Kind of pooling. Required.

    Returns
    -------
    Variable, shape (n, numbers, 1, 1)
        Maxima, of the dtype of ``x``, level by level and channel by channel.

    Raises
    ------
    ValueError
        If ``pooling`` is not a known kind, or ``x`` does not have four axes.
    chainer_fast.utils.type_check.InvalidType
        If ``x`` is not floating-point, or there are no levels.

    See Also
    --------
    chainer_fast.functions.max_pooling_2d

    Examples
    --------
    >>> x = np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)
    >>> F.spatial_pyramid_pooling_2d(x, 2, pooling='max').array.ravel()
    array([15.,  5.,  7., 13., 15.], dtype=float32)
    """
    if pooling != 'max':
        raise ValueError("pooling must be 'max', but is %r" % (pooling,))
    levels = []
    for level in range(_numbers.plain(pyramid_height)):
        parts = 2 ** level
        _, height, width = x.shape[1:]
        # The parts are as large as needed; the excess is padding on both sides.
        ksize = [-(-size // parts) for size in (height, width)]
        pad = [(k * parts - size) // 2
               for k, size in zip(ksize, (height, width), strict=True)]
        y = max_pooling_nd.max_pooling_2d(x, ksize, pad=pad)
        levels.append(reshape.reshape(y, (len(y), math.prod(y.shape[1:]), 1, 1)))
    return concat.concat(levels)
