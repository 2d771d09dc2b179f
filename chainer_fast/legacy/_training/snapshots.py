"""Snapshots of version 1, which accepted a trigger themselves."""
import functools

from chainer_fast.legacy import _report
from chainer_fast.training import extensions
from chainer_fast.training.extensions import _snapshot


def _make(name, function, n_others):
    @functools.wraps(function)
    def make(*arguments, **options):
        if len(arguments) > n_others:
            arguments, options['trigger'] = arguments[:n_others], arguments[n_others]
        if 'trigger' not in options:
            return function(*arguments, **options)
        _report.adapted('chainer.training.extensions.%s(trigger=)' % name)
        trigger = options.pop('trigger')
        extension = function(*arguments, **options)
        extension.trigger = trigger
        return extension
    return make


def install(patches):
    """Restore the argument ``trigger``."""
    for name, n_others in (('snapshot', 2), ('snapshot_object', 3)):
        function = _make(name, getattr(_snapshot, name), n_others)
        patches.set(_snapshot, name, function)
        patches.set(extensions, name, function)
