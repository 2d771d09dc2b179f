"""Files of the project that repeat a fact agree with the place that it comes from."""
import re
import shlex
import sys
from pathlib import Path

import pytest
import yaml

if sys.version_info >= (3, 11):
    import tomllib
else:
    tomllib = pytest.importorskip('tomli')

ROOT = Path(__file__).resolve().parents[2]


def read(name):
    return (ROOT / name).read_text(encoding='utf-8')


def load(name):
    return yaml.safe_load(read(name))


@pytest.fixture(scope='module')
def project():
    return tomllib.loads(read('pyproject.toml'))


@pytest.fixture(scope='module')
def pythons(project):
    """Return the versions of Python that the classifiers name."""
    classifiers = ' '.join(project['project']['classifiers'])
    return re.findall(r'Python :: (3\.\d+)', classifiers)


@pytest.mark.parametrize('name', ['README.md', 'docs/versions.md'])
def test_versions_of_python_in_prose(name, pythons):
    ranges = re.findall(r'(3\.\d+)\s+to\s+(3\.\d+)', read(name))
    assert ranges == [(pythons[0], pythons[-1])]


def test_versions_of_python_elsewhere(project, pythons):
    assert project['project']['requires-python'] == '>=' + pythons[0]
    assert project['tool']['cibuildwheel']['build'] == [
        'cp%s-*' % each.replace('.', '') for each in pythons]
    job = load('.github/workflows/test.yml')['jobs']['test']
    assert job['strategy']['matrix']['python'] == pythons


def test_images_have_a_supported_python(pythons):
    for name in ('docker/Dockerfile', 'docker/Dockerfile.cuda'):
        found = re.findall(r'^FROM python:(3\.\d+)-', read(name), re.MULTILINE)
        assert len(found) == 2 and set(found) <= set(pythons)


def test_images_install_extras_that_there_are(project):
    extras = project['project']['optional-dependencies']
    for name in ('docker/Dockerfile', 'docker/Dockerfile.cuda'):
        (wanted,) = re.findall(r'whl\)\[(.*?)\]', read(name))
        assert set(wanted.split(',')) <= extras.keys()
        assert read(name + '.dockerignore') == read('docker/Dockerfile.dockerignore')


def test_images_are_built_of_what_there_is():
    kept = re.findall('^!(.*)', read('docker/Dockerfile.dockerignore'), re.MULTILINE)
    assert all((ROOT / each).exists() for each in kept)


def test_hooks_of_git_are_the_linters():
    lint = read('Makefile').split('\nlint:')[1].split('\n\n')[0]
    (source,) = load('.pre-commit-config.yaml')['repos']
    tools = {Path(word).name for hook in source['hooks']
             for word in shlex.split(hook['entry']) if word.startswith('.venv/')}
    assert len(tools) == 4
    assert all(tool in lint for tool in tools)
    assert source['hooks'][-1]['entry'] == 'make lint'


@pytest.mark.parametrize('name', ['bug', 'difference'])
def test_forms_ask_the_doctor(name):
    form = load('.github/ISSUE_TEMPLATE/%s.yml' % name)
    assert form['name'] and form['description']
    fields = {field['id']: field for field in form['body'] if 'id' in field}
    assert '--doctor' in fields['doctor']['attributes']['label']
    assert fields['doctor']['validations'] == {'required': True}
    for field in fields.values():
        assert field['type'] in ('input', 'textarea')
        assert field['attributes']['label']


def test_citation_agrees(project):
    citation = load('CITATION.cff')
    assert citation['license'] == project['project']['license']
    assert citation['title'].startswith('chainer_fast:')
    assert 'version' not in citation     # pyproject.toml is its one place


@pytest.mark.parametrize('name', ['README.md', 'SECURITY.md', 'CONTRIBUTING.md'])
def test_links_to_files(name):
    links = re.findall(r'\]\((?!https?:)([^)#]+)', read(name))
    assert links and all((ROOT / link).exists() for link in links)


def test_few_compiled_modules():
    """Each costs the build more than most of what is in it: families are one module."""
    modules = list((ROOT / 'chainer_fast').rglob('*.pyx'))
    assert 20 < len(modules) <= 30
