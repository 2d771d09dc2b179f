"""Extensions without ``__call__``, which did nothing up to version 5."""
from chainer_fast.legacy import _report
from chainer_fast.training.extension import Extension


def install(patches):
    """Let them do nothing."""
    def call(self, trainer):
        _report.adapted_at_class('extensions without __call__', type(self))

    call.__doc__ = Extension.__call__.__doc__
    patches.set(Extension, '__call__', call)
