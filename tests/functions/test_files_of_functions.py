"""An elementwise function is told in few files, however many call it."""
import re
from pathlib import Path

import pytest

from chainer_fast._core.graphs import graph
from tests._core import shortcut_cases

PACKAGE = Path(__file__).resolve().parents[2] / 'chainer_fast'
SUFFIXES = {'.py', '.pyx', '.pxi', '.pxd', '.hpp', '.cc'}
#: Docstrings, and comments of Python and of C++.
WORDS_FOR_PEOPLE = re.compile(
    r'^\s*r?"""[\s\S]*?"""$|#(?! *(?:include|define)\b).*$|/\*[\s\S]*?\*/|//.*$',
    re.M)
#: Where functions are made of others: these are named by whoever calls them.
USERS = ('distributions', 'exporters', 'functions/activation/mish.py', 'functions/loss',
         'functions/rnn', 'links')
#: Functions that other functions, links and file formats know as building blocks.
BLOCKS = {'relu', 'sigmoid', 'tanh'}
#: What makes a function, from its formula to its name.
ENGINE = (
    '_core', '_cpu', 'backends/kernels/activation', 'backends/kernels/common',
    'backends/kernels/declared', 'functions/__init__.py',
    'functions/activation', 'graph_optimizations')
#: Activations that are declared by a record.
ACTIVATIONS = {
    cls.__module__.rpartition('.')[2]: cls.__name__
    for cls in shortcut_cases.ELEMENTWISE
    if cls.__module__.startswith('chainer_fast.functions.activation.')}


@pytest.fixture(scope='module')
def code():
    """The code of each file, without what people read."""
    return {
        path.relative_to(PACKAGE).as_posix(): WORDS_FOR_PEOPLE.sub(
            '', path.read_text(encoding='utf-8'))
        for path in PACKAGE.rglob('*') if path.suffix in SUFFIXES}


def is_in(path, rooms):
    return any(path == room or path.startswith(room + '/') for room in rooms)


def files_that_know(code, function, cls):
    """Return the files that name a function or its class, and more than call it."""
    names = re.compile(r'\b(?:%s|%s)\b' % (function, cls), re.I)
    calls = re.compile(
        r'\b(?:F|functions|%s)\.%s\(|\b%s::\w+' % (function, function, cls))
    return {path for path, text in code.items() if names.search(calls.sub('', text))}


def test_functions_are_found(code):
    assert {'elu', 'hard_sigmoid', 'relu', 'softplus'} <= ACTIVATIONS.keys()
    assert all(function in code['functions/__init__.py'] for function in ACTIVATIONS)
    assert {'functions/activation/elu.py', 'backends/kernels/activation/elements.hpp'
            } <= files_that_know(code, 'elu', 'ELU')


@pytest.mark.parametrize('function', sorted(ACTIVATIONS.keys() - BLOCKS))
def test_few_files_know_a_function(code, function):
    found = files_that_know(code, function, ACTIVATIONS[function])
    found = {path for path in found if not is_in(path, USERS)}
    assert len(found) <= 9, sorted(found)


# NumPy and CUDA have a function of this name.
@pytest.mark.parametrize('function', sorted(ACTIVATIONS.keys() - {'tanh'}))
def test_few_files_make_a_function(code, function):
    found = {path for path in files_that_know(code, function, ACTIVATIONS[function])
             if is_in(path, ENGINE)}
    assert len(found) <= 9, sorted(found)


def test_loops_are_told_beside_the_element():
    """No other file lists the elements that have loops."""
    for name, cls in ACTIVATIONS.items():
        record, _ = graph.registered(next(
            each for each in shortcut_cases.ELEMENTWISE if each.__name__ == cls
            and each.__module__.endswith('.' + name)))
        element = record.loop.name.partition('::')[0]
        text = (PACKAGE / 'backends/kernels/activation/elements.hpp').read_text()
        assert re.search(r'CF_LOOPS?\w*\(%s\b' % element, text), element
