"""Clipping of each element of a gradient."""
from __future__ import annotations

from chainer_fast.backends.kernels.update_rules import recipes
from chainer_fast.optimizer_hooks._gradient_hook import GradientHook, register


@register(recipes.hard_clipping)
class GradientHardClipping(GradientHook):
    """Hook that clips each element of a gradient to an interval.

    .. math:: g \\leftarrow \\min(\\max(g, l), u)

    Parameters
    ----------
    lower_bound, upper_bound : float
        Ends of the interval.

    Examples
    --------
    >>> layer = L.Linear(2, 1, nobias=True, initialW=np.array([[1, 2]], np.float32))
    >>> optimizer = chainer.optimizers.SGD(lr=0.1).setup(layer)
    >>> optimizer.add_hook(chainer.optimizer_hooks.GradientHardClipping(-1, 1))
    >>> x = np.array([[3, -4]], np.float32)
    >>> optimizer.update(lambda: F.sum(layer(x)))  # the gradient is x
    >>> layer.W.array
    array([[0.9, 2.1]], dtype=float32)
    """

    name = 'GradientHardClipping'

    def __init__(self, lower_bound: float, upper_bound: float) -> None:
        self.lower_bound = lower_bound
        self.upper_bound = upper_bound

    def _change(self, grad, param, rule, xp):
        xp.clip(grad, self.lower_bound, self.upper_bound, out=grad)
