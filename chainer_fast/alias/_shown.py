"""Names in errors and reprs while an alias is installed.

Programs use the name ``chainer``. The names of exceptions in tracebacks, the reprs of
objects, and errors such as «module 'chainer.links' has no attribute ...» then use it,
too. Modules and other classes keep ``__name__`` and ``__module__``: pickles refer to
them and must load in processes without an alias, and tools compare the two with each
other.
"""
import sys

from chainer_fast._help.past import missing_names

# Exceptions that users encounter, which are hardly ever stored in files.
_EXCEPTIONS = {
    'chainer_fast._help.mistakes': ('WrongKind',),
    'chainer_fast.dataset.download': ('_DownloadError',),
    'chainer_fast.gradient_check._numerical_grad': ('NondifferentiableError',),
    'chainer_fast.graph_optimizations._side_effects': ('Unrecordable',),
    'chainer_fast.iterators._statemachine': ('NoExamples',),
    'chainer_fast.links.caffe._errors': ('CaffeModelError',),
    'chainer_fast.mn.communicators._communication_utility': ('MPIUnavailableError',),
    'chainer_fast.mn.communicators._transfer': ('NoArrayError',),
    'chainer_fast.mn.datasets.scatter': ('DataSizeError',),
    'chainer_fast.onnx._load.node': ('Unsupported',),
    'chainer_fast.optimizer._states': ('NoStates',),
    'chainer_fast.testing._function_link_support': (
        '_TestError', 'FunctionTestError', 'LinkTestError'),
    'chainer_fast.utils.type_check': ('InvalidType',),
    'chainer_fast.warnings': ('PerformanceWarning',),
}

# Classes whose subclasses in this package have the repr of ``object``.
_BASES = {
    'chainer_fast.dataset.iterator': ('Iterator',),
    'chainer_fast.function_hook': ('FunctionHook',),
    'chainer_fast.function_node': ('FunctionNode',),
    'chainer_fast.initializer': ('Initializer',),
    'chainer_fast.link': ('Link',),
    'chainer_fast.optimizer': ('Optimizer', 'UpdateRule'),
    'chainer_fast.reporter': ('DictSummary', 'Reporter', 'Summary'),
    'chainer_fast.training._updater': ('Updater',),
    'chainer_fast.training.extension': ('Extension',),
    'chainer_fast.training.trainer': ('Trainer',),
    'chainer_fast.variable': ('VariableNode',),
}

# Modules in which programs misspell names; more would slow down this package.
_PACKAGES = frozenset('chainer_fast.' + name for name in (
    'dataset', 'datasets', 'distributions', 'exporters', 'function_hooks', 'iterators',
    'link_hooks', 'links', 'mn', 'optimizer_hooks', 'optimizers', 'serializers',
    'training', 'training.extensions', 'training.triggers', 'training.updaters'))

_undo = []


def _repr(self):
    text = object.__repr__(self)
    return text.replace('<chainer_fast.', '<chainer.', 1)


def rename(real, alias):
    """Show a new alias of a module in the names of what it defines."""
    module = sys.modules[real]
    for name in _EXCEPTIONS.get(real, ()):
        if name in vars(module):    # not while it is being imported
            cls = vars(module)[name]
            _undo.append((_move, cls, cls.__module__))
            _move(cls, alias)
    for name in _BASES.get(real, ()):
        cls = vars(module).get(name)
        if cls is not None and cls.__repr__ is object.__repr__:
            cls.__repr__ = _repr
            _undo.append((delattr, cls, '__repr__'))
    if real in _PACKAGES and '__getattr__' not in vars(module):
        missing_names.explain_in(module)
        _undo.append((delattr, module, '__getattr__'))


def _move(cls, module):
    line = vars(cls).get('__firstlineno__')     # since Python 3.13
    cls.__module__ = module
    if line is not None:
        # Python has removed it, and would not find the source.
        cls.__firstlineno__ = line


def undo():
    """Show the names of this package again."""
    while _undo:
        function, *arguments = _undo.pop()
        function(*arguments)
