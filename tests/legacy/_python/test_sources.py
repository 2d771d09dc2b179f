"""Sources are rewritten as they are imported, and do what they did."""
import ast
import importlib.machinery
import io
import linecache
import sys
import traceback

import numpy as np
import pytest

from chainer_fast import legacy
from chainer_fast.legacy._python import calls, sources
from tests.compat import processes


def test_only_while_enabled(load):
    legacy.enable('numpy')
    old = load('def f(a): return float(a)\n')
    legacy.disable()
    new = load('def f(a): return 3 + float(a)\n')
    # What was imported before stays as it was then.
    assert old.f(np.array([2.5])) == 2.5
    assert vars(importlib.machinery.SourceFileLoader).get('get_code') is None
    assert not any(name.startswith('__chainer_fast') for name in vars(new))


def test_caches_are_left_alone(load, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, 'dont_write_bytecode', False)
    legacy.enable('numpy')
    load('def f(a): return float(a)\n')
    kept = list(tmp_path.rglob('*.pyc'))
    assert [path.name.endswith('.legacy.pyc') for path in kept] == [True]
    legacy.disable()
    load('def f(a): return float(a)\n')
    plain, = set(tmp_path.rglob('*.pyc')) - set(kept)
    assert not plain.name.endswith('.legacy.pyc')


def test_documentation_and_futures_come_first(load):
    legacy.enable('numpy')
    module = load('"""What it is."""\nfrom __future__ import annotations\n'
                  'def f(a: Nothing): return int(a)\n')
    assert module.__doc__ == 'What it is.'
    assert module.f(np.array([[3]])) == 3


@pytest.mark.parametrize('text', [
    'from __future__ import division\n', '"""Text alone."""\n', '', '# nothing\n'])
def test_modules_without_code(load, text):
    legacy.enable('numpy')
    load(text)


def test_lines_of_tracebacks(load):
    legacy.enable('python', 'numpy')
    module = load('def f(a):\n    b = [a]\n    b[0] = float(a)\n')
    with pytest.raises(ValueError) as caught:
        module.f('no number')
    frames = traceback.extract_tb(caught.value.__traceback__)
    of_module = [frame for frame in frames if frame.filename == module.__file__]
    assert [frame.lineno for frame in of_module] == [3]
    assert linecache.getline(module.__file__, 3).strip() == 'b[0] = float(a)'


@pytest.mark.parametrize('text', [
    'from builtins import range as xrange\nr = xrange(2)',
    'def xrange(n): return range(n)\nr = xrange(2)',
    'def f(xrange): return xrange(2)\nr = f(range)',
    'try:\n    xrange\nexcept NameError:\n    xrange = range\nr = xrange(2)',
    'import builtins\nglobals()["xrange"] = range\nr = xrange(2)',
    'class C:\n    xrange = range\n    r = xrange(2)\nr = C.r',
    'r = [xrange for xrange in [range(2)]][0]',
    'class C:\n    xrange = range\n    def f(self, x=xrange): return x(2)\nr = C().f()',
    'match range:\n    case xrange:\n        r = xrange(2)',
    'class C:\n    xrange = range\n    r = [i for i in xrange(2)]\nr = C.r',
])
def test_names_of_the_module_are_its_own(load, used, text):
    legacy.enable('python')
    assert list(load(text).r) == [0, 1]
    assert not used()


@pytest.mark.parametrize('text', [
    'def f():\n    for xrange in []: pass\ndef g(): return xrange(2)\nr = g()',
    'class C:\n    def f(self, xrange): pass\n    r = xrange(2)\nr = C.r',
    'f = lambda xrange: 0\nr = xrange(2)',
    'def f():\n    def g(xrange): pass\n    return xrange(2)\nr = f()',
])
def test_names_of_other_functions(load, used, text):
    legacy.enable('python')
    assert list(load(text).r) == [0, 1]
    assert used() == {'builtins.xrange': 1}


def test_patterns_have_no_calls(load):
    legacy.enable('python')
    module = load('def f(a):\n    match a:\n        case a.next: return unicode(2)\n'
                  '        case _ if not isinstance(a, basestring): return 1\n')
    assert module.f(type('A', (), {'next': 0})()) == 1


