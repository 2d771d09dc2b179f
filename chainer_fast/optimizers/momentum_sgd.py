"""Stochastic gradient descent with momentum."""
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
from chainer_fast.optimizers._rule import LazyProxy
from chainer_fast.utils import argument
from chainer_fast.variable import Variable


@_rule.register(recipes.momentum_sgd)
class MomentumSGDRule(_rule.ElementwiseRule):
    """Update rule of :class:`MomentumSGD`, which documents the parameters.

    Parameters
    ----------
    parent_hyperparam : Hyperparameter, optional
        Object that supplies the values that are not given.
    lr, momentum : float, optional
        As for :class:`MomentumSGD`.
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
        v -= lr * grad
        data += v


class MomentumSGD(GradientMethod):
    r"""Stochastic gradient descent with momentum.

    .. math::
       v \leftarrow \mu v - \eta g, \quad \theta \leftarrow \theta + v

    Parameters
    ----------
    lr : float
        Learning rate :math:`\eta`.
    momentum : float
        Decay rate :math:`\mu` of the last step.
    lazy : bool
        Whether to skip rows whose gradient is zero, along with their states. Rows are
        counted along the first axis. According to the formula, which is the default,
        earlier gradients continue to change all rows. The matrix of an embedding has
        many rows, of which a step uses few: with ``lazy``, only these rows take time.
        The results differ from those of the formula, so the option does not only affect
        speed.

    References
    ----------
    B. T. Polyak. `Some methods of speeding up the convergence of iteration methods
    <https://doi.org/10.1016/0041-5553(64)90137-5>`__. 1964.

    Examples
    --------
    >>> layer = L.Linear(2, 1, nobias=True, initialW=np.array([[1, 2]], np.float32))
    >>> optimizer = chainer.optimizers.MomentumSGD(lr=0.1).setup(layer)
    >>> x = np.array([[3, -1]], np.float32)
    >>> optimizer.update(lambda: F.sum(layer(x)))  # the gradient is x
    >>> layer.W.array
    array([[0.7, 2.1]], dtype=float32)
    >>> optimizer.update(lambda: F.sum(layer(x)))
    >>> layer.W.array
    array([[0.13, 2.29]], dtype=float32)
    """

    lr: HyperparameterProxy = HyperparameterProxy('lr')
    momentum: HyperparameterProxy = HyperparameterProxy('momentum')
    lazy: LazyProxy | bool = LazyProxy()

    @argument.hide_retired
    def __init__(
            self, lr: float = 0.01, momentum: float = 0.9, *,
            lazy: bool = False, **unknown: NoReturn) -> None:
        if unknown:
            argument.assert_kwargs_empty(unknown)
        super().__init__()
        _rule.assign(self.hyperparam, lr=lr, momentum=momentum)
        if lazy:
            self.lazy = lazy

    def create_update_rule(self) -> UpdateRule:
        """Return a new :class:`MomentumSGDRule`."""
        return MomentumSGDRule(self.hyperparam)


_default_hyperparam = MomentumSGD().hyperparam
