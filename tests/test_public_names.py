"""Every public name, as editors, notebooks and programs look at it."""
import importlib
import inspect
import os
import pickle
import pkgutil
import pydoc
import re
import sys
import typing

import numpy as np

import chainer_fast
from chainer_fast import links as L
from tests.compat import processes

# Kernels are no public interface, Theano and PyTorch may not be there, and importing a
# module of the shim installs the alias.
PRIVATE = (
    'chainer_fast.backends.kernels', 'chainer_fast.links.theano',
    'chainer_fast.interop.torch', 'chainer_fast.alias.shim')


def public_modules(package=chainer_fast):
    """Yield the modules without a private part in their names."""
    yield package
    for info in pkgutil.iter_modules(package.__path__, package.__name__ + '.'):
        if '._' in info.name or info.name.startswith(PRIVATE):
            continue
        module = importlib.import_module(info.name)
        if info.ispkg:
            yield from public_modules(module)
        else:
            yield module


def public_objects():
    """Return the functions and classes of the package by a public name of theirs."""
    found = {}
    for module in public_modules():
        for name, value in vars(module).items():
            if name.startswith('_') or not (
                    inspect.isclass(value) or inspect.isroutine(value)):
                continue
            home = value.__module__ or ''
            if home.startswith('chainer_fast') and not home.startswith(PRIVATE):
                found.setdefault(value, '%s.%s' % (module.__name__, name))
    return {name: value for value, name in found.items()}


OBJECTS = public_objects()


def failures(check):
    """Return the names of the objects for which ``check`` is false or raises."""
    failed = {}
    for name, value in OBJECTS.items():
        try:
            if not check(value):
                failed[name] = 'false'
        except Exception as error:
            failed[name] = repr(error)
    return failed


def is_compiled(value):
    return value.__module__.startswith('chainer_fast._core')


def test_there_are_many():
    assert len(OBJECTS) > 900


def test_signatures():
    def check(value):
        if inspect.isclass(value) and issubclass(value, Exception) and (
                '__init__' not in vars(value)):
            return True     # built-in exceptions have none
        return inspect.signature(value) is not None

    assert failures(check) == {}


def test_sources():
    def check(value):
        if is_compiled(value):
            module = importlib.import_module(value.__module__)
            folder, name = os.path.split(module.__file__)
            return os.path.exists(os.path.join(folder, name.split('.')[0] + '.pyi'))
        text = inspect.getsource(value)
        if value.__name__.startswith('convert_'):
            return 'def convert' in text or '@' in text     # to ONNX, mostly made ones
        kind = 'class ' if inspect.isclass(value) else 'def '
        return kind + value.__name__ in text or '= lambda' in text

    assert failures(check) == {}


# Of two modules that name each other's classes, only one can import the other; and
# packages that are optional are not imported for their names.
NAMED_FOR_CHECKERS_ALONE = {
    'Chain', 'CommunicatorBase', 'Context', 'Deconvolution2DFunction',
    'DeviceResidentsVisitor', 'Extension', 'Function', 'FunctionNode', 'Linear', 'Link',
    'LogReport', 'ModuleType', 'Optimizer', 'ScheduleManager', 'Sequential',
    'TabularDataset', 'Trainer', 'UpdateRule', 'Updater', 'Variable', 'optuna'}


def test_type_hints():
    def check(value):
        functions = [value]
        if inspect.isclass(value):
            functions += filter(inspect.isfunction, vars(value).values())
        for function in functions:
            try:
                typing.get_type_hints(function)
            except NameError as error:
                if error.name not in NAMED_FOR_CHECKERS_ALONE:
                    raise
        return True

    assert failures(check) == {}


def test_help():
    assert failures(
        lambda value: value.__name__ in pydoc.plain(pydoc.render_doc(value))) == {}


def shown(value):
    """Yield an object and, of a class, all that `help` shows, bases included."""
    yield value
    if inspect.isclass(value):
        for name, _, home, member in inspect.classify_class_attrs(value):
            if pydoc.visiblename(name) and home.__module__.startswith('chainer_fast'):
                yield getattr(member, 'fget', getattr(member, '__func__', member))


def modules_in_types(value):
    """Yield the modules in types: of the package, of typing, or by another name."""
    annotations = getattr(value, '__annotations__', None) or {}
    home = sys.modules.get(getattr(value, '__module__', None))
    for annotation in annotations.values():
        text = inspect.formatannotation(annotation)
        for module in re.findall(r'(?<![\w.])([A-Za-z_][\w.]*)\.\w', text):
            root = module.partition('.')[0]
            if root not in NAMED_FOR_CHECKERS_ALONE and (
                    module in ('typing', 'collections.abc') or root == 'chainer_fast'
                    or getattr(getattr(home, root, None), '__name__', root) != root
                    or root not in sys.modules):
                yield module


def test_types_have_names_without_modules():
    """As in ``Any`` and ``Sequence[int]``, which fit in a line."""
    def check(value):
        found = {module for part in shown(value) for module in modules_in_types(part)}
        assert not found, found
        return True

    assert failures(check) == {}


def test_completion():
    def check(value):
        return all([inspect.getattr_static(value, name, value) is not value
                    for name in dir(value)])

    assert failures(check) == {}


def test_objects_are_pickled_by_name():
    assert failures(lambda value: pickle.loads(pickle.dumps(value)) is value) == {}


def test_signature_of_an_object_that_is_called():
    class Scaled(chainer_fast.Link):
        def __call__(self, x, scale=2):
            return x * scale

    class Plain(chainer_fast.Link):
        def forward(self, x):
            return x

    assert list(inspect.signature(Scaled()).parameters) == ['x', 'scale']
    for link in (Plain(), L.Linear(2, 3), chainer_fast.Sequential(L.Linear(2, 3))):
        assert str(inspect.signature(link)) == '(*args, **kwargs)'
    assert list(inspect.signature(L.Linear).parameters) == [
        'in_size', 'out_size', 'nobias', 'initialW', 'initial_bias']


def test_signature_of_a_variable():
    class Named(chainer_fast.Variable):
        def __init__(self, name):
            super().__init__(np.zeros(2, 'f'), name=name)

    assert list(inspect.signature(chainer_fast.Variable).parameters) == [
        'data', 'name', 'grad', 'requires_grad', 'layout']
    assert list(inspect.signature(Named).parameters) == ['name']


def test_import_loads_nothing_that_few_programs_need():
    code = ('import sys, numpy, scipy.special\nbefore = set(sys.modules)\n'
            'import chainer_fast\nprint(*sorted(set(sys.modules) - before))')
    loaded = set(processes.run('-c', code).split())
    assert 'chainer_fast.links' in loaded
    assert not loaded & {
        'difflib', 'html', 'importlib.metadata', 'matplotlib', 'chainer_fast.chainerx',
        'chainer_fast.legacy', 'chainer_fast.mn', 'chainer_fast.onnx',
        'chainer_fast._help.command'}
