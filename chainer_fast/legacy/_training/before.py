"""Extensions that are called before the training: ``invoke_before_training``."""
import inspect

from chainer_fast.legacy import _report
from chainer_fast.training.trainer import Trainer

_NOT_GIVEN = object()
_NAME = 'invoke_before_training'


def _is_of_package(extension):
    return type(extension).__module__.startswith('chainer_fast.')


def _count_attribute(extension):
    """Count the line of the class that sets the attribute, if it can be found."""
    what = 'chainer.training.Extension.' + _NAME
    for cls in type(extension).__mro__:
        if _NAME in vars(cls):
            try:
                lines, first = inspect.getsourcelines(cls)
            except (OSError, TypeError):
                break
            for number, line in enumerate(lines, first):
                if _NAME in line.partition('#')[0]:
                    _report.adapted_at(what, inspect.getsourcefile(cls), number)
                    return
    _report.adapted(what)


def install(patches):
    """Bring back the argument of ``Trainer.extend``."""
    extend = Trainer.extend

    def extend_or_invoke(self, extension, name=None, trigger=None, priority=None,
                         invoke_before_training=_NOT_GIVEN, **options):
        if invoke_before_training not in (_NOT_GIVEN, None):
            _report.adapted('chainer.training.Trainer.extend(%s=)' % _NAME)
            options['call_before_training'] = bool(invoke_before_training)
        elif getattr(extension, '_is_called_before_training', False):
            options.setdefault('call_before_training', True)
        elif not _is_of_package(extension) and getattr(extension, _NAME, False):
            _count_attribute(extension)
            options.setdefault('call_before_training', True)
        extend(self, extension, name, trigger, priority, **options)

    extend_or_invoke.__doc__ = extend.__doc__
    patches.set(Trainer, 'extend', extend_or_invoke)
