"""Updaters, which perform the iterations of training."""
from chainer_fast.training.updaters import (
    multiprocess_parallel_updater as multiprocess_parallel_updater,
    parallel_updater as parallel_updater,
    standard_updater as standard_updater,
)
from chainer_fast.training.updaters.multiprocess_parallel_updater import (
    MultiprocessParallelUpdater as MultiprocessParallelUpdater,
)
from chainer_fast.training.updaters.parallel_updater import (
    ParallelUpdater as ParallelUpdater,
)
from chainer_fast.training.updaters.standard_updater import (
    StandardUpdater as StandardUpdater,
)
