"""What modules say of a name that they no longer have."""
import functools
import sys

# Public modules that once had more names. Access to a name costs 10 ns more here, so
# that no others are listed; chainer.cuda has a function of its own.
_MODULES = (
    'chainer_fast', 'chainer_fast.functions', 'chainer_fast.links',
    'chainer_fast.initializers', 'chainer_fast.optimizer',
    'chainer_fast.training.triggers')


def explain():
    """Have modules tell what became of the names that they once had.

    They get their ``__getattr__`` here and not in their sources, where it would keep
    type checkers from finding misspelt names.
    """
    for module in _MODULES:
        vars(sys.modules[module])['__getattr__'] = functools.partial(_missing, module)


def _missing(module, name):
    raise error(module, name)


def error(module, name):
    """Return the error for a name that a module lacks; for its ``__getattr__``."""
    caller = sys._getframe(2)
    if name.startswith('__') or (
            caller.f_globals.get('__name__') == 'importlib._bootstrap'):
        # Python looks for a submodule, or for what it can do without.
        return AttributeError('module %r has no attribute %r' % (module, name))
    from chainer_fast._removed import messages
    return messages.missing_name(module, name, caller)