def test_names_of_elsewhere(load, used):
    legacy.enable('python')
    module = load('def f(): return nothing_of_this_name\n'
                  'def g(): return unicode(3), isinstance("a", basestring)\n')
    with pytest.raises(NameError):
        module.f()
    assert module.g() == ('3', True)
    assert used() == {'builtins.unicode': 1, 'builtins.basestring': 1}


def test_other_functions_of_the_name(load):
    legacy.enable('numpy')
    module = load('float = lambda a: a.shape\nmath = type("M", (), {"sqrt": len})\n'
                  'def f(a): return float(a), math.sqrt(a)\n')
    assert module.f(np.zeros(1)) == ((1,), 1)


def test_errors_stay(load):
    legacy.enable('python', 'numpy')
    module = load('import math\n'
                  'def number(a): return float(a)\n'
                  'def attribute(a): return a.iteritems()\n'
                  'def formatted(a): return "%d" % a\n'
                  'def element(a, b): a[0] = b\n')
    with pytest.raises(TypeError):
        module.number(np.zeros(2))
    with pytest.raises(AttributeError, match="'list' object has no attribute 'iteri"):
        module.attribute([])
    with pytest.raises(TypeError):
        module.formatted(np.zeros(2))
    with pytest.raises(ValueError):
        module.element(np.zeros(2), np.zeros(2))
    with pytest.raises(TypeError):
        module.element((1, 2), 3)


def test_neither_python_2_nor_3(load):
    legacy.enable('python')
    with pytest.raises(SyntaxError) as error:
        load('x = 1\nprint "a" (\n')
    assert error.value.lineno == 2


def test_libraries_of_today_are_left_alone(monkeypatch, tmp_path):
    legacy.enable('python')
    try:
        loader = importlib.machinery.SourceFileLoader('sklearn.some', str(
            tmp_path / 'some.py'))
        (tmp_path / 'some.py').write_text('x = 1\n')
        assert calls.NAME not in loader.get_code('sklearn.some').co_names
    finally:
        legacy.disable()


def test_notebook(capsys):
    processes.run('-c', '''
from IPython.testing.globalipapp import start_ipython
shell = start_ipython()
import numpy as np
from chainer_fast import legacy
legacy.enable()
shell.user_ns['a'] = np.array([2.5])
assert shell.run_cell('b = float(a); c = [i for i in xrange(2)]').success
assert shell.user_ns['b'] == 2.5 and shell.user_ns['c'] == [0, 1]
legacy.disable()
assert not shell.ast_transformers
''')


def test_modules_of_tests(tmp_path):
    (tmp_path / 'conftest.py').write_text('import chainer_fast\n')
    (tmp_path / 'test_it.py').write_text(
        'import numpy as np\n'
        'def test_it():\n    assert float(np.array([2.0])) == 2\n')
    for _ in range(2):      # the second time from pytest's cache
        process = processes.start('-m', 'pytest', '-q', tmp_path, cwd=tmp_path,
                                  env={'CHAINER_FAST_LEGACY': '1',
                                       'PYTHONDONTWRITEBYTECODE': ''})
        assert process.returncode == 0, process.stdout
    assert list(tmp_path.rglob('test_it-legacy.*.pyc'))


def test_rewriting_is_complete():
    """Each kind of node is rewritten wherever it stands."""
    legacy.enable('python', 'numpy')
    try:
        tree = sources.rewrite(ast.parse(
            'f = lambda a: "%d" % float(a.ptp())\n'
            'a[float(b)][unicode] += math.sqrt(c)\n'
            'x, (a[0], *y) = z\n'
            'for a[1] in b: del a[2]\n'))
    finally:
        legacy.disable()
    text = ast.unparse(tree)
    assert text.count(calls.NAME) == 10, text


def test_raw_input_of_notebooks(load, monkeypatch):
    legacy.enable('python')
    module = load('def ask(): return raw_input("name: ")\n')
    monkeypatch.setattr('builtins.input', lambda prompt: prompt + 'x')
    assert module.ask() == 'name: x'


