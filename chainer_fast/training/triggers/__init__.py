"""Triggers, which determine when to call an extension or to stop the training."""
from chainer_fast.training.triggers import (
    early_stopping_trigger as early_stopping_trigger,
    interval_trigger as interval_trigger,
    manual_schedule_trigger as manual_schedule_trigger,
    minmax_value_trigger as minmax_value_trigger,
    once_trigger as once_trigger,
    signal_trigger as signal_trigger,
    time_trigger as time_trigger,
)
from chainer_fast.training.triggers.early_stopping_trigger import (
    EarlyStoppingTrigger as EarlyStoppingTrigger,
)
from chainer_fast.training.triggers.interval_trigger import (
    IntervalTrigger as IntervalTrigger,
)
from chainer_fast.training.triggers.manual_schedule_trigger import (
    ManualScheduleTrigger as ManualScheduleTrigger,
)
from chainer_fast.training.triggers.minmax_value_trigger import (
    BestValueTrigger as BestValueTrigger,
    MaxValueTrigger as MaxValueTrigger,
    MinValueTrigger as MinValueTrigger,
)
from chainer_fast.training.triggers.once_trigger import OnceTrigger as OnceTrigger
from chainer_fast.training.triggers.signal_trigger import (
    SignalTrigger as SignalTrigger,
)
from chainer_fast.training.triggers.time_trigger import TimeTrigger as TimeTrigger
