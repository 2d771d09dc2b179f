"""Updaters: how one iteration of a training is done."""
from chainer_fast.training.updaters import (
    multiprocess_parallel_updater,
    parallel_updater,
    standard_updater,
)
from chainer_fast.training.updaters.multiprocess_parallel_updater import (
    MultiprocessParallelUpdater,
)
from chainer_fast.training.updaters.parallel_updater import ParallelUpdater
from chainer_fast.training.updaters.standard_updater import StandardUpdater
