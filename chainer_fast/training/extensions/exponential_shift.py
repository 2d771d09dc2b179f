"""Extension that multiplies a hyperparameter by a constant."""
from __future__ import annotations

from chainer_fast import _numbers
from chainer_fast.optimizer import Optimizer
from chainer_fast.training.extensions import _shift


class ExponentialShift(_shift.RememberingShift):
    """Extension that sets ``init * rate ** t`` at the ``t``-th call.

    .. math:: h_t = h_0 r^t

    Parameters
    ----------
    attr : str
        Name of the hyperparameter, an attribute of the optimizer.
    rate : float
        Factor of each call; must not be negative.
    init : float, optional
        Initial value; by default that of the optimizer.
    target : float, optional
        Value to stop at.
    optimizer : Optimizer, optional
        The optimizer; by default the main one of the updater.

    Raises
    ------
    ValueError
        If ``rate`` is negative.

    Examples
    --------
    >>> from chainer_fast.testing import get_trainer_with_mock_updater
    >>> optimizer = chainer.optimizers.SGD(lr=1.0)
    >>> trainer = get_trainer_with_mock_updater((3, 'epoch'))
    >>> shift = chainer.training.extensions.ExponentialShift(
    ...     'lr', 0.5, optimizer=optimizer)
    >>> trainer.extend(shift, trigger=(1, 'epoch'))
    >>> trainer.extend(lambda trainer: print(optimizer.lr), trigger=(1, 'epoch'))
    >>> trainer.run()
    0.5
    0.25
    0.125
    """

    def __init__(
            self, attr: str, rate: float, init: float | None = None,
            target: float | None = None, optimizer: Optimizer | None = None) -> None:
        super().__init__(attr, init, target, optimizer)
        if rate < 0:
            raise ValueError(
                'ExponentialShift does not support negative rate, got %r' % (rate,))
        self._rate = _numbers.plain(rate)

    def _value_at(self, t):
        value = _shift.as_python_scalar(self._init) * self._rate ** t
        return self._limit(value, growing=self._rate > 1)
