"""Hooks of optimizers: regularization, and mending of gradients."""
# Regularization
from chainer_fast.optimizer_hooks.weight_decay import WeightDecay  # isort: skip
from chainer_fast.optimizer_hooks.lasso import Lasso  # isort: skip
from chainer_fast.optimizer_hooks.gradient_noise import GradientNoise  # isort: skip

# Gradients that are too large
from chainer_fast.optimizer_hooks.gradient_clipping import (  # isort: skip
    GradientClipping,
)
from chainer_fast.optimizer_hooks.gradient_hard_clipping import (  # isort: skip
    GradientHardClipping,
)
from chainer_fast.optimizer_hooks.gradient_lars import GradientLARS  # isort: skip
