"""Former home of the triggers; now :mod:`chainer_fast.training.triggers`."""
from chainer_fast.training.triggers.interval_trigger import IntervalTrigger  # noqa: F401
from chainer_fast.training.util import (  # noqa: F401
    _never_fire_trigger,
    get_trigger,
)
