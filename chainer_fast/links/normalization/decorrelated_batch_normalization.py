"""Whitening of batches with running statistics."""
from __future__ import annotations

import warnings
from typing import Any

import numpy

from chainer_fast import _numbers, backend, link
from chainer_fast._help import mistakes
from chainer_fast.backends.dtypes import get_dtype
from chainer_fast.configuration import config
from chainer_fast.functions.normalization.decorrelated_batch_normalization import (
    decorrelated_batch_normalization,
    fixed_decorrelated_batch_normalization,
)
from chainer_fast.serializer import AbstractSerializer, Deserializer
from chainer_fast.types import DTypeSpec, NdArray
from chainer_fast.variable import Variable, VariableOrArray


def _for_each_group(name, array, groups, ndim):
    """Return averages with an axis for the groups."""
    if array.ndim == ndim - 1:
        if groups != 1:
            warnings.warn(
                '%s is stored once for all %s groups, by an old '
                'DecorrelatedBatchNormalization, whose algorithm was not that of the '
                'paper.' % (name, groups), stacklevel=3)
        array = backend.get_array_module(array).broadcast_to(
            array, (groups, *array.shape))
    if array.ndim != ndim:
        raise ValueError(
            '%s must have %d axes, but has shape %s' % (name, ndim, array.shape))
    return array


def fix_avg_mean(avg_mean: NdArray, groups: int) -> NdArray:
    """Return the average of means with one row for each group.

    Parameters
    ----------
    avg_mean : array
        Averages of shape ``(groups, size)``, or ``(size,)`` as in early versions.
    groups : int
        Number of groups.

    Returns
    -------
    array
        Averages of shape ``(groups, size)``.

    Raises
    ------
    ValueError
        If the number of axes is wrong.

    Warns
    -----
    UserWarning
        If several groups receive the same averages.
    """
    return _for_each_group('avg_mean', avg_mean, groups, 2)


def fix_avg_projection(avg_projection: NdArray, groups: int) -> NdArray:
    """Return the average of projections with one matrix for each group.

    Like :func:`fix_avg_mean`, with one more axis.

    Parameters
    ----------
    avg_projection : array
        Averages of shape ``(groups, size, size)`` or ``(size, size)``.
    groups : int
        Number of groups.

    Returns
    -------
    array
        Averages of shape ``(groups, size, size)``.
    """
    return _for_each_group('avg_projection', avg_projection, groups, 3)


class DecorrelatedBatchNormalization(link.Link):
    """Whitens batches: channels get mean zero, variance one and no correlation.

    .. math:: y = (\\Sigma + \\epsilon I)^{-1/2} (x - \\mu)

    While training (``chainer.config.train`` is true) :math:`\\mu` and :math:`\\Sigma`
    are the mean and the covariance of the batch, see
    :func:`~chainer_fast.functions.decorrelated_batch_normalization`, and the link
    updates its running averages of the mean and of the projection that precedes it.
    Otherwise the averages are used, see
    :func:`~chainer_fast.functions.fixed_decorrelated_batch_normalization`. The link has
    no parameters.

    Parameters
    ----------
    size : int
        Number of channels.
    groups : int
        Number of groups of channels; correlations are removed within each.
    decay : float
        Weight of the previous averages when a training step updates them.
    eps : float
        Constant added to the variances.
    dtype : dtype specifier
        Type of the averages. In testing, the inputs must have this dtype.

    Attributes
    ----------
    avg_mean : array
        Average of the means, of shape ``(groups, size // groups)``.
    avg_projection : array
        Average of the projections, of shape
        ``(groups, size // groups, size // groups)``.
    N : int
        Number of batches over which the averages were fine-tuned. It is saved with the
        link, as are the averages.
    groups, decay, eps
        As given.

    See Also
    --------
    chainer_fast.functions.decorrelated_batch_normalization

    References
    ----------
    L. Huang et al. `Decorrelated batch normalization
    <https://arxiv.org/abs/1804.08450>`__. CVPR 2018.

    Examples
    --------
    >>> dbn = L.DecorrelatedBatchNormalization(2, groups=1, eps=0)
    >>> x = np.random.randn(100, 2).astype(np.float32)
    >>> y = dbn(x @ np.array([[1, 2], [0, 1]], np.float32)).array
    >>> np.allclose(np.cov(y.T, bias=True), np.eye(2), atol=1e-4)
    True
    """

    groups: int
    decay: float
    eps: float

    def __init__(
            self, size: int, groups: int = 16, decay: float = 0.9, eps: float = 2e-5,
            dtype: DTypeSpec = numpy.float32) -> None:
        super().__init__()
        groups = _numbers.plain(groups)
        self.groups, self.decay, self.eps = groups, decay, eps
        length, dtype = size // groups, get_dtype(dtype)
        self.avg_mean: Any = numpy.zeros((groups, length), dtype)
        self.avg_projection: Any = numpy.zeros((groups, length, length), dtype)
        self.avg_projection[...] = numpy.eye(length)
        self.N = 0
        for name in 'avg_mean', 'avg_projection', 'N':
            self.register_persistent(name)

    def _initialize_values(self):
        super()._initialize_values()
        self.N = 0
        with backend.using_device(self.device):
            self.avg_mean[...] = 0
            self.avg_projection[...] = self.xp.eye(
                self.avg_mean.shape[1], dtype=self.avg_projection.dtype)

    @mistakes.explain_serializer
    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the averages.

        Files of early versions of Chainer have one mean and one projection for all
        groups; each group receives them.

        Parameters
        ----------
        serializer : chainer_fast.AbstractSerializer
            The serializer.

        Warns
        -----
        UserWarning
            If several groups receive the same averages.
        """
        if not isinstance(serializer, Deserializer):
            super().serialize(serializer)
            return
        averages = self.avg_mean, self.avg_projection
        # Without arrays to fill, loaded arrays keep their shape.
        self.avg_mean = self.avg_projection = None
        try:
            super().serialize(serializer)
            mean, projection = self.avg_mean, self.avg_projection
        finally:
            self.avg_mean, self.avg_projection = averages
        if mean is not None:
            backend.copyto(self.avg_mean, fix_avg_mean(mean, self.groups))
        if projection is not None:
            backend.copyto(
                self.avg_projection, fix_avg_projection(projection, self.groups))

    def forward(self, x: VariableOrArray, *, finetune: bool = False) -> Variable:
        """Whiten a batch.

        Parameters
        ----------
        x : chainer_fast.Variable or array
            Batch of shape ``(N, size, ...)``.
        finetune : bool
            Whether the averages become plain averages over all batches since
            :meth:`start_finetuning`. Ignored outside of training.

        Returns
        -------
        chainer_fast.Variable
            Array of the shape and dtype of ``x``.

        Raises
        ------
        chainer_fast.utils.type_check.InvalidType
            If the batch is not of a floating dtype, or, in testing, of another dtype
            than the averages; or if the groups do not divide its channels.
        ValueError
            If the number of channels is not ``size``.
        """
        mean, projection, decay = self.avg_mean, self.avg_projection, self.decay
        if not config.train:
            return fixed_decorrelated_batch_normalization(
                x, mean, projection, groups=self.groups)

        if config.in_recomputing:
            # The first forward pass has already counted the batch.
            mean = projection = None
        elif finetune:
            self.N += 1
            decay = 1. - 1. / self.N
        return decorrelated_batch_normalization(
            x, groups=self.groups, eps=self.eps, running_mean=mean,
            running_projection=projection, decay=decay)

    def start_finetuning(self) -> None:
        """Restart the count of batches for the averages."""
        self.N = 0
