"""Stochastic gradient descent."""
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


@_rule.register(recipes.sgd)
class SGDRule(_rule.ElementwiseRule):
    """Update rule of :class:`SGD`, which documents the parameters.

    Parameters
    ----------
    parent_hyperparam : Hyperparameter, optional
        Object that supplies the values that are not given.
    lr : float, optional
        As for :class:`SGD`.
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

    .. math:: \theta \leftarrow \theta - \eta g

    Parameters
    ----------
    lr : float
        Learning rate :math:`\eta`.

    Examples
    --------
    >>> layer = L.Linear(2, 1, nobias=True, initialW=np.array([[1, 2]], np.float32))
    >>> optimizer = chainer.optimizers.SGD(lr=0.1).setup(layer)
    >>> x = np.array([[3, -1]], np.float32)
    >>> optimizer.update(lambda: F.sum(layer(x)))  # the gradient is x
    >>> layer.W.array
    array([[0.7, 2.1]], dtype=float32)

    Other ways to update: with gradients that are already computed, and with arguments
    of the loss function.

    >>> layer.cleargrads()
    >>> F.sum(layer(x)).backward()
    >>> optimizer.update()
    >>> optimizer.update(lambda x: F.sum(layer(x)), x)
    >>> optimizer.t
    3
    """

    lr: HyperparameterProxy = HyperparameterProxy('lr')

    @argument.hide_retired
    def __init__(self, lr: float = 0.01, **unknown: NoReturn) -> None:
        if unknown:
            argument.assert_kwargs_empty(unknown)
        super().__init__()
        self.hyperparam.lr = lr

    def create_update_rule(self) -> UpdateRule:
        """Return a new :class:`SGDRule`."""
        return SGDRule(self.hyperparam)


_default_hyperparam = SGD().hyperparam
