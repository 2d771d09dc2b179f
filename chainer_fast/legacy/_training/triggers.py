"""Triggers of earlier versions: another name of the module, and the times of epochs."""
import functools

from chainer_fast.legacy import _attributes, _named, _report
from chainer_fast.training.triggers import IntervalTrigger

_WHAT = 'triggers that ask for an update at the end of an epoch'


def install(patches):
    """Let the module be imported by that name, and fire triggers of epochs as then."""
    _attributes.move(patches, {
        'chainer_fast.training.triggers.interval':
            'chainer_fast.training.triggers.interval_trigger'})
    if not _named.is_named(patches, 'v1.17'):
        return
    today = IntervalTrigger.__call__

    @functools.wraps(today)
    def __call__(self, trainer):
        fires = today(self, trainer)
        if self.unit != 'epoch':
            return fires
        updater = trainer.updater
        fired = bool(updater.is_new_epoch and updater.epoch % self.period == 0)
        if fired != fires:
            _report.adapted(_WHAT)
        return fired
    patches.set(IntervalTrigger, '__call__', __call__)
