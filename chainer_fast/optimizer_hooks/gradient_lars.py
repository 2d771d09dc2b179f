"""Layer-wise adaptive rate scaling."""
from __future__ import annotations

import numpy

from chainer_fast.backends.kernels.update_rules import recipes
from chainer_fast.optimizer_hooks._gradient_hook import GradientHook, register


@register(recipes.lars)
class GradientLARS(GradientHook):
    r"""Hook that scales each gradient by the size of its parameter.

    The gradient :math:`g` of a parameter :math:`\theta` becomes

    .. math::
       \frac{|\theta|}{\epsilon + |g| + \lambda |\theta|} (g + \lambda \theta)

    if :math:`|\theta|` exceeds a threshold, and otherwise :math:`g + \lambda \theta`.
    All norms are L2 norms.

    Parameters
    ----------
    threshold : float
        Norm of a parameter up to which its gradient is not scaled.
    weight_decay : float
        Rate :math:`\lambda` of the weight decay, to use instead of
        :class:`WeightDecay`.
    eps : float
        Small value :math:`\epsilon` that avoids division by zero.

    References
    ----------
    Y. You, I. Gitman and B. Ginsburg. `Large batch training of convolutional networks
    <https://arxiv.org/abs/1708.03888>`__. 2017.

    Examples
    --------
    >>> layer = L.Linear(2, 1, nobias=True, initialW=np.array([[1, 2]], np.float32))
    >>> optimizer = chainer.optimizers.SGD(lr=0.1).setup(layer)
    >>> optimizer.add_hook(chainer.optimizer_hooks.GradientLARS())
    >>> x = np.array([[3, -4]], np.float32)
    >>> optimizer.update(lambda: F.sum(layer(x)))  # the gradient is x
    >>> layer.W.array
    array([[0.8658, 2.1789]], dtype=float32)
    """

    name = 'GradientLARS'

    def __init__(
            self, threshold: float = 1e-2, weight_decay: float = 0.0,
            eps: float = 1e-9) -> None:
        self.eps = eps
        self.threshold = threshold
        self.weight_decay = weight_decay

    def _change(self, grad, param, rule, xp):
        rate = 1.0
        array = param.array.astype(grad.dtype, copy=False)
        size = float(xp.linalg.norm(array))
        if size > self.threshold:
            total = float(xp.linalg.norm(grad)) + self.weight_decay * size
            # NumPy warns about a division by zero.
            rate = float(numpy.divide(size, self.eps + total))
        grad += self.weight_decay * array
        grad *= rate
