"""Extensions of version 1 that specify themselves when to start."""
import functools

from chainer_fast import training
from chainer_fast.legacy import _report
from chainer_fast.training import extension as extension_module
from chainer_fast.training.extension import Extension

_NOT_GIVEN = object()
_NAME = 'invoke_before_training'


def install(patches):
    """Restore the attribute and the argument of ``make_extension``."""
    make_extension = extension_module.make_extension

    @functools.wraps(make_extension)
    def make(trigger=None, default_name=None, priority=None, *arguments,
             invoke_before_training=_NOT_GIVEN, **options):
        # The fourth argument was a flag.
        if arguments and isinstance(arguments[0], bool):
            invoke_before_training, *arguments = arguments
        decorate = make_extension(
            trigger, default_name, priority, *arguments, **options)
        if invoke_before_training is _NOT_GIVEN:
            return decorate
        _report.adapted('chainer.training.make_extension(%s=)' % _NAME)

        def decorate_and_mark(function):
            decorate(function)._is_called_before_training = invoke_before_training
            function.invoke_before_training = invoke_before_training
            return function
        return decorate_and_mark

    patches.set(extension_module, 'make_extension', make)
    patches.set(training, 'make_extension', make)
    patches.set(Extension, _NAME, False)
