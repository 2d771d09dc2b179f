"""Clipping of each element of a gradient."""
from __future__ import annotations

from chainer_fast.backends.kernels.update_rules.hooks import HardClippingRecipe
from chainer_fast.optimizer_hooks._gradient_hook import GradientHook, register


@register(HardClippingRecipe())
class GradientHardClipping(GradientHook):
    """Hook that clips each element of a gradient to an interval.

    Parameters
    ----------
    lower_bound, upper_bound : float
        Ends of the interval.
    """

    name = 'GradientHardClipping'

    def __init__(self, lower_bound: float, upper_bound: float) -> None:
        self.lower_bound = lower_bound
        self.upper_bound = upper_bound

    def _change(self, grad, param, rule, xp):
        xp.clip(grad, self.lower_bound, self.upper_bound, out=grad)
