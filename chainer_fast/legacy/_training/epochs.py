"""Programs up to version 4 count epochs themselves, in addition to an updater."""
from chainer_fast.legacy import _named, _report
from chainer_fast.optimizer import Optimizer


def install(patches):
    """Let one of the two count epochs: the program if such a version is named."""
    new_epoch = Optimizer.new_epoch
    is_of_program = _named.is_named(patches, 'v4')

    def count(self, auto=False):
        if not self.use_auto_new_epoch:
            new_epoch(self, auto)
            return
        if not auto:
            _report.adapted('chainer.Optimizer.new_epoch beside an updater')
        if auto is not is_of_program:
            self.epoch += 1
    count.__doc__ = new_epoch.__doc__
    patches.set(Optimizer, 'new_epoch', count)
