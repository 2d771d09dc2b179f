"""Programs up to version 4 count epochs themselves, beside an updater."""
from chainer_fast.legacy import _report
from chainer_fast.optimizer import Optimizer


def install(patches):
    """Leave the counting to the updater, which does it since version 5."""
    new_epoch = Optimizer.new_epoch

    def count(self, auto=False):
        if self.use_auto_new_epoch and not auto:
            _report.adapted('chainer.Optimizer.new_epoch beside an updater')
            return
        new_epoch(self, auto)
    count.__doc__ = new_epoch.__doc__
    patches.set(Optimizer, 'new_epoch', count)
