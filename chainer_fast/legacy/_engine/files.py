"""Arguments of functions for files up to version 2."""
import functools

from chainer_fast import serializers
from chainer_fast.legacy import _report


def _make(function):
    @functools.wraps(function)
    def call(*arguments, **options):
        if 'filename' in options:
            _report.adapted('chainer.serializers.%s(filename=)' % function.__name__)
            options['file'] = options.pop('filename')
        return function(*arguments, **options)
    # Other processes, which receive the function by its name, write snapshots.
    call.__module__ = serializers.__name__
    return call


def install(patches):
    """Let the first argument be called ``filename``."""
    for function in (serializers.load_npz, serializers.save_npz):
        patches.set(serializers, function.__name__, _make(function))
