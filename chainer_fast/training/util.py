"""Public place of what makes triggers from their short forms."""
from chainer_fast.training.triggers._short_forms import (  # noqa: F401
    _never_fire_trigger,
    get_trigger,
)
