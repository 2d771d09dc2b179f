"""L2 regularization by way of the gradient."""
from __future__ import annotations

from chainer_fast.backends.kernels.update_rules.hooks import WeightDecayRecipe
from chainer_fast.optimizer_hooks._gradient_hook import GradientHook, register


@register(WeightDecayRecipe())
class WeightDecay(GradientHook):
    r"""Hook that pulls parameters to zero in proportion to their values.

    It adds :math:`\lambda \theta`, the gradient of :math:`\lambda |\theta|^2 / 2`, to
    the gradient. A parameter with a loss scale has the decay scaled as well.

    Parameters
    ----------
    rate : float
        Rate :math:`\lambda` of the decay.
    """

    name = 'WeightDecay'

    def __init__(self, rate: float) -> None:
        self.rate = rate

    def _change(self, grad, param, rule, xp):
        rate = self.rate
        if param._loss_scale is not None:
            rate *= param._loss_scale
        grad += rate * param.array
