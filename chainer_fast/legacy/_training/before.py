"""Extensions that are called before the training: ``invoke_before_training``."""
from chainer_fast.legacy import _report
from chainer_fast.training.trainer import Trainer

_NOT_GIVEN = object()
_NAME = 'invoke_before_training'


def _is_of_package(extension):
    return type(extension).__module__.startswith('chainer_fast.')


def _count_attribute(extension):
    """Count the line of the class that sets the attribute."""
    owner = next((cls for cls in type(extension).__mro__ if _NAME in vars(cls)), None)
    what = 'chainer.training.Extension.' + _NAME
    if owner is None:
        _report.adapted(what)
    else:
        _report.adapted_at_class(what, owner, _NAME)


def install(patches):
    """Restore the argument of ``Trainer.extend``."""
    extend = Trainer.extend

    def extend_or_invoke(self, extension, name=None, trigger=None, priority=None,
                         invoke_before_training=_NOT_GIVEN, **options):
        if invoke_before_training not in (_NOT_GIVEN, None):
            _report.adapted('chainer.training.Trainer.extend(%s=)' % _NAME)
            # Version 2 accepted the argument and ignored it.
            options['call_before_training'] = (
                'v1' in patches.parts and bool(invoke_before_training))
        elif getattr(extension, '_is_called_before_training', False):
            options.setdefault('call_before_training', True)
        elif not _is_of_package(extension) and getattr(extension, _NAME, False):
            _count_attribute(extension)
            options.setdefault('call_before_training', True)
        extend(self, extension, name, trigger, priority, **options)

    extend_or_invoke.__doc__ = extend.__doc__
    patches.set(Trainer, 'extend', extend_or_invoke)
