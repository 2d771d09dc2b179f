"""Nesterov's accelerated gradient."""
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


@_rule.register(recipes.nesterov_ag)
class NesterovAGRule(_rule.ElementwiseRule):
    """Update rule of :class:`NesterovAG`, which documents the parameters.

    Parameters
    ----------
    parent_hyperparam : Hyperparameter, optional
        Object that supplies the values that are not given.
    lr, momentum : float, optional
        As for :class:`NesterovAG`.
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
        data += momentum * momentum * v
        data -= (1 + momentum) * lr * grad


class NesterovAG(GradientMethod):
    r"""Nesterov's accelerated gradient.

    .. math::
       v \leftarrow \mu v - \eta g, \quad
       \theta \leftarrow \theta + \mu^2 v - (1 + \mu) \eta g

    The parameters are stored at the point at which the next gradient is computed, as in
    the paper below, but the second formula there uses the :math:`v` before the step.

    Parameters
    ----------
    lr : float
        Learning rate :math:`\eta`.
    momentum : float
        Decay rate :math:`\mu` of the last step.

    References
    ----------
    Y. Bengio, N. Boulanger-Lewandowski and R. Pascanu. `Advances in optimizing
    recurrent networks <https://arxiv.org/abs/1212.0901>`__. ICASSP 2013.

    Examples
    --------
    >>> layer = L.Linear(2, 1, nobias=True, initialW=np.array([[1, 2]], np.float32))
    >>> optimizer = chainer.optimizers.NesterovAG(lr=0.1).setup(layer)
    >>> x = np.array([[3, -1]], np.float32)
    >>> optimizer.update(lambda: F.sum(layer(x)))  # the gradient is x
    >>> layer.W.array
    array([[0.187, 2.271]], dtype=float32)
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
        """Return a new :class:`NesterovAGRule`."""
        return NesterovAGRule(self.hyperparam)


_default_hyperparam = NesterovAG().hyperparam
