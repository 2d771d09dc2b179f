"""Graves's RMSprop."""
from __future__ import annotations

from typing import NoReturn

from chainer_fast.backends.kernels.update_rules import recipes
from chainer_fast.optimizer import (
    GradientMethod,
    Hyperparameter,
    HyperparameterProxy,
    UpdateRule,
)
from chainer_fast.optimizers import _rule
from chainer_fast.utils import argument
from chainer_fast.variable import Variable


@_rule.register(recipes.rmsprop_graves)
class RMSpropGravesRule(_rule.ElementwiseRule):
    """Update rule of :class:`RMSpropGraves`, which documents the parameters.

    Parameters
    ----------
    parent_hyperparam : Hyperparameter, optional
        Object that supplies the values that are not given.
    lr, alpha, momentum, eps : float, optional
        As for :class:`RMSpropGraves`.
    """

    def __init__(
            self, parent_hyperparam: Hyperparameter | None = None,
            lr: float | None = None, alpha: float | None = None,
            momentum: float | None = None, eps: float | None = None) -> None:
        super().__init__(
            parent_hyperparam or _default_hyperparam, lr=lr, alpha=alpha,
            momentum=momentum, eps=eps)

    def init_state(self, param: Variable) -> None:
        self._fill_states(param, 0, 'n', 'g', 'delta')

    def _move(self, xp, data, grad):
        lr, alpha, momentum, eps = self._scalars('lr', 'alpha', 'momentum', 'eps')
        square, mean, delta = (self.state[name] for name in ('n', 'g', 'delta'))
        square *= alpha
        square += (1 - alpha) * grad * grad
        mean *= alpha
        mean += (1 - alpha) * grad
        delta *= momentum
        delta -= lr * grad / xp.sqrt(square - mean * mean + eps)
        data += delta


class RMSpropGraves(GradientMethod):
    r"""RMSprop with momentum, divided by a moving standard deviation.

    .. math::
       n &\leftarrow \alpha n + (1 - \alpha) g^2 \\
       m &\leftarrow \alpha m + (1 - \alpha) g \\
       \Delta &\leftarrow \mu \Delta - \eta g / \sqrt{n - m^2 + \epsilon} \\
       \theta &\leftarrow \theta + \Delta

    Parameters
    ----------
    lr : float
        Learning rate :math:`\eta`.
    alpha : float
        Decay rate :math:`\alpha` of the means.
    momentum : float
        Decay rate :math:`\mu` of the last step.
    eps : float
        Small value :math:`\epsilon` that avoids division by zero.

    References
    ----------
    A. Graves. `Generating sequences with recurrent neural networks
    <https://arxiv.org/abs/1308.0850>`__. 2013.

    Examples
    --------
    >>> layer = L.Linear(2, 1, nobias=True, initialW=np.array([[1, 2]], np.float32))
    >>> optimizer = chainer.optimizers.RMSpropGraves(lr=0.1).setup(layer)
    >>> x = np.array([[3, -1]], np.float32)
    >>> optimizer.update(lambda: F.sum(layer(x)))  # the gradient is x
    >>> layer.W.array
    array([[0.5412, 2.4583]], dtype=float32)
    """

    lr: HyperparameterProxy = HyperparameterProxy('lr')
    alpha: HyperparameterProxy = HyperparameterProxy('alpha')
    momentum: HyperparameterProxy = HyperparameterProxy('momentum')
    eps: HyperparameterProxy = HyperparameterProxy('eps')

    @argument.hide_retired
    def __init__(
            self, lr: float = 1e-4, alpha: float = 0.95, momentum: float = 0.9,
            eps: float = 1e-4, **unknown: NoReturn) -> None:
        if unknown:
            argument.assert_kwargs_empty(unknown)
        super().__init__()
        _rule.assign(self.hyperparam, lr=lr, alpha=alpha, momentum=momentum, eps=eps)

    def create_update_rule(self) -> UpdateRule:
        """Return a new :class:`RMSpropGravesRule`."""
        return RMSpropGravesRule(self.hyperparam)


_default_hyperparam = RMSpropGraves().hyperparam
