"""Stochastic gradient descent."""
from __future__ import annotations

from chainer_fast.backends.kernels.update_rules.sgd import SGDRecipe
from chainer_fast.optimizer import (
    GradientMethod,
    Hyperparameter,
    HyperparameterProxy,
    UpdateRule,
)
from chainer_fast.optimizers import _rule


@_rule.register(SGDRecipe())
class SGDRule(_rule.ElementwiseRule):
    """Update rule of :class:`SGD`, which documents the parameters.

    Parameters
    ----------
    parent_hyperparam : Hyperparameter, optional
        Source of the values that are not given.
    lr : float, optional
    """

    def __init__(
            self, parent_hyperparam: Hyperparameter | None = None,
            lr: float | None = None) -> None:
        super().__init__(parent_hyperparam or _default_hyperparam, lr=lr)

    def _move(self, xp, data, grad):
        lr, = self._scalars('lr')
        data -= lr * grad


class SGD(GradientMethod):
    r"""Stochastic gradient descent: :math:`\theta \leftarrow \theta - \eta g`.

    Parameters
    ----------
    lr : float
        Learning rate :math:`\eta`.
    """

    lr = HyperparameterProxy('lr')

    def __init__(self, lr: float = 0.01) -> None:
        super().__init__()
        self.hyperparam.lr = lr

    def create_update_rule(self) -> UpdateRule:
        """Return a new :class:`SGDRule`."""
        return SGDRule(self.hyperparam)


_default_hyperparam = SGD().hyperparam
