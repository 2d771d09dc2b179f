"""Names of modules come back for programs of old, and for them alone."""
import collections
import doctest
import inspect
import itertools
import sys
import types

import numpy as np
import pytest

from chainer_fast import legacy
from chainer_fast._help.past import removed
from chainer_fast.legacy._python import names
from tests.compat import processes


@pytest.fixture(autouse=True)
def disabled():
    yield
    legacy.disable()


def test_a_way_of_its_own(load, used):
    legacy.enable()
    module = load('''
try:
    import cPickle as pickle
except ImportError:
    import pickle
try:
    from collections import Iterable
except (ImportError, AttributeError):
    from collections.abc import Iterable
try:
    import Queue, StringIO
except:
    Queue = None
''')
    assert module.pickle.__name__ == 'pickle'
    assert module.Queue is None
    assert not used()


def test_a_try_of_something_else(load, used):
    legacy.enable()
    module = load('import numpy as np\ntry:\n    x = 2 * np.float(3)\n'
                  'except Exception:\n    x = None\n')
    assert module.x == 6
    assert used() == {'numpy.float': 1}


def test_imports_count_once(load, used):
    legacy.enable()
    load('from numpy import rank, float\nfrom itertools import izip\n')
    assert used() == {'numpy.rank': 1, 'numpy.float': 1, 'itertools.izip': 1}


def test_libraries_of_today_see_today():
    legacy.enable()
    of_today = {'__name__': 'sklearn.utils', 'np': np, 'collections': collections}
    assert eval('hasattr(np, "float"), hasattr(collections, "Iterable"), '
                'getattr(np, "rank", None)', of_today) == (False, False, None)


def test_those_who_walk_leave_no_trace(used):
    walked = np, collections, itertools, inspect
    before = [dir(module) for module in walked]
    legacy.enable()
    for module, names_before in zip(walked, before, strict=True):
        assert set(dir(module)) - set(names_before) <= {'__getattr__'}
        inspect.getmembers(module)
    doctest.DocTestFinder().find(itertools)
    assert getattr(np, 'nothing_of_this_name', None) is None
    assert not used()


def test_all_is_undone():
    before = {name: dict(vars(sys.modules[name])) for name in (
        'numpy', 'collections', 'json', 'random', 'string', 'sys', 'builtins',
        'threading', 'numpy.lib', 'chainer_fast.backends.cuda')}
    finders, modules = list(sys.meta_path), set(sys.modules)
    legacy.enable('cpu')
    exec('import cPickle, StringIO, sklearn.cross_validation, cupy\n'
         'import numpy.lib.arraysetops', {})
    legacy.disable()
    for name, contents in before.items():
        now = vars(sys.modules[name])
        changed = [key for key in contents.keys() | now.keys()
                   if contents.get(key) is not now.get(key)
                   and not key.startswith(('__warningregistry', '__pybind11'))
                   and not isinstance(now.get(key), types.ModuleType)]
        assert not changed, (name, changed)
    assert sys.meta_path == finders
    left = {name for name in set(sys.modules) - modules
            if name.partition('.')[0] in ('cPickle', 'StringIO', 'cupy')}
    assert not left
    assert 'sklearn.cross_validation' not in sys.modules
    assert 'numpy.lib.arraysetops' not in set(sys.modules) - modules


def test_nothing_heavy_is_imported():
    processes.run('-c', '''
import sys, chainer_fast
from chainer_fast import legacy
before = set(sys.modules)
legacy.enable()
new = {name.partition('.')[0] for name in set(sys.modules) - before}
assert not new & {'sklearn', 'PIL', 'matplotlib', 'h5py', 'yaml', 'pandas', 'asyncio',
                  'unittest', 'cupy'}, new
''')


def _leads_somewhere(what):
    """Whether the entry of a renamed thing names what can be imported."""
    try:
        return names.today(what) is not None
    except (ImportError, AttributeError):
        return False


# What Python itself has no more, under any name
_GONE = {'urllib.URLopener', 'urllib.FancyURLopener'} if sys.version_info >= (
    3, 14) else set()

# What has a function of its own, or is found on a class or an object
_OTHERWISE = (
    'PIL.Image.Image.', 'PIL.ImageDraw.ImageDraw.', 'PIL.ImageFont.ImageFont.',
    'matplotlib.', 'h5py.', 'sklearn.', 'unittest.', 'function.', 'method.')