def test_execfile(load, tmp_path):
    legacy.enable('python')
    (tmp_path / 'settings.py').write_text('size = xrange(3)\n')
    module = load('import os\nexecfile(os.path.join(os.path.dirname(__file__), '
                  '"settings.py"))\n')
    assert len(module.size) == 3


def test_iterators_of_dictionaries(load):
    legacy.enable('python')
    module = load('d = {1: 2}\nr = (d.iteritems().next(), next(d.itervalues()),\n'
                  '     d.iterkeys().next(), list(d.iteritems()), len(d.viewkeys()))\n')
    assert module.r == ((1, 2), 2, 1, [(1, 2)], 1)


def test_files_of_either_kind(load):
    legacy.enable('python')
    module = load('import StringIO, cPickle\n'
                  'a, b = StringIO.StringIO(), StringIO.StringIO()\n'
                  'a.write("x\\ny")\ncPickle.dump([1], b)\n'
                  'a.seek(0); b.seek(0)\n'
                  'r = list(a), cPickle.load(b), isinstance(a, StringIO.StringIO)\n')
    assert module.r == (['x\n', 'y'], [1], True)
    module.a.write(b'bytes')
    module.b.write('text')
    assert module.a.getvalue() == 'x\nybytes' and module.b.getvalue().endswith(b'text')
    assert module.a.len == 8


def test_old_files_of_text(load):
    legacy.enable('python')
    module = load('from cStringIO import StringIO\nimport cPickle\n'
                  'a, b = StringIO("text").read(), StringIO(b"bytes").read()\n'
                  'c = cPickle.loads(b"S\'\\\\xe9\'\\np0\\n.")\n')
    assert (module.a, module.b, module.c) == ('text', b'bytes', '\xe9')
    assert isinstance(sys.stdout, io.TextIOBase) or sys.stdout


@pytest.mark.parametrize('parts, head, expected', [
    (('python',), '', (3, 3, [3], 3.5, 2)),
    (('python',), 'from __future__ import division\n', (3.5, 3.5, [3.5], 3.5, 2.5)),
    ((), '', (3.5, 3.5, [3.5], 3.5, 2.5)),
    (('v4', 'python3'), '', (3.5, 3.5, [3.5], 3.5, 2.5)),
])
def test_division(load, parts, head, expected):
    legacy.enable(*parts)
    module = load(head + '''import numpy as np
class Size: n = 7
size, a = Size(), 5
size.n /= 2
a /= 2
values = 7 / 2, size.n, (np.array([7]) / 2).tolist(), 7 / 2.0, a
''')
    assert module.values == expected


def test_division_of_installed_libraries():
    legacy.enable('python')
    try:
        tree = sources.rewrite(ast.parse('a = 7 / 2'), '/x/site-packages/y/z.py')
    finally:
        legacy.disable()
    assert ast.unparse(tree).endswith('a = 7 / 2')


def test_division_in_place(load):
    legacy.enable('python')
    module = load('def f(a):\n    a /= 2.0\n    return a\n')
    a = np.ones(3)
    assert module.f(a) is a and a.tolist() == [0.5] * 3


# ---- meanings of Python 2 in sources that Python 3 compiles

LISTS = '''
import collections
d = collections.OrderedDict([(1, 2)])
firsts = d.keys()[0], d.items()[0], {3: 4}.values()[-1], zip([1], [2])[0]
lengths = len(map(abs, [1, 2])), len(filter(None, [0, 1])), len(zip('ab', 'cd'))
joined = [0] + range(2), range(2) * 2, d.keys() + map(abs, [-3])
'''


@pytest.mark.parametrize('parts', [(), ('python',)])
def test_lists_where_nothing_else_serves(load, used, parts):
    legacy.enable(*parts)
    module = load(LISTS)
    assert module.firsts == (1, (1, 2), 4, (1, 2))
    assert module.lengths == (2, 1, 2)
    assert module.joined == ([0, 0, 1], [0, 1, 0, 1], [1, 3])
    assert used() == ({} if parts else {
        'list from map, filter, zip, range or dict.keys': 11})


