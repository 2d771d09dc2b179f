"""Conversion of short forms to triggers."""
from chainer_fast.training.triggers._short_forms import (  # noqa: F401
    _never_fire_trigger,
    get_trigger,
)
