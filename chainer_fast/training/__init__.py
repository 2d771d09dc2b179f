"""The training loop and its parts."""
from chainer_fast.training import (
    _updater,
    extension as extension,
    extensions as extensions,
    trainer as trainer,
    trigger as trigger,
    triggers as triggers,
    updater as updater,
    updaters as updaters,
    util as util,
)
from chainer_fast.training._updater import Updater as Updater
from chainer_fast.training.extension import (
    PRIORITY_EDITOR as PRIORITY_EDITOR,
    PRIORITY_READER as PRIORITY_READER,
    PRIORITY_WRITER as PRIORITY_WRITER,
    Extension as Extension,
    make_extension as make_extension,
)
from chainer_fast.training.trainer import Trainer as Trainer
from chainer_fast.training.triggers.interval_trigger import (
    IntervalTrigger as IntervalTrigger,
)
from chainer_fast.training.updaters.parallel_updater import (
    ParallelUpdater as ParallelUpdater,
)
from chainer_fast.training.updaters.standard_updater import (
    StandardUpdater as StandardUpdater,
)
from chainer_fast.training.util import get_trigger as get_trigger
