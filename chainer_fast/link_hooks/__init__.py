"""Hooks that act on links around their calls."""
from chainer_fast.link_hooks import (
    spectral_normalization,
    timer,
    weight_standardization,
)
from chainer_fast.link_hooks.spectral_normalization import SpectralNormalization
from chainer_fast.link_hooks.timer import TimerHook
from chainer_fast.link_hooks.weight_standardization import WeightStandardization
