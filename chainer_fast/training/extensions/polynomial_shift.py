"""Extension that decays a hyperparameter to zero polynomially."""
from __future__ import annotations

from chainer_fast import _numbers
from chainer_fast.optimizer import Optimizer
from chainer_fast.training.extensions import _shift


class PolynomialShift(_shift.RememberingShift):
    """Extension that sets ``init * (1 - t / max_count) ** rate`` at the ``t``-th call.

    .. math:: h_t = h_0 \\left(1 - \\frac{t}{t_\\text{max}}\\right)^r

    The value is constant from ``t = max_count`` on.

    Parameters
    ----------
    attr : str
        Name of the hyperparameter, an attribute of the optimizer.
    rate : float
        Exponent. A negative exponent makes the value grow without bound; pass
        ``target`` in this case.
    max_count : int
        Number of calls until the end.
    init : float, optional
        Initial value; by default that of the optimizer.
    target : float, optional
        Value to stop at.
    optimizer : Optimizer, optional
        The optimizer; by default the main one of the updater.

    Examples
    --------
    >>> from chainer_fast.testing import get_trainer_with_mock_updater
    >>> optimizer = chainer.optimizers.SGD(lr=1.0)
    >>> trainer = get_trainer_with_mock_updater((5, 'iteration'))
    >>> trainer.extend(chainer.training.extensions.PolynomialShift(
    ...     'lr', rate=2, max_count=4, optimizer=optimizer))
    >>> trainer.extend(lambda trainer: print(optimizer.lr))
    >>> trainer.run()
    0.5625
    0.25
    0.0625
    0.0
    0.0
    """

    invoke_before_training = True

    def __init__(
            self, attr: str, rate: float, max_count: int, init: float | None = None,
            target: float | None = None, optimizer: Optimizer | None = None) -> None:
        super().__init__(attr, init, target, optimizer)
        self._rate = _numbers.plain(rate)
        self._max_count = _numbers.plain(max_count)

    def _value_at(self, t):
        rest = max(1 - t / self._max_count, 0.)
        if rest == 0 and self._rate < 0 and self._target is not None:
            return self._target
        init = _shift.as_python_scalar(self._init)
        return self._limit(
            init * rest ** self._rate, growing=self._rate <= 0, positive=init >= 0)
