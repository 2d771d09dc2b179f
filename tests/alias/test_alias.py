"""The names chainer, chainermn, ... for the modules of chainer_fast."""
import copy
import importlib
import inspect
import json
import pathlib
import pickle
import sys
import traceback
import types

import pytest

import chainer_fast
from chainer_fast import alias as names
from chainer_fast import gradient_check
from tests.compat import processes

NAMES = 'chainer', 'chainermn', 'chainerx', 'onnx_chainer'


@pytest.fixture
def alias():
    names.uninstall()       # a test before this one may have left it
    before = list(sys.meta_path)
    names.install()
    yield
    names.uninstall()
    assert sys.meta_path == before
    assert not [n for n in sys.modules if n.split('.')[0] in NAMES]


def module_names():
    """Names of all submodules in Python, without those that run something or need more.
    """
    for folder in chainer_fast.__path__:
        for path in pathlib.Path(folder).rglob('*.py'):
            parts = path.relative_to(folder).with_suffix('').parts
            if parts[-1] == '__init__':
                parts = parts[:-1]
            others = ('__main__',), ('alias', 'shim'), ('interop', 'torch')
            if parts and parts[:2] not in others:
                yield '.'.join(parts)


# Imports all modules below a name, and prints for each the name it goes by and the type
# of what its package has under it: a module, or a function that takes its place.
IMPORT_ALL = '''
import importlib, json, sys, warnings
warnings.simplefilter('ignore')
top, alias, *names = sys.argv[1:]
if alias == 'alias':
    from chainer_fast.alias import install
    install()
found = {}
for name in names:
    module = importlib.import_module(top + '.' + name)
    assert module is sys.modules['chainer_fast.' + name], name
    assert module.__loader__ == module.__spec__.loader, name
    package, _, last = ('chainer_fast.' + name).rpartition('.')
    found[name] = [
        module.__spec__.name, type(getattr(sys.modules[package], last)).__name__]
print(json.dumps(found))
'''


def test_every_submodule_is_the_very_module():
    names = sorted(module_names())
    assert len(names) > 100
    plain, aliased = [
        json.loads(processes.run('-c', IMPORT_ALL, top, alias, *names))
        for top, alias in [('chainer_fast', ''), ('chainer', 'alias')]]
    assert plain['utils.experimental'] == [
        'chainer_fast.utils.experimental', 'function']
    assert plain == aliased


def test_modules_imported_before_and_after(alias):
    import chainer
    import chainer.functions as F
    from chainer.links.connection.linear import Linear
    assert chainer is chainer_fast
    assert F is chainer_fast.functions
    assert Linear is chainer_fast.links.Linear
    assert chainer.__version__ == '7.8.1'


@pytest.mark.parametrize('module', ['experimental', 'nondeterministic'])
def test_functions_named_like_their_module_stay(alias, module):
    function = getattr(chainer_fast.utils, module)
    importlib.import_module('chainer.utils.' + module)
    assert isinstance(function, types.FunctionType)
    assert getattr(chainer_fast.utils, module) is function


def test_chainerx_is_available(alias):
    import chainerx
    import chainerx._build_info
    assert chainerx.is_available() and chainerx._build_info.build_chainerx
    assert not isinstance(chainer_fast.Variable(), chainerx.ndarray)
    assert chainerx is chainer_fast.chainerx


@pytest.mark.parametrize('name, home', [
    ('chainermn', 'mn'), ('onnx_chainer', 'onnx')])
def test_other_packages_of_the_distribution(alias, name, home):
    assert importlib.import_module(name) is getattr(chainer_fast, home)


def test_other_packages_are_imported_when_asked_for(alias):
    processes.run('-c', '''
import sys
from chainer_fast import alias
alias.install()
import chainer
assert not {"chainer_fast.mn", "chainer_fast.onnx"} & set(sys.modules)
import onnx_chainer, chainermn
assert chainermn is sys.modules["chainer_fast.mn"]
assert onnx_chainer is sys.modules["chainer_fast.onnx"]
''')


