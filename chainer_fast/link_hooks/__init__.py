"""Hooks that act on links around their calls."""
from chainer_fast.link_hooks import (
    spectral_normalization as spectral_normalization,
    timer as timer,
    weight_normalization as weight_normalization,
    weight_standardization as weight_standardization,
)
from chainer_fast.link_hooks.spectral_normalization import (
    SpectralNormalization as SpectralNormalization,
)
from chainer_fast.link_hooks.timer import TimerHook as TimerHook
from chainer_fast.link_hooks.weight_normalization import (
    WeightNormalization as WeightNormalization,
)
from chainer_fast.link_hooks.weight_standardization import (
    WeightStandardization as WeightStandardization,
)