@pytest.mark.parametrize('part', ['python', 'numpy', 'libraries'])
def test_old_names_lead_somewhere(part):
    plain = [what for what, entry in removed.entries().items()
             if entry.part == part and entry.instead.startswith('write ')
             and all(word.isidentifier()
                     for word in entry.instead[len('write '):].split('.'))
             and all(word.isidentifier() for word in what.split('.'))
             and not what.startswith(_OTHERWISE)
             # Methods of tables, in a package that is not there.
             and not what.startswith('pandas.')
             and not entry.instead.endswith(('NAME', 'sctype'))]
    # Some of NumPy's of today are not in NumPy 1.26, which has those of old.
    special = {'builtins.file', 'numpy.issubclass_'} | _GONE | {
        'numpy.' + name for name in dir(np)}
    lost = [what for what in plain
            if what not in special and not _leads_somewhere(what)]
    assert len(plain) > 20
    assert lost == []


def test_every_name_is_found(load, used):
    """Each entry of a name in a module is found under legacy mode."""
    legacy.enable()
    modules = ('collections', 'inspect', 'fractions', 'time', 'base64', 'os', 'string',
               'itertools', 'operator', 'sys', 'types', 'urllib', 'numpy', 'scipy.misc',
               'scipy.signal', 'scipy.stats', 'scipy.integrate', 'scipy.linalg',
               'scipy.special', 'scipy')
    # These need a package that is not there.
    missing = _GONE | {
        'scipy.misc.ascent', 'scipy.misc.face', 'scipy.misc.electrocardiogram'}
    lines = ['import importlib, warnings', 'found = {}',
             'def get(module, name):',
             '    with warnings.catch_warnings():',
             '        warnings.simplefilter("ignore")',
             '        return getattr(importlib.import_module(module), name)']
    for what, entry in removed.entries().items():
        module, _, name = what.rpartition('.')
        if (module in modules and name.isidentifier() and what not in missing
                and entry.part in ('python', 'numpy', 'libraries')):
            lines.append('found[%r] = get(%r, %r)' % (what, module, name))
    found = load('\n'.join(lines)).found
    assert len(found) > 150
    assert all(value is not None for value in found.values())


@pytest.mark.filterwarnings('ignore::DeprecationWarning')    # Python 3.10 has some
def test_functions_of_python(load):
    legacy.enable('python')
    module = load('''
import asyncio, fractions, inspect, json, operator, random, string, sys, urllib
def f(a, b=2, *c, **d): pass
def g(*, a): pass
spec = inspect.getargspec(f)
try:
    inspect.getargspec(g)
    refused = False
except ValueError:
    refused = True
gcds = [fractions.gcd(*pair) for pair in ((12, 18), (-12, 18), (12, -18), (0, 5))]
quotients = operator.div(7, 2), operator.div(7.0, 2)
text = string.join(['a', 'b']), string.split('a,b', ','), urllib.quote('a b')
drawn = random.sample({1, 2, 3}, 3)
loaded = json.loads('[1]', encoding='latin1')
reload(json)
@asyncio.coroutine
def wait():
    yield from asyncio.sleep(0)
    return 3
@asyncio.coroutine
def value():
    return 4
loop = asyncio.new_event_loop()
waited = loop.run_until_complete(wait()), loop.run_until_complete(value())
loop.close()
def generator():
    yield 1
    yield 2
steps = generator()
first = steps.next()
''')
    assert tuple(module.spec) == (['a', 'b'], 'c', 'd', (2,))
    assert module.refused
    assert module.gcds == [6, 6, -6, 5]
    assert module.quotients == (3, 3.5)
    assert module.text == ('a b', ['a', 'b'], 'a%20b')
    assert sorted(module.drawn) == [1, 2, 3]
    assert (module.loaded, module.waited, module.first) == ([1], (3, 4), 1)


def test_array_of_the_standard_library(load):
    legacy.enable('python', 'numpy')
    module = load('import array\na = array.array("i", [1, 2])\n'
                  'b = array.array("i")\nb.fromstring(a.tostring())\n')
    assert module.b == module.a