def test_pickles_of_both_names_agree(alias):
    import chainer
    link = chainer.links.Linear(2, 3)
    loaded = pickle.loads(pickle.dumps(link))
    assert type(loaded) is chainer_fast.links.Linear
    # What a pickle written by Chainer itself asks for.
    for name in ['variable\nVariable', 'links.connection.linear\nLinear']:
        cls = pickle.loads(b'cchainer.%s\n.' % name.encode())
        assert cls is pickle.loads(b'cchainer_fast.%s\n.' % name.encode())


@pytest.mark.parametrize('name', [
    'chainer.nothing', 'chainer.functions.nothing', 'chainerx.nothing'])
def test_missing_submodule(alias, name):
    with pytest.raises(ModuleNotFoundError, match=name) as info:
        importlib.import_module(name)
    assert info.value.name == name


def test_submodule_of_a_module(alias):
    with pytest.raises(ModuleNotFoundError, match='not a package'):
        importlib.import_module('chainer.reporter.nothing')


@pytest.mark.parametrize('text, error, name', [
    ('import missing_library', ModuleNotFoundError, 'missing_library'),
    ('from chainer_fast import missing_name', ImportError, 'chainer_fast'),
    ('import chainer_fast.missing', ModuleNotFoundError, 'chainer_fast.missing'),
])
def test_errors_of_a_submodule_come_through(
        alias, tmp_path, monkeypatch, text, error, name):
    (tmp_path / 'broken.py').write_text(text)
    monkeypatch.setattr(
        chainer_fast, '__path__', [*chainer_fast.__path__, str(tmp_path)])
    with pytest.raises(error) as info:
        importlib.import_module('chainer.broken')
    assert info.value.name == name
    assert 'chainer.broken' not in sys.modules


def test_install_twice(alias):
    path = list(sys.meta_path)
    names.install()
    assert sys.meta_path == path


@pytest.mark.parametrize('name', NAMES)
def test_another_chainer_was_imported_before(monkeypatch, name):
    monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    before = list(sys.meta_path)
    with pytest.raises(RuntimeError, match='another %s has been imported' % name):
        names.install()
    assert sys.meta_path == before
    monkeypatch.undo()
    assert name not in sys.modules


def test_import_as():
    """The package works by its own name, and takes no other."""
    processes.run('-W', 'error', '-c', '''
import sys
import numpy as np
import chainer_fast as chainer
import chainer_fast.functions as F
import chainer_fast.links as L
model = L.Classifier(L.Linear(None, 3))
optimizer = chainer.optimizers.SGD().setup(model)
optimizer.update(model, np.ones((4, 2), 'f'), np.array([0, 1, 2, 0], 'i'))
assert F.max(abs(model.predictor.b)).array > 0
names = ('chainer', 'chainermn', 'chainerx', 'onnx_chainer')
assert not [n for n in sys.modules if n.split('.')[0] in names]
''')


FOLDER = pathlib.Path(chainer_fast.__file__).parent


