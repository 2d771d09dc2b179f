"""L1 regularization through the gradient."""
from __future__ import annotations

from chainer_fast.backends.kernels.update_rules import recipes
from chainer_fast.optimizer_hooks._gradient_hook import GradientHook, register


@register(recipes.lasso)
class Lasso(GradientHook):
    r"""Hook that moves parameters towards zero at a constant rate.

    .. math:: g \leftarrow g + \lambda \operatorname{sign}(\theta)

    This is the gradient of :math:`\lambda |\theta|_1`.

    Parameters
    ----------
    rate : float
        Rate :math:`\lambda` of the decay.

    Examples
    --------
    >>> layer = L.Linear(2, 1, nobias=True, initialW=np.array([[1, 2]], np.float32))
    >>> optimizer = chainer.optimizers.SGD(lr=0.1).setup(layer)
    >>> optimizer.add_hook(chainer.optimizer_hooks.Lasso(0.5))
    >>> x = np.array([[3, -4]], np.float32)
    >>> optimizer.update(lambda: F.sum(layer(x)))  # the gradient is x
    >>> layer.W.array
    array([[0.65, 2.35]], dtype=float32)
    """

    name = 'Lasso'

    def __init__(self, rate: float) -> None:
        self.rate = rate

    def _change(self, grad, param, rule, xp):
        grad += self.rate * xp.sign(param.array.astype(grad.dtype, copy=False))
