"""Base of losses that draw samples of noise."""
from __future__ import annotations

from collections.abc import Sequence

from chainer_fast import link, variable
from chainer_fast.device_resident import DeviceResidentsVisitor
from chainer_fast.types import InitializerSpec
from chainer_fast.utils import walker_alias
from chainer_fast.utils.walker_alias import WalkerAlias


class SamplingLink(link.Link):
    """A link with vectors of classes and a sampler of classes.

    Parameters
    ----------
    weights : sequence of float
        Relative probability of drawing each class.
    sample_size : int
        Number of samples of noise for each input.
    initialW : initializer or None
        Initializes the vectors.
    in_size : int
        Length of the vectors.
    """

    def __init__(
            self, weights: Sequence[float], sample_size: int,
            initialW: InitializerSpec | None, in_size: int) -> None:
        super().__init__()
        shape = len(weights), in_size
        self.sampler: WalkerAlias = walker_alias.WalkerAlias(weights)
        self.sample_size = sample_size
        with self.init_scope():
            self.W = variable.Parameter(initialW, shape)

    def device_resident_accept(self, visitor: DeviceResidentsVisitor) -> None:
        super().device_resident_accept(visitor)
        self.sampler.device_resident_accept(visitor)
