"""AdaGrad."""
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


@_rule.register(recipes.ada_grad)
class AdaGradRule(_rule.ElementwiseRule):
    """Update rule of :class:`AdaGrad`, which documents the parameters.

    Parameters
    ----------
    parent_hyperparam : Hyperparameter, optional
        Object that supplies the values that are not given.
    lr, eps : float, optional
        As for :class:`AdaGrad`.
    """

    def __init__(
            self, parent_hyperparam: Hyperparameter | None = None,
            lr: float | None = None, eps: float | None = None) -> None:
        super().__init__(
            parent_hyperparam or _default_hyperparam, lr=lr, eps=eps)

    def init_state(self, param: Variable) -> None:
        self._fill_states(param, 0, 'h')

    def _move(self, xp, data, grad):
        lr, eps = self._scalars('lr', 'eps')
        total = self.state['h']
        total += grad * grad
        data -= lr * grad / (xp.sqrt(total) + eps)


class AdaGrad(GradientMethod):
    r"""AdaGrad: steps divided by the root of the sum of all squared gradients.

    .. math::
       h \leftarrow h + g^2, \quad
       \theta \leftarrow \theta - \eta g / (\sqrt{h} + \epsilon)

    Parameters
    ----------
    lr : float
        Learning rate :math:`\eta`.
    eps : float
        Small value :math:`\epsilon` that avoids division by zero.

    References
    ----------
    J. Duchi, E. Hazan and Y. Singer. `Adaptive subgradient methods for online learning
    and stochastic optimization <https://jmlr.org/papers/v12/duchi11a.html>`__. JMLR,
    2011.

    Examples
    --------
    >>> layer = L.Linear(2, 1, nobias=True, initialW=np.array([[1, 2]], np.float32))
    >>> optimizer = chainer.optimizers.AdaGrad(lr=0.1).setup(layer)
    >>> x = np.array([[3, -1]], np.float32)
    >>> optimizer.update(lambda: F.sum(layer(x)))  # the gradient is x
    >>> layer.W.array
    array([[0.9, 2.1]], dtype=float32)
    """

    lr: HyperparameterProxy = HyperparameterProxy('lr')
    eps: HyperparameterProxy = HyperparameterProxy('eps')

    @argument.hide_retired
    def __init__(
            self, lr: float = 0.001, eps: float = 1e-8, **unknown: NoReturn) -> None:
        if unknown:
            argument.assert_kwargs_empty(unknown)
        super().__init__()
        _rule.assign(self.hyperparam, lr=lr, eps=eps)

    def create_update_rule(self) -> UpdateRule:
        """Return a new :class:`AdaGradRule`."""
        return AdaGradRule(self.hyperparam)


_default_hyperparam = AdaGrad().hyperparam
