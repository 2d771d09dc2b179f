"""Momentum SGD whose velocity does not depend on the learning rate."""
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


@_rule.register(recipes.corrected_momentum_sgd)
class CorrectedMomentumSGDRule(_rule.ElementwiseRule):
    """Update rule of :class:`CorrectedMomentumSGD`.

    Parameters
    ----------
    parent_hyperparam : Hyperparameter, optional
        Object that supplies the values that are not given.
    lr, momentum : float, optional
        As for :class:`CorrectedMomentumSGD`.
    """

    def __init__(
            self, parent_hyperparam: Hyperparameter | None = None,
            lr: float | None = None, momentum: float | None = None) -> None:
        super().__init__(
            parent_hyperparam or _default_hyperparam, lr=lr, momentum=momentum)

    def init_state(self, param: Variable) -> None:
        self._fill_states(param, 0, 'v')

    def _move(self, xp, data, grad):
        lr, momentum = self._scalars('lr', 'momentum')
        v = self.state['v']
        v *= momentum
        v -= grad
        data += lr * v


class CorrectedMomentumSGD(GradientMethod):
    r"""Momentum SGD with an immediate effect of changes of the learning rate.

    .. math::
       v \leftarrow \mu v - g, \quad \theta \leftarrow \theta + \eta v

    While the learning rate is constant, it is equivalent to :class:`MomentumSGD`. When
    the rate is lowered, past gradients are multiplied by the new rate, which is the
    momentum correction of the paper below.

    Parameters
    ----------
    lr : float
        Learning rate :math:`\eta`.
    momentum : float
        Decay rate :math:`\mu` of the velocity.

    See Also
    --------
    chainer_fast.optimizers.MomentumSGD

    References
    ----------
    P. Goyal et al. `Accurate, large minibatch SGD: training ImageNet in 1 hour
    <https://arxiv.org/abs/1706.02677>`__. 2017.

    Examples
    --------
    >>> layer = L.Linear(2, 1, nobias=True, initialW=np.array([[1, 2]], np.float32))
    >>> optimizer = chainer.optimizers.CorrectedMomentumSGD(lr=0.1).setup(layer)
    >>> x = np.array([[3, -1]], np.float32)
    >>> optimizer.update(lambda: F.sum(layer(x)))  # the gradient is x
    >>> layer.W.array
    array([[0.7, 2.1]], dtype=float32)
    """

    lr: HyperparameterProxy = HyperparameterProxy('lr')
    momentum: HyperparameterProxy = HyperparameterProxy('momentum')

    @argument.hide_retired
    def __init__(
            self, lr: float = 0.01, momentum: float = 0.9,
            **unknown: NoReturn) -> None:
        if unknown:
            argument.assert_kwargs_empty(unknown)
        super().__init__()
        _rule.assign(self.hyperparam, lr=lr, momentum=momentum)

    def create_update_rule(self) -> UpdateRule:
        """Return a new :class:`CorrectedMomentumSGDRule`."""
        return CorrectedMomentumSGDRule(self.hyperparam)


_default_hyperparam = CorrectedMomentumSGD().hyperparam
