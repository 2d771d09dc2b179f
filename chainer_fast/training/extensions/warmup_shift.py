"""Extension that warms up a hyperparameter at the beginning of the training."""
from __future__ import annotations

from chainer_fast import _numbers
from chainer_fast.optimizer import Optimizer
from chainer_fast.training.extensions import _shift
from chainer_fast.training.trainer import Trainer


class WarmupShift(_shift.HyperparameterShift):
    """Extension that interpolates a hyperparameter during its first calls.

    .. math:: h_t = h_0 + (h_1 - h_0) \\frac{t}{n}, \\quad t \\le n

    Afterwards it does not change the hyperparameter, so that another extension can.

    Parameters
    ----------
    attr : str
        Name of the hyperparameter, an attribute of the optimizer.
    warmup_start : float or None
        Value before the first call; None for that of the optimizer.
    warmup_iter : int
        Number of calls until ``init`` is reached.
    init : float
        Value to reach.
    optimizer : Optimizer, optional
        The optimizer; by default the main one of the updater.

    Examples
    --------
    >>> from chainer_fast.testing import get_trainer_with_mock_updater
    >>> optimizer = chainer.optimizers.SGD(lr=1.0)
    >>> trainer = get_trainer_with_mock_updater((5, 'iteration'))
    >>> trainer.extend(chainer.training.extensions.WarmupShift(
    ...     'lr', warmup_start=0, warmup_iter=4, init=1.0, optimizer=optimizer))
    >>> trainer.extend(lambda trainer: print(optimizer.lr))
    >>> trainer.run()
    0.25
    0.5
    0.75
    1.0
    1.0
    """

    def __init__(
            self, attr: str, warmup_start: float | None, warmup_iter: int, init: float,
            optimizer: Optimizer | None = None) -> None:
        super().__init__(attr, init, optimizer)
        self._warmup_start = warmup_start
        self._warmup_iter = _numbers.plain(warmup_iter)

    def initialize(self, trainer: Trainer) -> None:
        """Set the first value, or that of a resumed warm-up that is not complete."""
        if self._warmup_start is None:
            self._warmup_start = self._read(self._get_optimizer(trainer))
        value = self._warmup_start if self._t == 0 else self._value_at(self._t)
        if value is not None:
            self._set(trainer, value)

    def _value_at(self, t):
        if not t <= self._warmup_iter:      # NaN is not a number of iterations
            return None
        first = _shift.as_python_scalar(self._warmup_start)
        last = _shift.as_python_scalar(self._init)
        return (t * last + (self._warmup_iter - t) * first) / self._warmup_iter
