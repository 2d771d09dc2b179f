"""Adam and its variants: AdamW, AMSGrad, AdaBound and AMSBound."""
from __future__ import annotations

import math
import typing as tp
import warnings

import numpy

from chainer_fast.backends.kernels.update_rules.adam import AdamRecipe
from chainer_fast.optimizer import (
    GradientMethod,
    Hyperparameter,
    HyperparameterProxy,
    UpdateRule,
)
from chainer_fast.optimizers import _rule
from chainer_fast.variable import Variable


class _LearningRate:
    """The learning rate, of an optimizer or of a rule."""

    hyperparam: tp.Any
    t: int
    _lr_owner: str

    @property
    def alpha_t(self) -> float:
        """Learning rate of the current update, the biases corrected."""
        if self.t == 0:
            raise RuntimeError(
                'Can\'t determine the learning rate of Adam optimizer because the '
                'update steps have not been started.')
        alpha, beta1, beta2 = _rule.scalars(
            self.hyperparam, 'alpha', 'beta1', 'beta2')
        return alpha * math.sqrt(1 - beta2 ** self.t) / (1 - beta1 ** self.t)

    @property
    def lr(self) -> float:
        """Old name of :attr:`alpha_t`."""
        owner = self._lr_owner
        warnings.warn(
            f'{owner}.lr has been renamed to AdamRule.alpha_t. Use of {owner}.lr is '
            'deprecated in Chainer v6.', DeprecationWarning)
        return self.alpha_t


@_rule.register(AdamRecipe())
class AdamRule(_LearningRate, _rule.ElementwiseRule):
    """Update rule of :class:`Adam`, which documents the parameters.

    Parameters
    ----------
    parent_hyperparam : Hyperparameter, optional
        Source of the values that are not given.
    alpha, beta1, beta2, eps, eta, weight_decay_rate : float, optional
    amsgrad, adabound : bool, optional
    final_lr, gamma : float, optional

    Attributes
    ----------
    initial_alpha : float
        With AdaBound, ``alpha`` when the rule was made: the bounds follow the changes
        of ``alpha`` since.
    """

    _lr_owner = 'AdamRule'

    def __init__(
            self, parent_hyperparam: Hyperparameter | None = None,
            alpha: float | None = None, beta1: float | None = None,
            beta2: float | None = None, eps: float | None = None,
            eta: float | None = None, weight_decay_rate: float | None = None,
            amsgrad: bool | None = None, adabound: bool | None = None,
            final_lr: float | None = None, gamma: float | None = None) -> None:
        super().__init__(
            parent_hyperparam or _default_hyperparam, alpha=alpha, beta1=beta1,
            beta2=beta2, eps=eps, eta=eta, weight_decay_rate=weight_decay_rate,
            amsgrad=amsgrad, adabound=adabound, final_lr=final_lr, gamma=gamma)
        if self.hyperparam.adabound:
            self.initial_alpha = self.hyperparam.alpha

    @property
    def bounds(self) -> tuple[float, float]:
        """Lower and upper bound that AdaBound sets to the step size of an element."""
        if self.t == 0:
            raise RuntimeError(
                'Can\'t determine the bounds of AdaBound optimizer because the update '
                'steps have not been started.')
        alpha, final_lr, gamma = self._scalars('alpha', 'final_lr', 'gamma')
        limit = final_lr * alpha / _rule.plain(self.initial_alpha)
        age = gamma * self.t
        return limit * (1 - 1 / (age + 1)), limit * (1 + 1 / age)

    def init_state(self, param: Variable) -> None:
        self._fill_states(param, 0, 'm', 'v')
        if self.hyperparam.amsgrad:
            self._fill_states(param, 0, 'vhat')

    def _move(self, xp, data, grad):
        hyperparam = self.hyperparam
        beta1, beta2, eps, eta, decay = self._scalars(
            'beta1', 'beta2', 'eps', 'eta', 'weight_decay_rate')
        # Squares of float16 vanish or overflow all too easily.
        dtype = numpy.promote_types(grad.dtype, numpy.float32)
        _rule.check_eps('Adam', eps, dtype)
        grad = grad.astype(dtype, copy=False)
        mean, square = self.state['m'], self.state['v']
        mean += (1 - beta1) * (grad - mean)
        square += (1 - beta2) * (grad * grad - square)
        if hyperparam.amsgrad:
            largest = self.state['vhat']
            square = xp.maximum(largest, square, out=largest)
        rate = self.alpha_t / (xp.sqrt(square.astype(dtype, copy=False)) + eps)
        if hyperparam.adabound:
            rate = xp.clip(rate, *self.bounds)
        data *= 1 - eta * decay
        data -= eta * (rate * mean)


