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


def contract(name):
    """Return layers, highest first, and what is excepted, as import-linter reads them.
    """
    project = tomllib.loads((ROOT / 'pyproject.toml').read_text(encoding='utf-8'))
    found, = [
        each for each in project['tool']['importlinter']['contracts']
        if each['name'] == name]
    return found


def upward(graph, layers, package=PACKAGE):
    """Return the imports of a higher layer, or of another room of the same one.

    The package itself stands above all of its rooms. Modules in none of them are left
    to other contracts.
    """
    heights = {}
    for below, layer in enumerate(layers, 1):
        for room in layer.split('|'):
            room = '%s.%s' % (package, room.strip())
            heights[room] = len(layers) - below, room

    def place(module):
        if module == package:
            return len(layers), module
        while module and module not in heights:
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


def test_imports_upward_are_few_and_listed(graph):
    expected = contract('Imports point downward')
    found = set(upward(graph, expected['layers']))
    assert found == set(expected['ignore_imports'])
    assert len(found) <= 2


def test_rooms_of_the_engine_are_built_on_each_other(graph):
    expected = contract('Subpackages of the engine are layers')
    engine = {module: imported for module, imported in graph.items()
              if module.startswith(PACKAGE + '._core.')}
    assert len(engine) > 12
    assert not set(upward(engine, expected['layers'], PACKAGE + '._core'))


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
