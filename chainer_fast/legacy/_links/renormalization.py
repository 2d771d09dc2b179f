"""Batch renormalization of Chainer 3 and 4: frozen averages, and none."""
import functools

from chainer_fast import links, variable
from chainer_fast.legacy import _report
from chainer_fast.legacy._functions import calls

_WHAT = 'chainer.links.BatchRenormalization(freeze_running_statistics=)'


def _with_averages(today):
    """Use zeros for running averages that are not given."""
    @functools.wraps(today)
    def batch_renormalization(x, gamma, beta, rmax, dmax, eps=2e-5, running_mean=None,
                              running_var=None, *args, **kwargs):
        if running_mean is None or running_var is None:
            _report.adapted(
                'chainer.functions.batch_renormalization without running_mean')
            zeros = variable.as_array(gamma) * 0
            running_mean = zeros if running_mean is None else running_mean
            running_var = zeros if running_var is None else running_var
        return today(x, gamma, beta, rmax, dmax, eps, running_mean, running_var,
                     *args, **kwargs)
    return batch_renormalization


def install(patches):
    """Accept ``freeze_running_statistics`` and missing averages."""
    calls.replace(patches, 'batch_renormalization', _with_averages)
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