class Adam(_LearningRate, GradientMethod):
    r"""Adam: steps divided by a moving root mean square, with momentum.

    .. math::
       m &\leftarrow m + (1 - \beta_1) (g - m) \\
       v &\leftarrow v + (1 - \beta_2) (g^2 - v) \\
       \theta &\leftarrow \theta
         - \eta (\alpha_t m / (\sqrt{v} + \epsilon) + \lambda \theta)

    where :math:`\alpha_t = \alpha \sqrt{1 - \beta_2^t} / (1 - \beta_1^t)` corrects the
    biases of the means, which start from zero. See

    - D. P. Kingma and J. Ba, "Adam: A Method for Stochastic Optimization" (2014);
    - I. Loshchilov and F. Hutter, "Decoupled Weight Decay Regularization" (2019), for
      :math:`\lambda` and :math:`\eta`;
    - S. J. Reddi et al., "On the Convergence of Adam and Beyond" (2018), for AMSGrad,
      which divides by the largest :math:`v` so far;
    - L. Luo et al., "Adaptive Gradient Methods with Dynamic Bound of Learning Rate"
      (2019), for AdaBound, which clips :math:`\alpha_t / (\sqrt{v} + \epsilon)`
      between bounds that both approach a final learning rate.

    Parameters
    ----------
    alpha : float
        Step size :math:`\alpha`.
    beta1 : float
        Decay rate :math:`\beta_1` of the mean of gradients.
    beta2 : float
        Decay rate :math:`\beta_2` of the mean of their squares.
    eps : float
        Small value :math:`\epsilon` against division by zero.
    eta : float
        Factor :math:`\eta` of the step and the weight decay, to schedule both.
    weight_decay_rate : float
        Weight decay :math:`\lambda`.
    amsgrad : bool
        Use AMSGrad.
    adabound : bool
        Use AdaBound; together with ``amsgrad`` it is AMSBound.
    final_lr : float
        Final learning rate of AdaBound.
    gamma : float
        How fast the bounds of AdaBound approach it.
    lazy : bool
        Leave rows whose gradient is zero as they are, with their states. A row is what
        the first axis counts. By the formula, which is the default, all rows move by
        what is left of earlier gradients. The matrix of an embedding has many rows, of
        which a step uses few: with this it takes time for these alone. The rows are
        not the same as without, so this is no mere switch of speed.
    """

    _lr_owner = 'Adam'

    alpha = HyperparameterProxy('alpha')
    beta1 = HyperparameterProxy('beta1')
    beta2 = HyperparameterProxy('beta2')
    eps = HyperparameterProxy('eps')
    eta = HyperparameterProxy('eta')
    weight_decay_rate = HyperparameterProxy('weight_decay_rate')
    amsgrad = HyperparameterProxy('amsgrad')
    adabound = HyperparameterProxy('adabound')
    final_lr = HyperparameterProxy('final_lr')
    gamma = HyperparameterProxy('gamma')
    lazy = _rule.LazyProxy()

    def __init__(
            self, alpha: float = 0.001, beta1: float = 0.9, beta2: float = 0.999,
            eps: float = 1e-8, eta: float = 1.0, weight_decay_rate: float = 0,
            amsgrad: bool = False, adabound: bool = False, final_lr: float = 0.1,
            gamma: float = 0.001, *, lazy: bool = False) -> None:
        super().__init__()
        _rule.assign(
            self.hyperparam, alpha=alpha, beta1=beta1, beta2=beta2, eps=eps, eta=eta,
            weight_decay_rate=weight_decay_rate, amsgrad=amsgrad, adabound=adabound,
            final_lr=final_lr, gamma=gamma)
        if lazy:
            self.lazy = lazy

    def create_update_rule(self) -> UpdateRule:
        """Return a new :class:`AdamRule`."""
        return AdamRule(self.hyperparam)


class AdamW(Adam):
    """:class:`Adam` with weight decay.

    Parameters
    ----------
    alpha, beta1, beta2, eps, eta, weight_decay_rate : float
        As those of :class:`Adam`.
    """

    def __init__(
            self, alpha: float = 0.001, beta1: float = 0.9, beta2: float = 0.999,
            eps: float = 1e-8, eta: float = 1.0, weight_decay_rate: float = 0) -> None:
        super().__init__(alpha, beta1, beta2, eps, eta, weight_decay_rate)


class AMSGrad(Adam):
    """:class:`Adam` with ``amsgrad=True``.

    Parameters
    ----------
    alpha, beta1, beta2, eps, eta : float
        As those of :class:`Adam`.
    """

    def __init__(
            self, alpha: float = 0.001, beta1: float = 0.9, beta2: float = 0.999,
            eps: float = 1e-8, eta: float = 1.0) -> None:
        super().__init__(alpha, beta1, beta2, eps, eta, amsgrad=True)


class AdaBound(Adam):
    """:class:`Adam` with ``adabound=True``.

    Parameters
    ----------
    alpha, beta1, beta2, final_lr, gamma, eps, eta : float
        As those of :class:`Adam`.
    """

    def __init__(
            self, alpha: float = 0.001, beta1: float = 0.9, beta2: float = 0.999,
            final_lr: float = 0.1, gamma: float = 0.001, eps: float = 1e-8,
            eta: float = 1.0) -> None:
        super().__init__(
            alpha, beta1, beta2, eps, eta, adabound=True, final_lr=final_lr,
            gamma=gamma)


class AMSBound(Adam):
    """:class:`Adam` with ``amsgrad=True`` and ``adabound=True``.

    Parameters
    ----------
    alpha, beta1, beta2, final_lr, gamma, eps, eta : float
        As those of :class:`Adam`.
    """

    def __init__(
            self, alpha: float = 0.001, beta1: float = 0.9, beta2: float = 0.999,
            final_lr: float = 0.1, gamma: float = 0.001, eps: float = 1e-8,
            eta: float = 1.0) -> None:
        super().__init__(
            alpha, beta1, beta2, eps, eta, amsgrad=True, adabound=True,
            final_lr=final_lr, gamma=gamma)


_default_hyperparam = Adam().hyperparam
