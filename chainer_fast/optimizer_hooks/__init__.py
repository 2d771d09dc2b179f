"""Hooks of optimizers: regularization, and mending of gradients."""
from chainer_fast.optimizer_hooks.gradient_clipping import GradientClipping
from chainer_fast.optimizer_hooks.gradient_hard_clipping import GradientHardClipping
from chainer_fast.optimizer_hooks.gradient_lars import GradientLARS
from chainer_fast.optimizer_hooks.gradient_noise import GradientNoise
from chainer_fast.optimizer_hooks.lasso import Lasso
from chainer_fast.optimizer_hooks.weight_decay import WeightDecay
