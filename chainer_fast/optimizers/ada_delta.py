"""AdaDelta."""
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


@_rule.register(recipes.ada_delta)
class AdaDeltaRule(_rule.ElementwiseRule):
    """Update rule of :class:`AdaDelta`, which documents the parameters.

    Parameters
    ----------
    parent_hyperparam : Hyperparameter, optional
        Object that supplies the values that are not given.
    rho, eps : float, optional
        As for :class:`AdaDelta`.
    """

    def __init__(
            self, parent_hyperparam: Hyperparameter | None = None,
            rho: float | None = None, eps: float | None = None) -> None:
        super().__init__(
            parent_hyperparam or _default_hyperparam, rho=rho, eps=eps)

    def init_state(self, param: Variable) -> None:
        self._fill_states(param, 0, 'msg', 'msdx')

    def _move(self, xp, data, grad):
        rho, eps = self._scalars('rho', 'eps')
        of_grad, of_move = self.state['msg'], self.state['msdx']
        of_grad *= rho
        of_grad += (1 - rho) * grad * grad
        move = xp.sqrt((of_move + eps) / (of_grad + eps)) * grad
        of_move *= rho
        of_move += (1 - rho) * move * move
        data -= move


class AdaDelta(GradientMethod):
    r"""AdaDelta: steps scaled by the root mean square of earlier steps.

    .. math::
       s &\leftarrow \rho s + (1 - \rho) g^2 \\
       d &= \sqrt{(r + \epsilon) / (s + \epsilon)} \, g \\
       r &\leftarrow \rho r + (1 - \rho) d^2 \\
       \theta &\leftarrow \theta - d

    Parameters
    ----------
    rho : float
        Decay rate :math:`\rho` of both means.
    eps : float
        Small value :math:`\epsilon`, which determines the size of the first steps.

    References
    ----------
    M. D. Zeiler. `ADADELTA: an adaptive learning rate method
    <https://arxiv.org/abs/1212.5701>`__. 2012.

    Examples
    --------
    >>> layer = L.Linear(2, 1, nobias=True, initialW=np.array([[1, 2]], np.float32))
    >>> optimizer = chainer.optimizers.AdaDelta().setup(layer)
    >>> x = np.array([[3, -1]], np.float32)
    >>> optimizer.update(lambda: F.sum(layer(x)))  # the gradient is x
    >>> layer.W.array
    array([[0.9955, 2.0045]], dtype=float32)
    """

    rho: HyperparameterProxy = HyperparameterProxy('rho')
    eps: HyperparameterProxy = HyperparameterProxy('eps')

    @argument.hide_retired
    def __init__(
            self, rho: float = 0.95, eps: float = 1e-6, **unknown: NoReturn) -> None:
        if unknown:
            argument.assert_kwargs_empty(unknown)
        super().__init__()
        _rule.assign(self.hyperparam, rho=rho, eps=eps)

    def create_update_rule(self) -> UpdateRule:
        """Return a new :class:`AdaDeltaRule`."""
        return AdaDeltaRule(self.hyperparam)


_default_hyperparam = AdaDelta().hyperparam
