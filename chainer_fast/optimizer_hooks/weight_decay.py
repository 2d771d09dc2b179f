"""L2 regularization through the gradient."""
from __future__ import annotations

from chainer_fast.backends.kernels.update_rules import recipes
from chainer_fast.optimizer_hooks._gradient_hook import GradientHook, register


@register(recipes.weight_decay)
class WeightDecay(GradientHook):
    r"""Hook that moves parameters towards zero in proportion to their values.

    .. math:: g \leftarrow g + \lambda \theta

    This is the gradient of :math:`\lambda |\theta|^2 / 2`. If the gradient has a loss
    scale, the decay is scaled, too.

    Parameters
    ----------
    rate : float
        Rate :math:`\lambda` of the decay.

    See Also
    --------
    chainer_fast.optimizers.AdamW

    Examples
    --------
    >>> layer = L.Linear(2, 1, nobias=True, initialW=np.array([[1, 2]], np.float32))
    >>> optimizer = chainer.optimizers.SGD(lr=0.1).setup(layer)
    >>> optimizer.add_hook(chainer.optimizer_hooks.WeightDecay(0.5))
    >>> x = np.array([[3, -4]], np.float32)
    >>> optimizer.update(lambda: F.sum(layer(x)))  # the gradient is x
    >>> layer.W.array
    array([[0.65, 2.3 ]], dtype=float32)
    """

    name = 'WeightDecay'

    def __init__(self, rate: float) -> None:
        self.rate = rate

    def _change(self, grad, param, rule, xp):
        rate = self.rate
        if param._loss_scale is not None:
            rate *= param._loss_scale
        grad += rate * param.array.astype(grad.dtype, copy=False)
