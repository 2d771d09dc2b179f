"""Former home of the updaters; now :mod:`chainer_fast.training.updaters`."""
from chainer_fast.training._updater import Updater  # noqa: F401
from chainer_fast.training.updaters.parallel_updater import (  # noqa: F401
    ParallelUpdater,
)
from chainer_fast.training.updaters.standard_updater import (  # noqa: F401
    StandardUpdater,
)
