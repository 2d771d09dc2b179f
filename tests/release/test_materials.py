"""Checks of what a release is made of."""
import json
import re
import types
import zipfile
from pathlib import Path

import materials
import pytest

ROOT = Path(__file__).resolve().parents[2]
LOCKS = Path(__file__).with_name('locks')


def wheel(folder, components, libraries=('libgomp-f9a9ad78.so.1.0.0',)):
    path = folder / 'chainer_fast-0.1.0-cp311-cp311-manylinux_2_28_x86_64.whl'
    with zipfile.ZipFile(path, 'w') as archive:
        for name in libraries:
            archive.writestr('chainer_fast.libs/' + name, b'')
        if components is not None:
            archive.writestr(
                'chainer_fast-0.1.0.dist-info/sboms/auditwheel.cdx.json',
                json.dumps({'bomFormat': 'CycloneDX', 'components': components}))
    return path


SELF = {'name': 'chainer_fast', 'version': '0.1.0',
        'purl': 'pkg:pypi/chainer_fast@0.1.0'}
GOMP = {'name': 'libgomp', 'version': '8.5.0-28.el8',
        'purl': 'pkg:rpm/almalinux/libgomp@8.5.0-28.el8'}


def test_carried_libraries_are_listed(tmp_path):
    path = wheel(tmp_path, [SELF, GOMP])
    assert materials.check_carried(path) == ['libgomp 8.5.0-28.el8']


@pytest.mark.parametrize('components', [None, [], [SELF]])
def test_carried_libraries_that_are_not_listed(tmp_path, components):
    with pytest.raises(SystemExit, match='manylinux.*carries libgomp'):
        materials.check_carried(wheel(tmp_path, components))


def test_nothing_carried(tmp_path):
    assert materials.check_carried(wheel(tmp_path, None, ())) == []


@pytest.mark.parametrize('wanted, error', [
    ({'chainer-fast', 'numpy'}, None), ({'chainer-fast', 'scipy'}, 'lacks scipy')])
def test_bill(tmp_path, wanted, error):
    path = tmp_path / 'sbom' / 'x.cdx.json'

    def run(program, kind, *options, SOURCE_DATE_EPOCH):
        assert (program, kind, options[-1]) == ('cyclonedx-py', 'environment', 'python')
        assert '--output-reproducible' in options
        path.write_text(json.dumps({'components': [
            {'name': 'chainer_fast'}, {'name': 'numpy'}]}))

    arguments = (types.SimpleNamespace(run=run), types.SimpleNamespace(python='python'),
                 path, wanted)
    if error is None:
        materials.write_bill(*arguments, SOURCE_DATE_EPOCH='1')
    else:
        with pytest.raises(SystemExit, match=error):
            materials.write_bill(*arguments, SOURCE_DATE_EPOCH='1')


def test_actions_are_pinned():
    """To commits: a tag can be moved."""
    workflows = sorted((ROOT / '.github' / 'workflows').glob('*.yml'))
    if not workflows:
        pytest.skip('no workflows in a source distribution')
    for path in workflows:
        used = re.findall(r'uses: *(.*)', path.read_text())
        assert used
        for action in used:
            assert re.fullmatch(
                r'[\w./-]+@[0-9a-f]{40}  # v\d+(\.\d+)+', action), action


@pytest.mark.parametrize('name', ['build', 'tools'])
def test_locks_have_versions_and_checksums(name):
    text = re.sub(r'\\\n', ' ', (LOCKS / (name + '.txt')).read_text())
    lines = [line for line in text.split('\n') if line and not line.startswith('#')]
    assert lines
    for line in lines:
        assert re.match(r'[\w.-]+==[\w.]+ ', line), line
        assert re.search(r' --hash=sha256:[0-9a-f]{64}', line), line


@pytest.mark.parametrize('name', ['build', 'constraints'])
def test_locks_serve_every_python(name):
    """What is locked admits what the project asks for, on every Python."""
    from packaging.markers import Marker
    from packaging.requirements import Requirement
    locked = re.findall(r'^([\w.-]+)==([\w.]+)(?: *; *([^\\\n]*))?',
                        (LOCKS / (name + '.txt')).read_text(), re.M)
    text = (LOCKS / 'build.in').read_text()
    for minor in range(10, 15):
        environment = {'python_version': '3.%d' % minor,
                       'python_full_version': '3.%d.2' % minor, 'extra': ''}
        versions = {package: version for package, version, marker in locked
                    if not marker or Marker(marker).evaluate(environment)}
        for line in text.split():
            wanted = Requirement(line)
            assert wanted.specifier.contains(versions[wanted.name.lower()]), line
