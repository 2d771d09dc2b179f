"""coverage.py: the public names of chainermn and onnx_chainer."""
import json
import os
import shutil

import pytest

from tests.compat import processes

PROGRAM = os.path.join(processes.COMPAT, 'coverage.py')
PACKAGE = '''
import json
from collections import OrderedDict
from json import dumps
from {name}._hidden import Shown
LIMIT = 7
_secret = 8
def function(x, y: int = 2, *, z=dumps) -> int: pass
class Class:
    size = 3
    def method(self, a=None): pass
    def _hidden(self): pass
'''


@pytest.fixture
def released(tmp_path):
    """Path with a package of the name that a release had."""
    for name in 'chainermn', 'onnx_chainer':
        package = tmp_path / name
        package.mkdir()
        (package / '__init__.py').write_text(PACKAGE.format(name=name))
        (package / '_hidden.py').write_text('class Shown: pass')
        (package / 'module.py').write_text(
            'from %s._hidden import Shown\nfrom string import digits' % name)
    return tmp_path


def test_what_is_recorded(released):
    printed = processes.run(PROGRAM, '--record', 'chainermn', path=[released])
    assert json.loads(printed) == {
        'chainermn': {'kind': 'module'},
        'chainermn.module': {'kind': 'module'},
        'chainermn.module.digits': {'kind': 'value', 'value': repr('0123456789')},
        'chainermn.LIMIT': {'kind': 'value', 'value': '7'},
        'chainermn.Shown': {'kind': 'class', 'signature': '()', 'members': {}},
        'chainermn.function': {
            'kind': 'function', 'signature': '(x, y=2, *, z=...)'},
        'chainermn.Class': {
            'kind': 'class', 'signature': '()',
            'members': {'method': '(self, a=None)', 'size': 'attribute'}},
    }


def test_what_differs(tmp_path):
    program = shutil.copy(PROGRAM, tmp_path)
    communicator = 'chainermn.CommunicatorBase'
    facts = {
        'chainermn.nothing': {'kind': 'function', 'signature': '()'},
        'chainermn.no_module': {'kind': 'module'},
        communicator: {'kind': 'class', 'signature': '()', 'members': {
            'size': 'attribute', 'split': '(self, color, key)', 'cut': '(self)',
            'recv': '(self, source)'}}}
    (tmp_path / 'names_chainermn.json').write_text(json.dumps(facts))
    process = processes.start(program, 'chainermn')
    assert process.stdout.splitlines() == [
        'chainermn: 3 names and 4 members; 3 missing, 1 differ',
        '  %s.cut is missing' % communicator,
        '  %s.recv: signature is (self, source), here (self, source, tag)'
        % communicator,
        '  chainermn.no_module is missing',
        '  chainermn.nothing is missing']
    assert process.returncode == 1


def test_all_names_are_here():
    process = processes.start(PROGRAM)
    assert process.returncode == 0, process.stdout
