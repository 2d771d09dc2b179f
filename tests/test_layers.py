"""Imports point downward, those inside of functions and by name included."""
import sys
from pathlib import Path

import pytest

from tests import import_graph

if sys.version_info >= (3, 11):
    import tomllib
else:
    tomllib = pytest.importorskip('tomli')

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = 'chainer_fast'


@pytest.fixture(scope='module')
def graph():
    return import_graph.read(ROOT / PACKAGE)


@pytest.fixture(scope='module')
def contract():
    """The layers, highest first, and what is excepted, as import-linter reads them."""
    project = tomllib.loads((ROOT / 'pyproject.toml').read_text(encoding='utf-8'))
    found, = [
        each for each in project['tool']['importlinter']['contracts']
        if each['name'] == 'Imports point downward']
    return found


def upward(graph, layers):
    """Return the imports of a higher layer, or of another room of the same one.

    The package itself stands above all of its rooms.
    """
    heights = {PACKAGE: (len(layers), '')}
    for below, layer in enumerate(layers, 1):
        for room in layer.split('|'):
            room = '%s.%s' % (PACKAGE, room.strip())
            heights[room] = len(layers) - below, room

    def place(module):
        while module not in heights and module != PACKAGE + '._help.command':
            module = module.rpartition('.')[0]
        return heights.get(module)

    for importer, imported in graph.items():
        own = place(importer)
        for module in imported:
            other = place(module)
            if own and other and own != other and own[0] <= other[0]:
                yield '%s -> %s' % (importer, module)


def test_circles_are_small(graph):
    assert len(graph) > 900
    largest = import_graph.circles(graph)[0]
    assert len(largest) <= 10, sorted(largest)


def test_imports_upward_are_few_and_listed(graph, contract):
    found = set(upward(graph, contract['layers']))
    assert found == set(contract['ignore_imports'])
    assert len(found) <= 2


@pytest.fixture
def made(tmp_path):
    """A package in which every module imports another in a way of its own."""
    package = tmp_path / 'made'
    package.mkdir()
    for name, text in {
            '__init__.py': '',
            'at_the_top.py': 'from made import inside',
            'inside.py': 'def call():\n    from . import by_name\n    return by_name',
            'by_name.py': "import importlib\nimportlib.import_module('made.compiled')",
            'compiled.pyx': 'include "part.pxi"',
            'part.pxi': 'from made.header cimport (\n    a,\n    b)\n',
            'header.pyx': 'import made.at_the_top',
            'for_checkers.py': (
                'import typing as tp\nif tp.TYPE_CHECKING:\n    import made.inside\n'
                'else:\n    import made.header')}.items():
        (package / name).write_text(text)
    return import_graph.read(package)


def test_every_way_of_an_import_is_seen(made):
    assert made == {
        'made': set(), 'made.at_the_top': {'made.inside'},
        'made.inside': {'made.by_name'}, 'made.by_name': {'made.compiled'},
        'made.compiled': {'made.header'}, 'made.header': {'made.at_the_top'},
        'made.for_checkers': {'made.header'}}


def test_a_circle_is_found(made):
    assert import_graph.circles(made) == [{
        'made.at_the_top', 'made.inside', 'made.by_name', 'made.compiled',
        'made.header'}]
    made['made.header'].clear()
    assert import_graph.circles(made) == []


def test_arrows_upward_are_told_from_those_downward():
    graph = {
        PACKAGE: {PACKAGE + '.high'}, PACKAGE + '.high': {PACKAGE + '.low'},
        PACKAGE + '.low': {PACKAGE}, PACKAGE + '.beside': {PACKAGE + '.low.part'},
        PACKAGE + '.low.part': {PACKAGE + '.low', PACKAGE + '.high'}}
    assert set(upward(graph, ['high', 'low | beside'])) == {
        'chainer_fast.low -> chainer_fast',
        'chainer_fast.beside -> chainer_fast.low.part',
        'chainer_fast.low.part -> chainer_fast.high'}
