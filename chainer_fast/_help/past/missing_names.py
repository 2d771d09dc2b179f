"""Errors of modules and classes for names that they no longer have or never had.

The latter are PyTorch's names in the table ``_help.pytorch``.
"""
import functools
import inspect
import sys

from chainer_fast._help import pytorch

# Public modules that once had more names, or whose names differ in PyTorch. Access
# to their names takes 10 ns longer, so that no others are listed; chainer and
# chainer.cuda have their own functions.
_MODULES = (
    'chainer_fast.backends', 'chainer_fast.functions', 'chainer_fast.initializers',
    'chainer_fast.links', 'chainer_fast.optimizer', 'chainer_fast.training.triggers')

# Attributes that classes of the package once had.
_ATTRIBUTES = {
    'Variable': ('volatile',),
    'Link': ('add_uninitialized_param', 'has_uninitialized_params'),
    'Optimizer': (
        'accumulate_grads', 'clip_grads', 'compute_grads_norm', 'init_state',
        'init_state_cpu', 'init_state_gpu', 'prepare', 'weight_decay', 'zero_grads'),
    'GradientMethod': ('update_one', 'update_one_cpu', 'update_one_gpu'),
}


class _Attribute:
    """A missing attribute, for which ``hasattr`` returns False.

    Attributes of an object and of derived classes are found first, so that it
    costs nothing if one exists; those of further bases are looked up here.
    """

    def __init__(self, cls, owner, name):
        self._cls, self._owner, self._name = cls, owner, name

    def __get__(self, instance, owner):
        try:
            return getattr(
                super(self._cls, owner if instance is None else instance), self._name)
        except AttributeError:
            pass
        from chainer_fast._help.past.removed import messages
        raise messages.missing_attribute(owner, self._owner, self._name)

    def __repr__(self) -> str:
        from chainer_fast._help.past.removed import messages
        return '<no attribute, %s>' % messages.of_attribute(self._owner, self._name)


def _dir(self):
    """List existing attributes, as programs look up all that ``dir`` lists."""
    return [name for name in object.__dir__(self) if not isinstance(
        inspect.getattr_static(self, name, None), _Attribute)]


def explain():
    """Make modules and classes explain what replaced the names that they once had.

    Modules get their ``__getattr__`` here and not in their sources, where it would
    prevent type checkers from finding misspelt names.
    """
    for module in _MODULES:
        explain_in(sys.modules[module])
    for owner, names in _ATTRIBUTES.items():
        cls = getattr(sys.modules['chainer_fast'], owner)
        if 'chainer.' + owner in pytorch.TABLE:
            names = (*names, *pytorch.names('chainer.' + owner))
        for name in names:
            setattr(cls, name, _Attribute(cls, owner, name))
        cls.__dir__ = _dir


def explain_in(module):
    """Make a module explain them that defines no function ``__getattr__``."""
    vars(module)['__getattr__'] = functools.partial(_missing, module.__name__)


def _missing(module, name):
    raise error(module, name)


def check_module(name):
    """Raise an error for a module that once existed; its name is that of an alias."""
    from chainer_fast._help.past.removed import messages
    words = messages.of(name)
    if words is not None:
        raise ModuleNotFoundError('No module named %r, %s' % (name, words), name=name)


def error(module, name):
    """Return the error for a name that a module lacks; for its ``__getattr__``."""
    caller = sys._getframe(2)
    if name.startswith('__') or (
            caller.f_globals.get('__name__') == 'importlib._bootstrap'):
        # Python looks for a submodule or for an optional attribute.
        return AttributeError('module %r has no attribute %r' % (module, name))
    from chainer_fast._help.past.removed import messages
    return messages.missing_name(module, name, caller)
