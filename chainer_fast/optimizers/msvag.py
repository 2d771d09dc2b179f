"""M-SVAG."""
from __future__ import annotations

from typing import NoReturn

import numpy

from chainer_fast._help import mistakes
from chainer_fast.backends.kernels.update_rules import recipes
from chainer_fast.optimizer import (
    GradientMethod,
    Hyperparameter,
    HyperparameterProxy,
    UpdateRule,
    _states,
)
from chainer_fast.optimizers import _rule
from chainer_fast.serializer import AbstractSerializer, Deserializer
from chainer_fast.utils import argument
from chainer_fast.variable import Variable

# In the first step, the means are of a single gradient and have no variance.
_RHO_MAX = 0.9999


@_rule.register(recipes.msvag(_RHO_MAX))
class MSVAGRule(_rule.ElementwiseRule):
    """Update rule of :class:`MSVAG`, which documents the parameters.

    Parameters
    ----------
    parent_hyperparam : Hyperparameter, optional
        Object that supplies the values that are not given.
    lr, beta, eta, weight_decay_rate : float, optional
        As for :class:`MSVAG`.

    Attributes
    ----------
    beta_power : float
        ``beta`` to the power of the index of the next update.
    """

    def __init__(
            self, parent_hyperparam: Hyperparameter | None = None,
            lr: float | None = None, beta: float | None = None,
            eta: float | None = None, weight_decay_rate: float | None = None) -> None:
        super().__init__(
            parent_hyperparam or _default_hyperparam, lr=lr, beta=beta, eta=eta,
            weight_decay_rate=weight_decay_rate)
        self.beta_power: float = self.hyperparam.beta

    def init_state(self, param: Variable) -> None:
        self._fill_states(param, 0, 'm', 'v')

    @mistakes.explain_serializer
    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the rule; Chainer's files lack the power, which follows from t.
        """
        super().serialize(serializer)
        if not isinstance(serializer, Deserializer):
            serializer('beta_power', self.beta_power)
            return
        power = _states.read_optional(serializer, 'beta_power')
        self.beta_power = self._power_after(self.t) if power is None else float(power)

    def _power_after(self, t):
        """Return the power after the updates so far with a constant ``beta``."""
        power = beta = _rule.plain(self.hyperparam.beta)
        for _ in range(t):
            previous, power = power, power * beta
            if power == previous:
                break
        return power

    def _for_another(self):
        rule = super()._for_another()
        rule.beta_power = rule._power_after(0)
        return rule

    def _coefficients(self):
        """Return the coefficients of the formula, and count the update."""
        lr, beta, eta, decay = self._scalars('lr', 'beta', 'eta', 'weight_decay_rate')
        power = _rule.plain(self.beta_power)
        self.beta_power = power * beta
        rho = ((1 - beta) ** 2 * (1 - power ** 2)) / (
            (1 - beta ** 2) * (1 - power) ** 2)
        return lr, beta, eta, decay, 1 - power, min(rho, _RHO_MAX)

    def _move(self, xp, data, grad):
        lr, beta, eta, decay, weight, rho = self._coefficients()
        m, v = self.state['m'], self.state['v']
        m += (1 - beta) * (grad - m)
        v += (1 - beta) * (grad * grad - v)
        mean = m / weight
        with numpy.errstate(invalid='ignore'):
            square = mean * mean
            variance = (v / weight - square) / (1 - rho)
            factor = xp.clip(square / (square + rho * variance), 0, 1)
        # Elements without a gradient so far are not updated.
        factor = xp.nan_to_num(factor)
        data -= eta * (lr * mean * factor + decay * data)


class MSVAG(GradientMethod):
    r"""M-SVAG: momentum with variance-based damping of each element.

    With the bias-corrected moving means :math:`m` of the gradient and :math:`v` of its
    square,

    .. math::
       s &= (v - m^2) / (1 - \rho_t) \\
       \gamma &= m^2 / (m^2 + \rho_t s) \\
       \theta &\leftarrow \theta - \eta (\alpha \gamma m + \lambda \theta)

    where :math:`\rho_t` is the ratio of the variance of the moving mean to that of a
    gradient.

    Parameters
    ----------
    lr : float
        Learning rate :math:`\alpha`.
    beta : float
        Decay rate of the moving means.
    eta : float
        Factor :math:`\eta` of the step and the weight decay, to schedule both.
    weight_decay_rate : float
        Weight decay :math:`\lambda`.

    References
    ----------
    L. Balles and P. Hennig. `Dissecting Adam: the sign, magnitude and variance of
    stochastic gradients <https://arxiv.org/abs/1705.07774>`__. ICML 2018.

    Examples
    --------
    >>> layer = L.Linear(2, 1, nobias=True, initialW=np.array([[1, 2]], np.float32))
    >>> optimizer = chainer.optimizers.MSVAG(lr=0.1).setup(layer)
    >>> x = np.array([[3, -1]], np.float32)
    >>> optimizer.update(lambda: F.sum(layer(x)))  # the gradient is x
    >>> layer.W.array
    array([[0.7, 2.1]], dtype=float32)
    """

    lr: HyperparameterProxy = HyperparameterProxy('lr')
    beta: HyperparameterProxy = HyperparameterProxy('beta')
    eta: HyperparameterProxy = HyperparameterProxy('eta')
    weight_decay_rate: HyperparameterProxy = HyperparameterProxy('weight_decay_rate')

    @argument.hide_retired
    def __init__(
            self, lr: float = 0.1, beta: float = 0.9, eta: float = 1.0,
            weight_decay_rate: float = 0, **unknown: NoReturn) -> None:
        if unknown:
            argument.assert_kwargs_empty(unknown)
        super().__init__()
        _rule.assign(
            self.hyperparam, lr=lr, beta=beta, eta=eta,
            weight_decay_rate=weight_decay_rate)

    def create_update_rule(self) -> UpdateRule:
        """Return a new :class:`MSVAGRule`."""
        return MSVAGRule(self.hyperparam)


_default_hyperparam = MSVAG().hyperparam
