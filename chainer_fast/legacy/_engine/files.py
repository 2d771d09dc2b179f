"""Arguments that functions for files had up to version 2."""
from chainer_fast import serializers
from chainer_fast.legacy import _report
from chainer_fast.serializers import npz


def _make(name, function):
    def call(*arguments, **options):
        if 'filename' in options:
            _report.adapted('chainer.serializers.%s(filename=)' % name)
            options['file'] = options.pop('filename')
        return function(*arguments, **options)
    call.__doc__ = function.__doc__
    return call


def install(patches):
    """Let the first argument be called ``filename``."""
    for name in ('load_npz', 'save_npz'):
        function = _make(name, getattr(npz, name))
        patches.set(npz, name, function)
        patches.set(serializers, name, function)
