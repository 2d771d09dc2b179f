"""SMORMS3."""
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


@_rule.register(recipes.smorms3)
class SMORMS3Rule(_rule.ElementwiseRule):
    """Update rule of :class:`SMORMS3`, which documents the parameters.

    Parameters
    ----------
    parent_hyperparam : Hyperparameter, optional
        Object that supplies the values that are not given.
    lr, eps : float, optional
        As for :class:`SMORMS3`.
    """

    def __init__(
            self, parent_hyperparam: Hyperparameter | None = None,
            lr: float | None = None, eps: float | None = None) -> None:
        super().__init__(
            parent_hyperparam or _default_hyperparam, lr=lr, eps=eps)

    def init_state(self, param: Variable) -> None:
        self._fill_states(param, 1, 'mem')
        self._fill_states(param, 0, 'g', 'g2')

    def _move(self, xp, data, grad):
        lr, eps = self._scalars('lr', 'eps')
        memory, mean, square = (self.state[name] for name in ('mem', 'g', 'g2'))
        new = 1 / (memory + 1)
        mean *= 1 - new
        mean += new * grad
        square *= 1 - new
        square += new * grad * grad
        ratio = mean * mean / (square + eps)
        data -= grad * xp.minimum(lr, ratio) / (xp.sqrt(square) + eps)
        memory *= 1 - ratio
        memory += 1


class SMORMS3(GradientMethod):
    r"""SMORMS3: squared mean over root mean square cubed.

    With :math:`r = 1 / (k + 1)`,

    .. math::
       m &\leftarrow (1 - r) m + r g \\
       s &\leftarrow (1 - r) s + r g^2 \\
       x &= m^2 / (s + \epsilon) \\
       \theta &\leftarrow \theta - g \min(\eta, x) / (\sqrt{s} + \epsilon) \\
       k &\leftarrow 1 + k (1 - x)

    Parameters
    ----------
    lr : float
        Largest learning rate :math:`\eta`.
    eps : float
        Small value :math:`\epsilon` that avoids division by zero.

    References
    ----------
    S. Funk. `RMSprop loses to SMORMS3 - beware the epsilon!
    <https://sifter.org/~simon/journal/20150420.html>`__ 2015.

    Examples
    --------
    >>> layer = L.Linear(2, 1, nobias=True, initialW=np.array([[1, 2]], np.float32))
    >>> optimizer = chainer.optimizers.SMORMS3().setup(layer)
    >>> x = np.array([[3, -1]], np.float32)
    >>> optimizer.update(lambda: F.sum(layer(x)))  # the gradient is x
    >>> layer.W.array
    array([[0.9986, 2.0014]], dtype=float32)
    """

    lr: HyperparameterProxy = HyperparameterProxy('lr')
    eps: HyperparameterProxy = HyperparameterProxy('eps')

    @argument.hide_retired
    def __init__(
            self, lr: float = 0.001, eps: float = 1e-16,
            **unknown: NoReturn) -> None:
        if unknown:
            argument.assert_kwargs_empty(unknown)
        super().__init__()
        _rule.assign(self.hyperparam, lr=lr, eps=eps)

    def create_update_rule(self) -> UpdateRule:
        """Return a new :class:`SMORMS3Rule`."""
        return SMORMS3Rule(self.hyperparam)


_default_hyperparam = SMORMS3().hyperparam
