"""Docstrings: their examples run, and those of functions and links have all sections.

An example finds the names ``np``, ``chainer``, ``F`` and ``L`` and imports what else it
needs. NumPy prints four digits, random numbers are those of seed 0, and files are
written in an empty folder.
"""
import doctest
import importlib
import inspect
import pathlib
import pkgutil
import pydoc
import re

import numpy as np
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
import chainer_fast.links as L

PACKAGE = pathlib.Path(chainer.__file__).parent
EXAMPLE = re.compile(r'^ *>>> ', re.MULTILINE)


def modules_with_examples():
    for path in sorted(PACKAGE.rglob('*.py')):
        if EXAMPLE.search(path.read_text()):
            parts = path.relative_to(PACKAGE.parent).with_suffix('').parts
            yield '.'.join(parts).removesuffix('.__init__')


@pytest.mark.parametrize('name', list(modules_with_examples()))
def test_examples(name, tmp_path, monkeypatch, flags_restored):
    monkeypatch.chdir(tmp_path)
    module = importlib.import_module(name)
    names = {'np': np, 'chainer': chainer, 'F': F, 'L': L}
    tests = doctest.DocTestFinder(exclude_empty=True).find(module, globs=names)
    # doctest does not look into what a decorator of another module has made.
    assert sum(len(test.examples) for test in tests) == len(
        EXAMPLE.findall(inspect.getsource(module)))
    runner = doctest.DocTestRunner(verbose=False)
    failures: list[str] = []
    for test in tests:
        np.random.seed(0)
        with np.printoptions(precision=4, suppress=True):
            runner.run(test, out=failures.append)
    if failures:
        pytest.fail(''.join(failures), pytrace=False)


def sections(docstring):
    """Split a docstring in NumPy style; what precedes the first section is ''."""
    parts = re.split(r'^(\w[\w ]*)\n-+$', docstring, flags=re.MULTILINE)
    return dict(zip(['', *parts[1::2]], parts[::2], strict=True))


def documented_names(section):
    return [
        name.lstrip('*')
        for names in re.findall(r'^(\S.*?)(?: :|$)', section, re.MULTILINE)
        for name in names.split(', ')]


def check_sections(obj, returns=True):
    """Check that a docstring has its sections, and that they name what there is.

    Parameters
    ----------
    obj : function or class
        What is documented. In place of ``**kwargs`` stands what they may be, if
        anything.
    returns : bool
        Whether there is a section of what is returned.
    """
    found = sections(inspect.getdoc(obj))
    named = documented_names(found.get('Parameters', ''))
    names = list(inspect.signature(obj).parameters)
    if names[-1:] == ['kwargs']:
        del names[-1], named[len(names):]
    assert named == names
    assert ('Returns' in found) == returns
    assert re.search('>>> |::$', found.get('Examples', ''), re.MULTILINE)
    for name in documented_names(found.get('See Also', '')):
        assert pydoc.locate(name) is not None, name
    for name in documented_names(found.get('Raises', '')):
        assert issubclass(pydoc.locate(name), Exception), name


def public(module):
    """What can be called in a public module, each object once, with a name of it."""
    return {
        obj: name for name, obj in reversed(vars(module).items())
        if not name.startswith('_') and callable(obj)}


@pytest.mark.parametrize(
    'function', [pytest.param(f, id=name) for f, name in public(F).items()])
def test_sections_of_functions(function):
    check_sections(function)


@pytest.mark.parametrize('link', [
    pytest.param(cls, id=name) for cls, name in public(L).items()])
def test_sections_of_links(link):
    check_sections(link, returns=False)
    call = sections(inspect.getdoc(link.forward))
    assert {'Parameters', 'Returns'} <= call.keys()
    for name in documented_names(call.get('Raises', '')):
        assert issubclass(pydoc.locate(name), Exception), name


@pytest.mark.parametrize('modules', [
    'without CuPy', pytest.param('with CuPy', marks=pytest.mark.gpu)])
def test_no_constructor_has_a_docstring(modules):
    # Those of compiled classes are their signatures.
    found = []
    for info in pkgutil.walk_packages(chainer.__path__, 'chainer_fast.'):
        try:
            module = importlib.import_module(info.name)
        except ImportError:
            continue
        for name, value in inspect.getmembers(module, inspect.isclass):
            own = getattr(vars(value).get('__init__'), '__doc__', None)
            if str(value.__module__).startswith('chainer_fast') and (
                    own not in (None, object.__init__.__doc__)):
                found.append(info.name + '.' + name)
    assert not found
