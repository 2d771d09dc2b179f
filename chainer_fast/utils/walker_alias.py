"""Sampling from a discrete distribution in constant time."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy

from chainer_fast import device_resident
from chainer_fast.backend import GpuDevice, using_device
from chainer_fast.backends.kernels import negative_sampling
from chainer_fast.types import NdArray, Xp

if TYPE_CHECKING:
    from chainer_fast.device_resident import DeviceResidentsVisitor


class WalkerAlias(device_resident.DeviceResident):
    """Sampler of a discrete distribution, by Walker's alias method.

    The ``n`` probabilities are distributed to ``n`` buckets of equal height. Each
    bucket has at most two values: its own, and above it an *alias*, a part of a value
    that is more probable than ``1 / n``. One uniform random number determines a bucket
    and a height, which determine the sample.

    Parameters
    ----------
    probs : sequence of float
        Weights of the values 0, 1, ...; they need not sum to one.

    Attributes
    ----------
    threshold : array of float32, shape (n,)
        Heights up to which the buckets contain their own values.
    values : array of int32, shape (2 * n,)
        For each bucket, its own value and the alias.

    References
    ----------
    A. J. Walker. `An efficient method for generating discrete random variables with
    general distributions <https://doi.org/10.1145/355744.355749>`__. ACM TOMS, 1977.

    Examples
    --------
    >>> from chainer_fast.utils import WalkerAlias
    >>> sampler = WalkerAlias([8, 1, 1])
    >>> sampler.sample((2, 5)).shape
    (2, 5)
    """

    def __init__(self, probs: Sequence[float]) -> None:
        super().__init__()
        weights = numpy.array(probs, numpy.float32)
        weights /= weights.sum()
        n = len(weights)
        # Rare values come first, so that a value that exceeds its bucket can fill other
        # buckets.
        order = numpy.argsort(weights, kind='stable')
        heights = numpy.empty(n, numpy.float32)
        values = numpy.zeros((n, 2), numpy.int32)
        values[:, 0] = order
        filled = 0
        for bucket, value in enumerate(order):
            height = float(weights[value]) * n
            while height > 1 and filled < bucket:
                values[filled, 1] = value
                height -= 1 - float(heights[filled])
                filled += 1
            heights[bucket] = height
        self.threshold = heights
        self.values: NdArray = values.reshape(-1)

    @property
    def use_gpu(self) -> bool:
        """Whether samples are drawn on a GPU."""
        return isinstance(self.device, GpuDevice)

    def device_resident_accept(self, visitor: DeviceResidentsVisitor) -> None:
        super().device_resident_accept(visitor)
        for name in ('threshold', 'values'):
            setattr(self, name, visitor.visit_array(getattr(self, name)))

    def sample(self, shape: int | tuple[int, ...]) -> NdArray:
        """Draw independent samples on the device of the sampler.

        Parameters
        ----------
        shape : int or tuple of int
            Shape of the result.

        Returns
        -------
        array of int32
            The samples.
        """
        with using_device(self.device):
            return self.sample_xp(self.xp, shape)

    def sample_gpu(self, shape: tuple[int, ...]):
        """Draw samples with CuPy; the sampler must be on a GPU."""
        return self.sample_xp(self.xp, shape)

    def sample_xp(self, xp: Xp, shape: int | tuple[int, ...]) -> NdArray:
        """Draw samples with an array module.

        Parameters
        ----------
        xp : module
            ``numpy`` or ``cupy``, the module of the arrays of the sampler.
        shape : int or tuple of int
            Shape of the result.

        Returns
        -------
        array of int32
            The samples.
        """
        return negative_sampling.sample(self.threshold, self.values, shape)
