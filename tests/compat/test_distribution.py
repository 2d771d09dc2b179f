"""The distribution that installs the names chainer, chainermn, ..."""
import email
import filecmp
import os
import re
import shutil
import subprocess
import sys
import zipfile

import packaging.requirements
import packaging.version
import pytest

import chainer_fast
from tests.compat import processes

NAMES = 'chainer', 'chainermn', 'chainerx', 'onnx_chainer'


@pytest.fixture(scope='module')
def installed(tmp_path_factory):
    """Folder with what a wheel of the distribution holds."""
    work = tmp_path_factory.mktemp('compat')
    (work / 'chainer_fast').symlink_to(os.path.dirname(chainer_fast.__file__))
    (work / 'compat').mkdir()
    for name in ('pyproject.toml', 'setup.py', *NAMES):
        source = os.path.join(processes.COMPAT, name)
        copy = shutil.copytree if os.path.isdir(source) else shutil.copy
        copy(source, work / 'compat' / name)
    subprocess.run(
        [sys.executable, '-m', 'pip', 'wheel', '--quiet', '--no-deps', '--no-index',
         '--no-build-isolation', '--wheel-dir', work / 'wheels', work / 'compat'],
        check=True)
    wheel, = (work / 'wheels').iterdir()
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(work / 'site')
    return work / 'site'


@pytest.fixture(scope='module')
def metadata(installed):
    path, = installed.glob('chainer-*.dist-info/METADATA')
    return email.message_from_string(path.read_text())


@pytest.mark.parametrize('requirement, satisfied', [
    ('chainer', True), ('chainer>=7.8.1,<8', True), ('chainer>=5', True),
    ('chainer==7.8.1', True), ('chainer~=7.0', True), ('chainer>=8', False)])
def test_satisfies_packages_that_need_chainer(metadata, requirement, satisfied):
    requirement = packaging.requirements.Requirement(requirement)
    assert metadata['Name'] == requirement.name
    assert requirement.specifier.contains(metadata['Version']) is satisfied


def test_version(metadata):
    version = packaging.version.Version(metadata['Version'])
    assert version.public == chainer_fast.__version__
    assert version.local


def test_needs_only_chainer_fast(metadata):
    assert metadata.get_all('Requires-Dist') == ['chainer-fast']


def test_pip_finds_the_requirement_satisfied(installed, tmp_path):
    (tmp_path / 'pyproject.toml').write_text('''
[project]
name = "legacy"
version = "1"
dependencies = ["chainer>=7.8.1,<8"]
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"
[tool.setuptools]
packages = []
''')
    # The package may be on the path without being installed.
    package = tmp_path / 'site' / 'chainer_fast-1.dist-info'
    package.mkdir(parents=True)
    (package / 'METADATA').write_text(
        'Metadata-Version: 2.1\nName: chainer-fast\nVersion: 1\n')
    told = processes.run(
        '-m', 'pip', 'install', '--dry-run', '--no-index', '--no-build-isolation',
        tmp_path, path=[installed, package.parent])
    assert re.search(r'Requirement already satisfied: chainer<8,>=7\.8\.1', told)


@pytest.mark.parametrize('statement', [
    'import chainer', 'import chainer.links', 'import chainerx, chainer',
    'import chainermn', 'import onnx_chainer, chainer', 'import chainer, chainermn',
    'from chainer.functions.activation import relu', 'from chainer import Variable'])
def test_names_lead_here(installed, statement):
    printed = processes.run('-W', 'error', '-c', statement + '''
import importlib.metadata
import chainer, chainer_fast, chainerx
assert chainer is chainer_fast
assert chainer.links is chainer_fast.links
assert chainerx is chainer_fast.chainerx and chainerx.is_available()
import chainermn, onnx_chainer
assert chainermn is chainer_fast.mn and onnx_chainer is chainer_fast.onnx
print(importlib.metadata.version('chainer'), chainer.__version__)
''', path=[installed])
    assert printed.startswith('7.8.1+')
    assert printed.endswith(' 7.8.1\n')


def test_every_module_is_there_for_type_checkers(installed):
    package = os.path.dirname(chainer_fast.__file__)
    for path in ('', 'functions', 'functions/activation/relu.py', 'link', 'links/caffe',
                 'training/extensions', 'serializers/npz.py', 'types.py'):
        assert os.path.exists(os.path.join(package, path)), path
        assert (installed / 'chainer' / path).exists(), path
    for name in NAMES:
        assert (installed / name / 'py.typed').exists()
        assert '_' not in {file.name[0] for file in (installed / name).rglob('*.py')
                           if file.name != '__init__.py'}
    assert (installed / 'chainermn' / 'communicators' / '__init__.py').read_text() == (
        'from chainer_fast.mn.communicators import *\n')


def test_what_type_checkers_read_is_never_imported(installed):
    printed = processes.run('-c', '''
import sys
import chainer.functions.activation.relu, chainermn.communicators, chainerx.linalg
import chainer.training.extensions as extensions, onnx_chainer.export, pkgutil
list(pkgutil.iter_modules(sys.modules['chainer'].__path__))
for name, module in sys.modules.items():
    if name.split('.')[0] in ('chainer', 'chainermn', 'chainerx', 'onnx_chainer'):
        print(module.__file__)
''', path=[installed]).split()
    assert len(printed) > 100
    assert not [path for path in printed if path.startswith(str(installed))]


def test_shim_without_installation_is_the_same():
    shim = os.path.join(os.path.dirname(chainer_fast.__file__), 'alias', 'shim')
    for name in NAMES:
        path = os.path.join(name, '__init__.py')
        assert filecmp.cmp(os.path.join(processes.COMPAT, path),
                           os.path.join(shim, path), shallow=False)
