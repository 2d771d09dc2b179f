"""Adam and its variants: AdamW, AMSGrad, AdaBound and AMSBound."""
from __future__ import annotations

import math
import warnings
from typing import Any, NoReturn

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


class _LearningRate:
    """The learning rate of an optimizer or of a rule."""

    hyperparam: Any
    t: int
    _lr_owner: str

    @property
    def alpha_t(self) -> float:
        """Learning rate of the current update, with bias correction."""
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


@_rule.register(recipes.adam)
class AdamRule(_LearningRate, _rule.ElementwiseRule):
    """Update rule of :class:`Adam`, which documents the parameters.

    Parameters
    ----------
    parent_hyperparam : Hyperparameter, optional
        Object that supplies the values that are not given.
    alpha, beta1, beta2, eps, eta, weight_decay_rate : float, optional
        As for :class:`Adam`.
    amsgrad, adabound : bool, optional
        As for :class:`Adam`.
    final_lr, gamma : float, optional
        As for :class:`Adam`.

    Attributes
    ----------
    initial_alpha : float
        With AdaBound, ``alpha`` when the rule was created; the bounds are scaled with
        later changes of ``alpha``.
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
            self.initial_alpha: float = self.hyperparam.alpha

    @property
    def bounds(self) -> tuple[float, float]:
        """Lower and upper bound of AdaBound for the step size of an element."""
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
        _rule.check_eps('Adam', eps, grad.dtype)
        mean, square = self.state['m'], self.state['v']
        mean += (1 - beta1) * (grad - mean)
        square += (1 - beta2) * (grad * grad - square)
        if hyperparam.amsgrad:
            largest = self.state['vhat']
            square = xp.maximum(largest, square, out=largest)
        rate = self.alpha_t / (xp.sqrt(square) + eps)
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
    bias of the means, which start from zero. The papers below are those of Adam; of the
    decoupled weight decay, with :math:`\lambda` and :math:`\eta`; of AMSGrad, which
    divides by the largest :math:`v` so far; and of AdaBound, which clips
    :math:`\alpha_t / (\sqrt{v} + \epsilon)` between bounds that both approach a final
    learning rate.

    Parameters
    ----------
    alpha : float
        Step size :math:`\alpha`.
    beta1 : float
        Decay rate :math:`\beta_1` of the mean of gradients.
    beta2 : float
        Decay rate :math:`\beta_2` of the mean of their squares.
    eps : float
        Small value :math:`\epsilon` that avoids division by zero.
    eta : float
        Factor :math:`\eta` of the step and the weight decay, to schedule both.
    weight_decay_rate : float
        Weight decay :math:`\lambda`.
    amsgrad : bool
        Whether to use AMSGrad.
    adabound : bool
        Whether to use AdaBound; together with ``amsgrad`` it is AMSBound.
    final_lr : float
        Final learning rate of AdaBound.
    gamma : float
        Rate at which the bounds of AdaBound approach the final learning rate.
    lazy : bool
        Whether to skip rows whose gradient is zero, along with their states. Rows are
        counted along the first axis. According to the formula, which is the default,
        earlier gradients continue to change all rows. The matrix of an embedding has
        many rows, of which a step uses few: with ``lazy``, only these rows take time.
        The results differ from those of the formula, so the option does not only affect
        speed.

    Raises
    ------
    ValueError
        At the first update, if ``eps`` is zero in the dtype that a step is computed in.

    See Also
    --------
    chainer_fast.optimizers.AdamW
    chainer_fast.optimizers.AMSGrad
    chainer_fast.optimizers.AdaBound

    References
    ----------
    D. P. Kingma and J. Ba. `Adam: a method for stochastic optimization
    <https://arxiv.org/abs/1412.6980>`__. ICLR 2015.

    I. Loshchilov and F. Hutter. `Decoupled weight decay regularization
    <https://arxiv.org/abs/1711.05101>`__. ICLR 2019.

    S. J. Reddi, S. Kale and S. Kumar. `On the convergence of Adam and beyond
    <https://openreview.net/forum?id=ryQu7f-RZ>`__. ICLR 2018.

    L. Luo et al. `Adaptive gradient methods with dynamic bound of learning rate
    <https://arxiv.org/abs/1902.09843>`__. ICLR 2019.

    Examples
    --------
    >>> layer = L.Linear(2, 1, nobias=True, initialW=np.array([[1, 2]], np.float32))
    >>> optimizer = chainer.optimizers.Adam(alpha=0.1).setup(layer)
    >>> x = np.array([[3, -1]], np.float32)
    >>> optimizer.update(lambda: F.sum(layer(x)))  # the gradient is x
    >>> layer.W.array
    array([[0.9, 2.1]], dtype=float32)
    """

    _lr_owner = 'Adam'

    alpha: HyperparameterProxy = HyperparameterProxy('alpha')
    beta1: HyperparameterProxy = HyperparameterProxy('beta1')
    beta2: HyperparameterProxy = HyperparameterProxy('beta2')
    eps: HyperparameterProxy = HyperparameterProxy('eps')
    eta: HyperparameterProxy = HyperparameterProxy('eta')
    weight_decay_rate: HyperparameterProxy = HyperparameterProxy('weight_decay_rate')
    amsgrad: HyperparameterProxy = HyperparameterProxy('amsgrad')
    adabound: HyperparameterProxy = HyperparameterProxy('adabound')
    final_lr: HyperparameterProxy = HyperparameterProxy('final_lr')
    gamma: HyperparameterProxy = HyperparameterProxy('gamma')
    lazy: LazyProxy | bool = LazyProxy()

    @argument.hide_retired
    def __init__(
            self, alpha: float = 0.001, beta1: float = 0.9, beta2: float = 0.999,
            eps: float = 1e-8, eta: float = 1.0, weight_decay_rate: float = 0,
            amsgrad: bool = False, adabound: bool = False, final_lr: float = 0.1,
            gamma: float = 0.001, *, lazy: bool = False,
            **unknown: NoReturn) -> None:
        if unknown:
            argument.assert_kwargs_empty(unknown)
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

    .. math::
       \\theta \\leftarrow \\theta
         - \\eta (\\alpha_t m / (\\sqrt{v} + \\epsilon) + \\lambda \\theta)

    with the notation of :class:`Adam`.

    Parameters
    ----------
    alpha, beta1, beta2, eps, eta, weight_decay_rate : float
        As for :class:`Adam`.

    See Also
    --------
    chainer_fast.optimizers.Adam

    References
    ----------
    I. Loshchilov and F. Hutter. `Decoupled weight decay regularization
    <https://arxiv.org/abs/1711.05101>`__. ICLR 2019.

    Examples
    --------
    >>> layer = L.Linear(2, 1, nobias=True, initialW=np.array([[1, 2]], np.float32))
    >>> optimizer = chainer.optimizers.AdamW(alpha=0.1, weight_decay_rate=0.01)
    >>> optimizer = optimizer.setup(layer)
    >>> x = np.array([[3, -1]], np.float32)
    >>> optimizer.update(lambda: F.sum(layer(x)))  # the gradient is x
    >>> layer.W.array
    array([[0.89, 2.08]], dtype=float32)
    """

    @argument.hide_retired
    def __init__(
            self, alpha: float = 0.001, beta1: float = 0.9, beta2: float = 0.999,
            eps: float = 1e-8, eta: float = 1.0, weight_decay_rate: float = 0,
            **unknown: NoReturn) -> None:
        if unknown:
            argument.assert_kwargs_empty(unknown)
        super().__init__(alpha, beta1, beta2, eps, eta, weight_decay_rate)


class AMSGrad(Adam):
    """:class:`Adam` with ``amsgrad=True``.

    .. math::
       \\hat v \\leftarrow \\max(\\hat v, v), \\quad
       \\theta \\leftarrow \\theta - \\eta \\alpha_t m / (\\sqrt{\\hat v} + \\epsilon)

    with the notation of :class:`Adam`.

    Parameters
    ----------
    alpha, beta1, beta2, eps, eta : float
        As for :class:`Adam`.

    See Also
    --------
    chainer_fast.optimizers.Adam

    References
    ----------
    S. J. Reddi, S. Kale and S. Kumar. `On the convergence of Adam and beyond
    <https://openreview.net/forum?id=ryQu7f-RZ>`__. ICLR 2018.

    Examples
    --------
    >>> layer = L.Linear(2, 1, nobias=True, initialW=np.array([[1, 2]], np.float32))
    >>> optimizer = chainer.optimizers.AMSGrad(alpha=0.1).setup(layer)
    >>> x = np.array([[3, -1]], np.float32)
    >>> optimizer.update(lambda: F.sum(layer(x)))  # the gradient is x
    >>> layer.W.array
    array([[0.9, 2.1]], dtype=float32)
    """

    @argument.hide_retired
    def __init__(
            self, alpha: float = 0.001, beta1: float = 0.9, beta2: float = 0.999,
            eps: float = 1e-8, eta: float = 1.0, **unknown: NoReturn) -> None:
        if unknown:
            argument.assert_kwargs_empty(unknown)
        super().__init__(alpha, beta1, beta2, eps, eta, amsgrad=True)


class AdaBound(Adam):
    """:class:`Adam` with ``adabound=True``.

    .. math::
       l_t &= \\frac{\\alpha}{\\alpha_0} \\alpha_\\infty
         \\left(1 - \\frac{1}{\\gamma t + 1}\\right), \\quad
       u_t = \\frac{\\alpha}{\\alpha_0} \\alpha_\\infty
         \\left(1 + \\frac{1}{\\gamma t}\\right) \\\\
       \\theta &\\leftarrow \\theta
         - \\eta \\, \\mathrm{clip}(\\alpha_t / (\\sqrt{v} + \\epsilon), l_t, u_t) \\, m

    with the notation of :class:`Adam`, the final learning rate :math:`\\alpha_\\infty`
    and the initial step size :math:`\\alpha_0`.

    Parameters
    ----------
    alpha, beta1, beta2, final_lr, gamma, eps, eta : float
        As for :class:`Adam`.

    See Also
    --------
    chainer_fast.optimizers.Adam

    References
    ----------
    L. Luo et al. `Adaptive gradient methods with dynamic bound of learning rate
    <https://arxiv.org/abs/1902.09843>`__. ICLR 2019.

    Examples
    --------
    >>> layer = L.Linear(2, 1, nobias=True, initialW=np.array([[1, 2]], np.float32))
    >>> optimizer = chainer.optimizers.AdaBound(alpha=0.1).setup(layer)
    >>> x = np.array([[3, -1]], np.float32)
    >>> optimizer.update(lambda: F.sum(layer(x)))  # the gradient is x
    >>> layer.W.array
    array([[0.9, 2.1]], dtype=float32)
    """

    @argument.hide_retired
    def __init__(
            self, alpha: float = 0.001, beta1: float = 0.9, beta2: float = 0.999,
            final_lr: float = 0.1, gamma: float = 0.001, eps: float = 1e-8,
            eta: float = 1.0, **unknown: NoReturn) -> None:
        if unknown:
            argument.assert_kwargs_empty(unknown)
        super().__init__(
            alpha, beta1, beta2, eps, eta, adabound=True, final_lr=final_lr,
            gamma=gamma)


class AMSBound(Adam):
    """:class:`Adam` with ``amsgrad=True`` and ``adabound=True``.

    .. math::
       l_t &= \\frac{\\alpha}{\\alpha_0} \\alpha_\\infty
         \\left(1 - \\frac{1}{\\gamma t + 1}\\right), \\quad
       u_t = \\frac{\\alpha}{\\alpha_0} \\alpha_\\infty
         \\left(1 + \\frac{1}{\\gamma t}\\right) \\\\
       \\theta &\\leftarrow \\theta
         - \\eta \\, \\mathrm{clip}(
           \\alpha_t / (\\sqrt{\\hat v} + \\epsilon), l_t, u_t) \\, m

    with the notation of :class:`Adam`, the final learning rate :math:`\\alpha_\\infty`
    and the initial step size :math:`\\alpha_0`. The largest :math:`v` so far is
    :math:`\\hat v`.

    Parameters
    ----------
    alpha, beta1, beta2, final_lr, gamma, eps, eta : float
        As for :class:`Adam`.

    See Also
    --------
    chainer_fast.optimizers.Adam

    References
    ----------
    L. Luo et al. `Adaptive gradient methods with dynamic bound of learning rate
    <https://arxiv.org/abs/1902.09843>`__. ICLR 2019.

    Examples
    --------
    >>> layer = L.Linear(2, 1, nobias=True, initialW=np.array([[1, 2]], np.float32))
    >>> optimizer = chainer.optimizers.AMSBound(alpha=0.1).setup(layer)
    >>> x = np.array([[3, -1]], np.float32)
    >>> optimizer.update(lambda: F.sum(layer(x)))  # the gradient is x
    >>> layer.W.array
    array([[0.9, 2.1]], dtype=float32)
    """

    @argument.hide_retired
    def __init__(
            self, alpha: float = 0.001, beta1: float = 0.9, beta2: float = 0.999,
            final_lr: float = 0.1, gamma: float = 0.001, eps: float = 1e-8,
            eta: float = 1.0, **unknown: NoReturn) -> None:
        if unknown:
            argument.assert_kwargs_empty(unknown)
        super().__init__(
            alpha, beta1, beta2, eps, eta, amsgrad=True, adabound=True,
            final_lr=final_lr, gamma=gamma)


_default_hyperparam = Adam().hyperparam
