"""Modules of a package that import those beside them as in Python 2."""
import ast
import sys

import pytest

from chainer_fast import legacy
from chainer_fast.legacy import _report
from chainer_fast.legacy._python import siblings, sources
from tests.compat import processes

FILES = {
    '__init__.py': 'import first, second.inner\nfrom first import NAME as name\n',
    'first.py': 'import token\nNAME = "first of package"\n',
    'second/__init__.py': '',
    'second/inner.py': 'import deepest\nfrom deepest import NAME\n',
    'second/deepest.py': 'NAME = "deepest"\n',
    'html.py': 'NAME = "html of package"\n',
    'old.py': 'import html\n',
    'new.py': 'from __future__ import absolute_import\nimport html\n',
    'old_package.py': 'NAME = "of the module named as the package"\n',
    'user.py': 'from old_package import NAME\n',
    'other_user.py': 'from old_package import first\n',
}


@pytest.fixture
def package(tmp_path, monkeypatch):
    folder = tmp_path / 'old_package'
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    yield folder
    for name in [name for name in sys.modules if name.startswith('old_package')]:
        del sys.modules[name]


@pytest.fixture(params=['python', 'python3'])
def python(request):
    legacy.enable(request.param)
    yield request.param
    legacy.disable()


def test_modules_beside_are_found(package, python):
    import old_package
    assert old_package.name == 'first of package'
    assert old_package.second.inner.NAME == 'deepest'
    assert old_package.first.__name__ == 'old_package.first'
    assert not {'first', 'second', 'deepest'} & sys.modules.keys()
    places = _report.uses()['import of a module beside it in the package']
    assert places == {(str(package / '__init__.py'), 1): 1,
                      (str(package / '__init__.py'), 2): 1,
                      (str(package / 'second' / 'inner.py'), 1): 1,
                      (str(package / 'second' / 'inner.py'), 2): 1}


def test_other_modules_are_not_looked_for_there(package, python):
    (package / '__init__.py').write_text('import nowhere_at_all\n')
    with pytest.raises(ModuleNotFoundError, match='nowhere_at_all'):
        import old_package  # noqa: F401


def test_a_folder_that_is_no_package_has_no_siblings(package, python):
    (package / 'second' / '__init__.py').unlink()
    (package / '__init__.py').write_text('')
    with pytest.raises(ModuleNotFoundError, match='deepest'):
        import old_package.second.inner  # noqa: F401


def test_modules_beside_come_first_in_python_2(package, python):
    import old_package.new
    import old_package.old
    assert hasattr(old_package.old.html, 'NAME') == (python == 'python')
    assert not hasattr(old_package.new.html, 'NAME')


def test_a_module_named_as_its_package(package, python):
    import old_package.user
    assert old_package.user.NAME == 'of the module named as the package'
    places = _report.uses()['import of a module beside it in the package']
    assert places[str(package / 'user.py'), 1] == 1


def test_the_package_comes_before_a_module_of_its_name(package):
    legacy.enable()
    try:
        import old_package.other_user
        assert old_package.other_user.first.NAME == 'first of package'
        places = _report.uses()['import of a module beside it in the package']
        assert (str(package / 'other_user.py'), 1) not in places
    finally:
        legacy.disable()


def test_a_module_of_its_own_in_the_folder_of_a_package(package, python, monkeypatch):
    """A program puts the folder of a package on the path, and imports modules alone."""
    monkeypatch.syspath_prepend(package / 'second')
    try:
        import inner
        assert inner.NAME == 'deepest' and inner.deepest is sys.modules['deepest']
    finally:
        for name in 'inner', 'deepest':
            sys.modules.pop(name, None)
    assert siblings.WHAT not in _report.uses()


@pytest.mark.parametrize('parts', ['python', 'python3'])
@pytest.mark.parametrize('syntax', ['print(NAME)', 'print NAME'])
def test_a_script_in_the_folder_of_a_package(package, parts, syntax):
    script = package / 'second' / 'script.py'
    script.write_text('import inner\nfrom deepest import NAME\n' + syntax + '\n')
    done = processes.start('-m', 'chainer_fast', '--legacy=' + parts, script)
    assert done.returncode == 0, done.stderr
    assert done.stdout == 'deepest\n'
    assert 'beside' not in done.stderr


def test_one_file_in_a_package_and_of_its_own(package, monkeypatch):
    """What is kept of a module in compiled form serves one of the two."""
    monkeypatch.delenv('PYTHONDONTWRITEBYTECODE', raising=False)
    script = package.parent / 'main.py'
    for _ in range(2):
        for folder, name in (package.parent, 'old_package.second.inner'), (
                package / 'second', 'inner'):
            script.write_text(
                'import sys\nsys.path.insert(0, %r)\nimport %s as inner\n'
                'print(inner.deepest.__name__)\n' % (str(folder), name))
            done = processes.start('-m', 'chainer_fast', '--legacy=python', script)
            assert done.returncode == 0, done.stderr
            assert done.stdout == name.replace('inner', 'deepest') + '\n'


def test_a_file_that_is_executed_is_part_of_what_executes_it(package, monkeypatch):
    (package / 'body.py').write_text('from first import NAME\n')
    (package / 'executing.py').write_text(
        'import os\n'
        'execfile(os.path.join(os.path.dirname(__file__), "body.py"))\n')
    legacy.enable('python')
    try:
        import old_package.executing
        assert old_package.executing.NAME == 'first of package'
        assert 'first' not in sys.modules
        monkeypatch.syspath_prepend(package)
        import executing
        assert executing.NAME == 'first of package'
        assert sys.modules['first'].__name__ == 'first'
    finally:
        legacy.disable()
        for name in 'executing', 'first':
            sys.modules.pop(name, None)


def test_cells_are_not_part_of_the_package_they_run_in(package, monkeypatch):
    monkeypatch.chdir(package)
    legacy.enable('python')
    try:
        tree = sources.rewrite(ast.parse('import first'))
        assert ast.unparse(tree.body[-1]) == 'import first'
    finally:
        legacy.disable()
