"""The Inception module with batch normalization."""
from __future__ import annotations

import functools
from typing import Any

import numpy

from chainer_fast import link
from chainer_fast.backends.dtypes import get_dtype
from chainer_fast.functions.activation import relu
from chainer_fast.functions.array import concat
from chainer_fast.functions.pooling import average_pooling_2d, max_pooling_nd
from chainer_fast.links.connection import convolution_2d
from chainer_fast.links.normalization import batch_normalization
from chainer_fast.types import DTypeSpec, InitializerSpec
from chainer_fast.variable import Variable, VariableOrArray

_POOLING: dict[str, Any] = {
    'max': functools.partial(max_pooling_nd.max_pooling_2d, cover_all=False),
    'avg': average_pooling_2d.average_pooling_2d,
}


class InceptionBN(link.Chain):
    """Parallel convolutions with windows of several sizes and batch normalization.

    Up to four branches process the images; their results are concatenated along the
    channels. No convolution has a bias; each is followed by batch normalization and the
    rectifier.

    - A convolution of 1 x 1, if ``out1`` is positive.
    - One of 1 x 1 (projection) and one of 3 x 3.
    - One of 1 x 1 (projection) and two of 3 x 3.
    - Pooling of 3 x 3, and a convolution of 1 x 1 (projection) unless ``proj_pool`` is
      None.

    Parameters
    ----------
    in_channels : int or None
        Number of channels of the images, determined at the first call if None.
    out1 : int
        Number of channels after the convolution of 1 x 1; the branch is omitted if it
        is zero.
    proj3, out3 : int
        Number of channels after the projection before the convolution of 3 x 3,
        and after that.
    proj33, out33 : int
        The same for the two convolutions of 3 x 3.
    pooltype : {'max', 'avg'}
        Kind of pooling.
    proj_pool : int or None
        Number of channels after the projection that follows pooling; None omits it.
    stride : int
        Stride of the last convolution of a branch, and of pooling.
    conv_init : initializer or None
        Initializes the filters.
    dtype : dtype specifier or None
        Type of the parameters of batch normalization.

    Attributes
    ----------
    conv1, proj3, conv3, proj33, conv33a, conv33b, poolp
        The convolutions; only those of branches that exist.
    conv1n, proj3n, conv3n, proj33n, conv33an, conv33bn, poolpn
        The batch normalizations.
    out1, proj_pool, stride, pooltype
        As given.

    Raises
    ------
    NotImplementedError
        If ``pooltype`` is unknown.
    AssertionError
        If ``out1`` is positive, but the stride is not one or ``proj_pool`` is None.

    See Also
    --------
    chainer_fast.links.Inception
    chainer_fast.links.BatchNormalization

    References
    ----------
    S. Ioffe and C. Szegedy. `Batch normalization: accelerating deep network training by
    reducing internal covariate shift <https://arxiv.org/abs/1502.03167>`__. ICML 2015.

    Examples
    --------
    >>> module = L.InceptionBN(
    ...     3, out1=4, proj3=2, out3=8, proj33=2, out33=4, pooltype='avg', proj_pool=4)
    >>> module(np.zeros((2, 3, 8, 8), np.float32)).shape
    (2, 20, 8, 8)
    """

    out1: int
    proj_pool: int | None
    stride: int
    pooltype: str

    def __init__(
            self, in_channels: int | None, out1: int, proj3: int, out3: int,
            proj33: int, out33: int, pooltype: str, proj_pool: int | None = None,
            stride: int = 1, conv_init: InitializerSpec | None = None,
            dtype: DTypeSpec | None = None) -> None:
        super().__init__()
        self.out1, self.proj_pool = out1, proj_pool
        self.stride, self.pooltype = stride, pooltype
        if pooltype not in tuple(_POOLING):   # it may not be hashable
            raise NotImplementedError(
                "pooltype must be 'max' or 'avg', got %r" % (pooltype,))
        # Batch normalization by default would use float32 for mixed16.
        dtype = get_dtype(dtype, map_mixed16=numpy.float16)
        # Old versions of Chainer iterate over links in the order in which they were
        # added.
        groups = [[
            ('proj3', in_channels, proj3, 1, 1), ('conv3', proj3, out3, 3, stride),
            ('proj33', in_channels, proj33, 1, 1), ('conv33a', proj33, out33, 3, 1),
            ('conv33b', out33, out33, 3, stride)]]
        if out1 > 0:
            assert stride == 1 and proj_pool is not None, (
                'with out1, the stride must be 1 and proj_pool must be given, got '
                'stride=%s and proj_pool=%s' % (stride, proj_pool))
            groups.append([('conv1', in_channels, out1, 1, 1)])
        if proj_pool is not None:
            groups.append([('poolp', in_channels, proj_pool, 1, 1)])

        for group in groups:
            for name, n_in, n_out, ksize, step in group:
                self.add_link(name, convolution_2d.Convolution2D(
                    n_in, n_out, ksize, step, ksize // 2, nobias=True,
                    initialW=conv_init))
            for name, _, n_out, _, _ in group:
                self.add_link(name + 'n', batch_normalization.BatchNormalization(
                    n_out, dtype=dtype))

    def _apply(self, x, *names):
        for name in names:
            x = relu.relu(self[name + 'n'](self[name](x)))
        return x

    def forward(self, x: VariableOrArray) -> Variable:
        """Apply the module.

        Parameters
        ----------
        x : chainer_fast.Variable or array, shape (n, in_channels, h, w)
            Images.

        Returns
        -------
        chainer_fast.Variable
            Images of shape ``(n, out, h_out, w_out)``, where ``out`` is the number of
            channels of all branches.

        Raises
        ------
        chainer_fast.utils.type_check.InvalidType
            If ``x`` has another dtype, number of axes or number of channels.
        """
        branches = [self._apply(x, 'conv1')] if self.out1 > 0 else []
        branches.append(self._apply(x, 'proj3', 'conv3'))
        branches.append(self._apply(x, 'proj33', 'conv33a', 'conv33b'))
        pooled = _POOLING[self.pooltype](x, 3, self.stride, 1)
        if self.proj_pool is not None:
            pooled = self._apply(pooled, 'poolp')
        branches.append(pooled)
        return concat.concat(branches, axis=1)
