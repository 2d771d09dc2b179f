"""RMSprop."""
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


@_rule.register(recipes.rmsprop)
class RMSpropRule(_rule.ElementwiseRule):
    """Update rule of :class:`RMSprop`, which documents the parameters.

    Parameters
    ----------
    parent_hyperparam : Hyperparameter, optional
        Object that supplies the values that are not given.
    lr, alpha, eps : float, optional
        As for :class:`RMSprop`.
    eps_inside_sqrt : bool, optional
        As for :class:`RMSprop`.
    """

    def __init__(
            self, parent_hyperparam: Hyperparameter | None = None,
            lr: float | None = None, alpha: float | None = None,
            eps: float | None = None, eps_inside_sqrt: bool | None = None) -> None:
        super().__init__(
            parent_hyperparam or _default_hyperparam, lr=lr, alpha=alpha, eps=eps,
            eps_inside_sqrt=eps_inside_sqrt)

    def init_state(self, param: Variable) -> None:
        self._fill_states(param, 0, 'ms')

    def _move(self, xp, data, grad):
        lr, alpha, eps = self._scalars('lr', 'alpha', 'eps')
        _rule.check_eps('RMSprop', eps, grad.dtype)
        ms = self.state['ms']
        ms *= alpha
        ms += (1 - alpha) * grad * grad
        if self.hyperparam.eps_inside_sqrt:
            scale = xp.sqrt(ms + eps)
        else:
            scale = xp.sqrt(ms) + eps
        data -= lr * grad / scale


class RMSprop(GradientMethod):
    r"""RMSprop: steps divided by a moving root mean square of the gradient.

    .. math::
       s \leftarrow \alpha s + (1 - \alpha) g^2, \quad
       \theta \leftarrow \theta - \eta g / (\sqrt{s} + \epsilon)

    Parameters
    ----------
    lr : float
        Learning rate :math:`\eta`.
    alpha : float
        Decay rate :math:`\alpha` of the mean.
    eps : float
        Small value :math:`\epsilon` that avoids division by zero.
    eps_inside_sqrt : bool
        Whether to divide by :math:`\sqrt{s + \epsilon}` instead.

    References
    ----------
    T. Tieleman and G. Hinton. `Lecture 6.5: RMSProp
    <https://www.cs.toronto.edu/~tijmen/csc321/slides/lecture_slides_lec6.pdf>`__.
    *Neural networks for machine learning*, 2012.

    Examples
    --------
    >>> layer = L.Linear(2, 1, nobias=True, initialW=np.array([[1, 2]], np.float32))
    >>> optimizer = chainer.optimizers.RMSprop(lr=0.01).setup(layer)
    >>> x = np.array([[3, -1]], np.float32)
    >>> optimizer.update(lambda: F.sum(layer(x)))  # the gradient is x
    >>> layer.W.array
    array([[0.9, 2.1]], dtype=float32)
    """

    lr: HyperparameterProxy = HyperparameterProxy('lr')
    alpha: HyperparameterProxy = HyperparameterProxy('alpha')
    eps: HyperparameterProxy = HyperparameterProxy('eps')
    eps_inside_sqrt: HyperparameterProxy = HyperparameterProxy('eps_inside_sqrt')

    @argument.hide_retired
    def __init__(
            self, lr: float = 0.01, alpha: float = 0.99, eps: float = 1e-8,
            eps_inside_sqrt: bool = False, **unknown: NoReturn) -> None:
        if unknown:
            argument.assert_kwargs_empty(unknown)
        super().__init__()
        _rule.assign(
            self.hyperparam, lr=lr, alpha=alpha, eps=eps,
            eps_inside_sqrt=eps_inside_sqrt)

    def create_update_rule(self) -> UpdateRule:
        """Return a new :class:`RMSpropRule`."""
        return RMSpropRule(self.hyperparam)


_default_hyperparam = RMSprop().hyperparam
