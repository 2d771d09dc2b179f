"""L1 regularization by way of the gradient."""
from __future__ import annotations

from chainer_fast.backends.kernels.update_rules.hooks import LassoRecipe
from chainer_fast.optimizer_hooks._gradient_hook import GradientHook, register


@register(LassoRecipe())
class Lasso(GradientHook):
    r"""Hook that pulls parameters to zero at a constant speed.

    It adds :math:`\lambda \operatorname{sign}(\theta)`, the gradient of
    :math:`\lambda |\theta|_1`, to the gradient.

    Parameters
    ----------
    rate : float
        Rate :math:`\lambda` of the decay.
    """

    name = 'Lasso'

    def __init__(self, rate: float) -> None:
        self.rate = rate

    def _change(self, grad, param, rule, xp):
        grad += self.rate * xp.sign(param.array)