VALUES = '''
keys = {'b': 1, 'a': 2}.keys()
keys.sort()
digits = filter(str.isdigit, 'a1b2'), filter(None, (0, 1)), map(None, [1, 2], 'a')
padded = map(lambda a, b: (a, b), [1, 2], [3])
looped = [x for x in map(None, 'ab')]
ordered = sorted([1, 3, 2], cmp=lambda a, b: b - a)
class Switch(object):
    def __nonzero__(self): return False
state = bool(Switch())
numbers = range(3)
numbers[0] = 5
'''


def test_meanings_of_python_2_if_it_is_named(load):
    legacy.enable('python')
    module = load(VALUES)
    assert module.keys == ['a', 'b']
    assert module.digits == ('12', (1,), [(1, 'a'), (2, None)])
    assert module.padded == [(1, 3), (2, None)] and module.looped == ['a', 'b']
    assert (module.ordered, module.state) == ([3, 2, 1], False)
    assert module.numbers == [5, 1, 2]


def test_lists_of_python_3_otherwise(load, used):
    legacy.enable()
    module = load('d = {1: 2}\nkeys = d.keys()\nd[3] = 4\nlazy = map(abs, [1])\n'
                  'shared = d.keys() & {1}\nn = len(d.keys())\nm = range(9)[2:4]\n')
    assert list(module.keys) == [1, 3] and next(module.lazy) == 1
    assert module.shared == {1} and module.n == 2 and list(module.m) == [2, 3]


@pytest.mark.parametrize('head', [
    'from itertools import count as range', 'def range(n): return iter(lambda: n, 0)'])
def test_own_names_give_what_they_give(load, head):
    legacy.enable('python')
    module = load(head + '\nr = range(3)\nfirst = next(r)\n')
    assert module.first == 3


def test_lists_of_installed_libraries():
    legacy.enable('python')
    try:
        tree = sources.rewrite(ast.parse('a = d.keys()[0]'), '/x/site-packages/y/z.py')
    finally:
        legacy.disable()
    assert ast.unparse(tree).endswith('a = d.keys()[0]')


@pytest.mark.parametrize('parts', [(), ('python',)])
def test_unicode(load, parts):
    legacy.enable(*parts)
    module = load(
        "a = unicode('ab', 'utf-8'), unicode('ab', errors='ignore'), unicode(3), "
        "unicode(b'ab'), unicode(b'\\xc3\\xa9', 'utf-8'), unicode()\n"
        "b = isinstance(u'ab', unicode), unicode is str\n"
        "c = map(unicode, [1])[0], '6162'.decode('hex'), 'no'.decode('rot13')\n")
    assert module.a == ('ab', 'ab', '3', 'ab', '\xe9', '')
    assert module.b == (True, True) and module.c == ('1', 'ab', 'ab')


# ---- programs that have a way of their own

@pytest.mark.parametrize('parts', [(), ('python',)])
def test_names_that_are_tried(load, used, parts):
    legacy.enable(*parts)
    module = load('try:\n    xrange\n    is_old = True\n'
                  'except NameError:\n    is_old = False\n'
                  'try:\n    text = unicode\nexcept NameError:\n    text = bytes\n')
    assert (module.is_old, module.text) == (bool(parts), bytes)
    assert used().keys() <= {'builtins.xrange'}


TRIED = '''
def text(s):
    try:
        s = s.decode('utf-8')
        is_bytes = True
    except AttributeError:
        is_bytes = False
    return is_bytes
'''


@pytest.mark.parametrize('parts, is_bytes', [((), False), (('python',), True)])
def test_attributes_that_are_tried(load, used, parts, is_bytes):
    # In Python 2 text had the method, and the error would come from something else.
    legacy.enable(*parts)
    assert load(TRIED).text('a') is is_bytes
    assert used() == ({'str.decode': 1} if is_bytes else {})


def test_attributes_that_installed_libraries_try(tmp_path, used):
    legacy.enable('python')
    folder = tmp_path / 'site-packages'
    folder.mkdir()
    (folder / 'library.py').write_text(TRIED)
    loader = importlib.machinery.SourceFileLoader(
        'library', str(folder / 'library.py'))
    try:
        module = {'__name__': 'library'}
        exec(loader.get_code('library'), module)
        assert module['text']('a') is False
        assert used() == {}
    finally:
        legacy.disable()