@pytest.mark.parametrize('text, shown', [
    ('L.Linear(3, 2)', '<chainer.links.connection.linear.Linear object at'),
    ('chainer.optimizers.Adam()', '<chainer.optimizers.adam.Adam object at'),
    ('F.relu(L.Linear(1, 1).b).creator_node',
     '<chainer.functions.activation.relu.ReLU object at'),
    ('chainer.iterators.SerialIterator([], 1)',
     '<chainer.iterators.serial_iterator.SerialIterator object at'),
    ('chainer.training.extensions.LogReport()',
     '<chainer.training.extensions.log_report.LogReport object at'),
    ('L.Linears', "AttributeError: module 'chainer.links' has no attribute 'Linears'"),
    ('F.Linear', "AttributeError: module 'chainer.functions' has no attribute "
     "'Linear', which Chainer 1.24 had: write chainer.links.Linear"),
    ('chainermn.nothing', "AttributeError: module 'chainermn' has no attribute"),
    ('chainer.cuda.init', "AttributeError: module 'chainer.backends.cuda' has no"),
    ('exec("from chainer import nothing")',
     "ImportError: cannot import name 'nothing' from 'chainer' ("),
    ('exec("from chainer.links import nothing")',
     "ImportError: cannot import name 'nothing' from 'chainer.links' ("),
    ('exec("import chainer.function_set")',
     "ModuleNotFoundError: No module named 'chainer.function_set', which Chainer 1.24 "
     'had: write chainer.Chain'),
    ('F.concat([L.Linear(1, 1).W, L.Linear(1, 1).b])',
     'chainer.utils.type_check.InvalidType: '),
])
def test_errors_and_reprs_say_chainer(alias, text, shown):
    import chainer
    import chainermn
    names = {'chainer': chainer, 'chainermn': chainermn, 'F': chainer.functions,
             'L': chainer.links}
    try:
        printed = repr(eval(text, names))
    except Exception as error:
        printed = ''.join(traceback.format_exception_only(error))
    assert printed.startswith(shown)
    assert 'chainer_fast' not in printed.replace(str(FOLDER), '')


def test_uninstall_shows_the_names_of_the_package_again():
    def seen():
        with pytest.raises(AttributeError) as info:
            chainer_fast.links.Linears  # noqa: B018
        return (repr(chainer_fast.links.Linear(1, 1)).split()[0], str(info.value),
                chainer_fast.utils.type_check.InvalidType.__module__,
                [name for name in (*vars(chainer_fast.link.Link), *vars(
                    chainer_fast.optimizers)) if name in ('__repr__', '__getattr__')])

    before = seen()
    names.install()
    try:
        assert seen() != before
    finally:
        names.uninstall()
    assert seen() == before


def test_sources_of_exceptions_are_found():
    error = gradient_check.NondifferentiableError
    before = inspect.getsource(error)
    names.install()
    try:
        assert error.__module__.startswith('chainer.')
        assert inspect.getsource(error) == before
    finally:
        names.uninstall()
    assert inspect.getsource(error) == before


# Prints the names of the exceptions that keep the name of this package.
EXCEPTIONS = '''
import importlib, sys, warnings
warnings.simplefilter('ignore')
from chainer_fast.alias import install
install()
for name in sys.argv[1:]:
    for value in vars(importlib.import_module('chainer.' + name)).values():
        if isinstance(value, type) and issubclass(value, BaseException) and (
                value.__module__.startswith('chainer_fast')):
            print(value.__name__)
'''


def test_exceptions_that_the_alias_names():
    """All but those that no user sees: add new ones to the list, or here."""
    found = processes.run('-c', EXCEPTIONS, *sorted(module_names())).split()
    assert set(found) == {
        'NotStatic', 'NotThere', 'Unreadable', 'WorkerFailure', '_DriverError',
        '_MissingGroup', '_OfChainer', '_PerformanceWarning', '_UUError'}


def test_classes_and_modules_keep_their_names(alias):
    """Pickles name them, and load where there is no alias."""
    import chainer
    link = chainer.links.Linear(2, 3)
    written = pickle.dumps([link, chainer.optimizers.SGD])
    assert b'chainer.' not in written
    assert processes.run('-c', '''
import pickle, sys
link, SGD = pickle.loads(bytes.fromhex(sys.argv[1]))
print(type(link), SGD, 'chainer' in sys.modules)
''', written.hex()).rstrip() == (
        "<class 'chainer_fast.links.connection.linear.Linear'> "
        "<class 'chainer_fast.optimizers.sgd.SGD'> False")
    assert 'class Linear' in inspect.getsource(type(copy.deepcopy(link)))
    module = sys.modules['chainer.links.connection.linear']
    assert type(link).__module__ == module.__name__ == module.__spec__.name


def test_exceptions_reach_other_processes(alias):
    InvalidType = chainer_fast.utils.type_check.InvalidType
    assert type(pickle.loads(pickle.dumps(InvalidType('1', '2')))) is InvalidType
