"""Hooks of optimizers for regularization and changes of gradients."""
# Regularization
from chainer_fast.optimizer_hooks.weight_decay import (
    WeightDecay as WeightDecay,
)  # isort: skip
from chainer_fast.optimizer_hooks.lasso import Lasso as Lasso  # isort: skip
from chainer_fast.optimizer_hooks.gradient_noise import (
    GradientNoise as GradientNoise,
)  # isort: skip

# Gradients that are too large
from chainer_fast.optimizer_hooks.gradient_clipping import (
    GradientClipping as GradientClipping,
)
from chainer_fast.optimizer_hooks.gradient_hard_clipping import (
    GradientHardClipping as GradientHardClipping,
)
from chainer_fast.optimizer_hooks.gradient_lars import (
    GradientLARS as GradientLARS,
)  # isort: skip
