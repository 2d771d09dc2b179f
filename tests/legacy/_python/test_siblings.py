"""Modules of a package that import those beside them as in Python 2."""
import sys

import pytest

from chainer_fast import legacy
from chainer_fast.legacy import _report

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
