"""``BatchRenormalization`` that keeps its averages after the first batch."""
import functools

from chainer_fast import links
from chainer_fast.legacy import _report

_WHAT = 'chainer.links.BatchRenormalization(freeze_running_statistics=)'


def install(patches):
    """Take ``freeze_running_statistics``."""
    cls = links.BatchRenormalization
    construct, call = cls.__init__, cls.forward

    @functools.wraps(construct)
    def __init__(self, *args, freeze_running_statistics=None, **kwargs):
        construct(self, *args, **kwargs)
        if freeze_running_statistics is not None:
            _report.adapted(_WHAT)
            self.freeze_running_statistics = freeze_running_statistics
        self._sees_its_first_batch = True

    @functools.wraps(call)
    def forward(self, x, finetune=False):
        fields = vars(self)
        if not fields.get('freeze_running_statistics') or fields.pop(
                '_sees_its_first_batch', False):
            return call(self, x, finetune)
        averages = self.avg_mean.copy(), self.avg_var.copy()
        y = call(self, x, finetune)
        self.avg_mean[...], self.avg_var[...] = averages
        return y
    patches.set(cls, '__init__', __init__)
    patches.set(cls, 'forward', forward)
