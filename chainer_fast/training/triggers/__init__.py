"""Triggers, which tell when to call an extension or to stop the training."""
from chainer_fast.training.triggers import (
    early_stopping_trigger,
    interval_trigger,
    manual_schedule_trigger,
    minmax_value_trigger,
    once_trigger,
    time_trigger,
)
from chainer_fast.training.triggers.early_stopping_trigger import EarlyStoppingTrigger
from chainer_fast.training.triggers.interval_trigger import IntervalTrigger
from chainer_fast.training.triggers.manual_schedule_trigger import (
    ManualScheduleTrigger,
)
from chainer_fast.training.triggers.minmax_value_trigger import (
    BestValueTrigger,
    MaxValueTrigger,
    MinValueTrigger,
)
from chainer_fast.training.triggers.once_trigger import OnceTrigger
from chainer_fast.training.triggers.time_trigger import TimeTrigger
