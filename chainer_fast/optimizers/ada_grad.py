"""AdaGrad."""
from chainer_fast.backends.kernels.update_rules.root_mean_square import AdaGradRecipe
from chainer_fast.optimizer import GradientMethod, HyperparameterProxy
from chainer_fast.optimizers import _rule


@_rule.register(AdaGradRecipe())
class AdaGradRule(_rule.ElementwiseRule):
    """Update rule of :class:`AdaGrad`, which documents the parameters.

    Parameters
    ----------
    parent_hyperparam : Hyperparameter, optional
        Source of the values that are not given.
    lr, eps : float, optional
    """

    def __init__(self, parent_hyperparam=None, lr=None, eps=None):
        super().__init__(
            parent_hyperparam or _default_hyperparam, lr=lr, eps=eps)

    def init_state(self, param):
        self._fill_states(param, 0, 'h')

    def _move(self, xp, data, grad):
        lr, eps = self._scalars('lr', 'eps')
        total = self.state['h']
        total += grad * grad
        data -= lr * grad / (xp.sqrt(total) + eps)


class AdaGrad(GradientMethod):
    r"""AdaGrad: steps divided by the root of the sum of all squared gradients.

    .. math::
       h \leftarrow h + g^2, \quad
       \theta \leftarrow \theta - \eta g / (\sqrt{h} + \epsilon)

    See J. Duchi et al., "Adaptive Subgradient Methods for Online Learning and
    Stochastic Optimization" (2011).

    Parameters
    ----------
    lr : float
        Learning rate :math:`\eta`.
    eps : float
        Small value :math:`\epsilon` against division by zero.
    """

    lr = HyperparameterProxy('lr')
    eps = HyperparameterProxy('eps')

    def __init__(self, lr=0.001, eps=1e-8):
        super().__init__()
        _rule.assign(self.hyperparam, lr=lr, eps=eps)

    def create_update_rule(self):
        """Return a new :class:`AdaGradRule`."""
        return AdaGradRule(self.hyperparam)


_default_hyperparam = AdaGrad().hyperparam
