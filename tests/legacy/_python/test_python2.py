"""Modules in the syntax of Python 2 are read, and mean what they meant."""
import traceback

import pytest

from chainer_fast import legacy
from chainer_fast._help.past import python2


@pytest.fixture(autouse=True)
def enabled():
    legacy.enable('python')


def test_meanings(load, capsys):
    module = load(
        'import sys\n'
        'print "a",\n'
        'print >>sys.stdout, 7 / 2, -7 / 2, 7 / 2.\n'
        'words = {"b": 1, "a": 2}\n'
        'keys = words.keys()\n'
        'keys.sort()\n'
        'pairs = zip(keys, map(words.get, keys))[1:] + filter(None, range(3))\n'
        'half = [i / 2 for i in range(4)]\n'
        'ordered = sorted(half, cmp=lambda a, b: b - a)\n'
        'half.sort(cmp=None)\n'
        'def f((a, b)): return a - b\n'
        'mode = 0755\n')
    assert capsys.readouterr().out == 'a 3 -4 3.5\n'
    assert module.keys == ['a', 'b']
    assert module.pairs == [('b', 1), 1, 2]
    assert module.ordered == [1, 1, 0, 0]
    assert module.half == [0, 0, 1, 1]
    assert module.f((3, 1)) == 2
    assert module.mode == 0o755


def test_true_division_by_request(load, capsys):
    load('from __future__ import division\nprint 7 / 2\n')
    assert capsys.readouterr().out == '3.5\n'


def test_methods_with_another_name(load):
    module = load(
        'class Old(object):\n'
        '    def __nonzero__(self): return False\n'
        '    def __unicode__(self): return u"old"\n'
        '    def next(self): raise StopIteration, "end"\n'
        '    def __iter__(self): return self\n'
        '    def __div__(self, other): return other\n'
        'class New(Old):\n'
        '    def __bool__(self): return True\n'
        '    def __nonzero__(self): return False\n'
        'ratio = Old() / 3\n')
    old = module.Old()
    assert (bool(old), str(old), list(old), module.ratio) == (False, 'old', [], 3)
    assert bool(module.New())


def test_lines_are_those_of_the_source(load):
    module = load('def f((a,\n       b), c):\n    print a\n    return {}[c]\n')
    with pytest.raises(KeyError) as error:
        module.f((1, 2), 3)
    frame = traceback.extract_tb(error.tb)[-1]
    assert (frame.lineno, frame.line) == (4, 'return {}[c]')


def test_what_needs_a_report(load, used):
    load('class A:\n    def next(self): pass\n'
         'try:\n    raise ValueError, 1\nexcept ValueError, e:\n    print e\n')
    assert used() == {'next method of an iterator': 1, 'raise E, value': 1,
                      'except E, name': 1, 'print statement': 1}


def test_without_fissix(load, monkeypatch):
    monkeypatch.setattr(python2, 'is_there', lambda: False)
    with pytest.raises(SyntaxError, match='pip install .*(fissix|check)'):
        load('print "a"\n')
