"""Extension that decays a hyperparameter inversely with time."""
from __future__ import annotations

from chainer_fast import _numbers
from chainer_fast.optimizer import Optimizer
from chainer_fast.training.extensions import _shift


class InverseShift(_shift.RememberingShift):
    r"""Extension that sets ``init * (1 + gamma * t) ** -power`` at the ``t``-th call.

    .. math:: h_t = h_0 (1 + \gamma t)^{-p}

    Parameters
    ----------
    attr : str
        Name of the hyperparameter, an attribute of the optimizer.
    gamma : float
        Speed of the decay; must not be negative.
    power : float
        Exponent of the decay; if negative, the value rises.
    init : float, optional
        Initial value; by default that of the optimizer.
    target : float, optional
        Value to stop at.
    optimizer : Optimizer, optional
        The optimizer; by default the main one of the updater.

    Raises
    ------
    ValueError
        If ``gamma`` is negative.

    Examples
    --------
    >>> from chainer_fast.testing import get_trainer_with_mock_updater
    >>> optimizer = chainer.optimizers.SGD(lr=1.0)
    >>> trainer = get_trainer_with_mock_updater((4, 'iteration'))
    >>> trainer.extend(
    ...     chainer.training.extensions.InverseShift('lr', 1, 1, optimizer=optimizer))
    >>> trainer.extend(lambda trainer: print(round(optimizer.lr, 2)))
    >>> trainer.run()
    0.5
    0.33
    0.25
    0.2
    """

    def __init__(
            self, attr: str, gamma: float, power: float, init: float | None = None,
            target: float | None = None, optimizer: Optimizer | None = None) -> None:
        super().__init__(attr, init, target, optimizer)
        if gamma < 0:
            raise ValueError(
                'InverseShift does not support negative gamma, got %r' % (gamma,))
        self._gamma = _numbers.plain(gamma)
        self._power = _numbers.plain(power)

    def _value_at(self, t):
        value = (_shift.as_python_scalar(self._init)
                 * (1 + self._gamma * t) ** -self._power)
        return self._limit(value, growing=self._power < 0)
