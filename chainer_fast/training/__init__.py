"""The training loop and its parts."""
from chainer_fast.training import (
    _updater,
    extension,
    extensions,
    trainer,
    trigger,
    triggers,
    updater,
    updaters,
    util,
)
from chainer_fast.training._updater import Updater
from chainer_fast.training.extension import (
    PRIORITY_EDITOR,
    PRIORITY_READER,
    PRIORITY_WRITER,
    Extension,
    make_extension,
)
from chainer_fast.training.trainer import Trainer
from chainer_fast.training.triggers.interval_trigger import IntervalTrigger
from chainer_fast.training.updaters.parallel_updater import ParallelUpdater
from chainer_fast.training.updaters.standard_updater import StandardUpdater
from chainer_fast.training.util import get_trigger
