"""Check of a release: sources, wheels and what they do where they are installed.

Of the latest commit, it makes the source distribution and, from that, a wheel for each
Python; makes them again in another place, where they have to be equal, byte for byte;
and installs the wheels in environments that have no compiler. What was made lies in
``build/release/dist``.
"""
import argparse
import collections
import hashlib
import os
import re
import shutil
import sys
import tarfile
import zipfile
from pathlib import Path

from machine import NO_COMPILER, Environment, find_python, run, say, version_of
from materials import check_carried, write_bill

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / 'build' / 'release'
SMOKE = Path(__file__).with_name('smoke.py')
LARGEST = 12e6      # bytes of a wheel
# The oldest admitted versions that have wheels for a Python.
OLDEST = {
    '3.10': ['numpy==1.26.0', 'scipy==1.11.1'],
    '3.11': ['numpy==1.26.0', 'scipy==1.11.1'],
    '3.12': ['numpy==1.26.0', 'scipy==1.11.2'],
    '3.13': ['numpy==2.1.0', 'scipy==1.14.1'],
    '3.14': ['numpy==2.3.2', 'scipy==1.16.1'],
}
# What the check itself uses, and what builds: versions with checksums, by `make locks`.
TOOLS = Path(__file__).with_name('locks') / 'tools.txt'
BUILD = TOOLS.with_name('build.txt')
# Files of the repository that no source distribution has.
OURS_ALONE = re.compile(
    r'\.ci/|\.github/|\.gitignore$|\.pre-commit-config\.yaml$')
GENERATED = re.compile(r'PKG-INFO$|setup\.cfg$|chainer_fast\.egg-info/')

Row = collections.namedtuple('Row', 'what policy size equal smoke')


def check_version():
    """Return the version, if all places agree on it."""
    version = re.search(r'^version = "(.*)"$', text_of('pyproject.toml'), re.M)[1]
    heading = re.search(r'^## \[?([^\]\s]+)', text_of('CHANGELOG.md'), re.M)[1]
    tags = [tag for tag in git('tag', '--points-at', 'HEAD').split()
            if tag.startswith('v')]
    if tags not in ([], ['v' + version]):
        sys.exit('The tag is %s, and the version in pyproject.toml %s: mend one of '
                 'them.' % (' '.join(tags), version))
    if heading != version and (tags or heading != 'Unreleased'):
        sys.exit('CHANGELOG.md begins with %s: the heading of a release is its '
                 'version, %s.' % (heading, version))
    say('version %s, %s' % (version, 'tagged' if tags else 'not tagged'))
    return version


def text_of(name):
    """Return the text of a file of the repository."""
    return (ROOT / name).read_text(encoding='utf-8')


def git(*arguments, cwd=ROOT):
    """Return what git prints."""
    return run(['git', *arguments], cwd=cwd)


def digest(path):
    """Return a checksum of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def one(folder, pattern):
    """Return the only file of a folder that has such a name."""
    path, = folder.glob(pattern)
    return path


class Place:
    """A folder to build in; each has paths of its own.

    Parameters
    ----------
    folder : Path
        The folder, made anew.
    tools : Environment
        What builds.
    """

    def __init__(self, folder, tools):
        shutil.rmtree(folder, ignore_errors=True)
        self.sources, self.made, self._temporary = (
            folder / name for name in ('sources', 'made', 'tmp'))
        self._temporary.mkdir(parents=True)
        git('clone', '--quiet', '--no-hardlinks', ROOT, self.sources)
        self._tools = tools
        self._environ = {
            'SOURCE_DATE_EPOCH': git('log', '-1', '--format=%ct').strip(),
            'TMPDIR': str(self._temporary),
            'PATH': os.pathsep.join([str(tools.bin), os.environ['PATH']]),
            # In the environments that pip makes to build in.
            'PIP_BUILD_CONSTRAINT': str(BUILD)}

    def source_distribution(self):
        """Make it, and return its path."""
        self._tools.run('python', '-m', 'build', '--sdist', '--outdir', self.made,
                        self.sources, PIP_CONSTRAINT=str(BUILD), **self._environ)
        return one(self.made, '*.tar.gz')

    def wheel(self, sources, python, name):
        """Build a wheel, and return its path.

        Parameters
        ----------
        sources : Path
            Source distribution, or a folder.
        python : str
            The Python that it is for.
        name : str
            Of a folder for it.
        """
        folder = self.made / name
        self._tools.run('python', '-m', 'pip', '--python', python, 'wheel', '--no-deps',
                        '--wheel-dir', folder / 'built', sources, **self._environ)
        wheel = one(folder / 'built', '*.whl')
        if not wheel.stem.endswith('-linux_' + os.uname().machine):
            return wheel
        # With a copy of libgomp; the reason is in pyproject.toml, at cibuildwheel.
        self._tools.run('auditwheel', 'repair', '--wheel-dir', folder, wheel,
                        **self._environ)
        return one(folder, '*.whl')


def check_files(what, found, wanted):
    """End the check if there are not exactly the files that there have to be."""
    wrong = ['missing: ' + name for name in sorted(wanted - found)]
    wrong += ['unwanted: ' + name for name in sorted(found - wanted)]
    if wrong:
        sys.exit('%s: see MANIFEST.in, and package-data in pyproject.toml\n%s' % (
            what, '\n'.join(wrong)))


def check_sources(path, tracked):
    """Check what a source distribution holds."""
    with tarfile.open(path) as archive:
        found = {name.partition('/')[2] for name in archive.getnames()}
    check_files(path.name, {name for name in found if not GENERATED.match(name)},
                {name for name in tracked if not OURS_ALONE.match(name)})


def check_wheel(path, tracked):
    """Check what a wheel holds, and its size."""
    with zipfile.ZipFile(path) as archive:
        found = {name for name in archive.namelist() if not name.endswith('/')}
    of_package = {name for name in tracked if name.startswith('chainer_fast/')}
    modules = {re.sub(r'\..*', '', name) for name in found
               if re.search(r'\.(so|pyd)$', name) and name.startswith('chainer_fast/')}
    check_files(path.name, modules,
                {name[:-4] for name in of_package if name.endswith('.pyx')})
    check_files(path.name, {
        name for name in found if not re.search(r'\.(so|pyd)$', name)
        and '.dist-info/' not in name and not name.startswith('chainer_fast.libs/')},
        of_package)
    size = path.stat().st_size
    if size > LARGEST:
        sys.exit('%s has %.1f MB: %.0f are admitted' % (
            path.name, size / 1e6, LARGEST / 1e6))
    carried = check_carried(path)
    if carried:
        say('with a copy of %s, which it lists' % ', '.join(carried))
    return '%.1f MB' % (size / 1e6)


def try_out(wheel, compat, python, version, installer):
    """Install a wheel as others would, and run what a release has to do.

    Return which versions of NumPy it did that with. What was installed with the newest
    is written to ``build/release/sbom``.
    """
    tried = []
    for name, pinned in ('oldest', OLDEST.get(version, [])), ('newest', []):
        if name == 'oldest' and not pinned:
            continue
        environment = Environment(WORK / 'env' / version / name, python, installer)
        environ = {**NO_COMPILER, 'PATH': str(environment.bin),
                   'OPENBLAS_NUM_THREADS': '1'}
        environment.install(wheel, *pinned, **environ)
        say(environment.run('python', SMOKE, **environ).strip())
        tried.append(environment.version('numpy'))
    write_bill(installer, environment, WORK / 'sbom' / (wheel.stem + '.cdx.json'),
               {'chainer-fast', 'numpy', 'scipy'},
               SOURCE_DATE_EPOCH=git('log', '-1', '--format=%ct').strip())
    environment.install('--no-index', compat, **environ)
    options = ['--chainer']
    if sys.platform == 'linux' and os.uname().machine == 'x86_64':
        environment.install('%s[onednn]' % wheel, **environ)
        options.append('--onednn')
    say(environment.run('python', SMOKE, *options, **environ).strip())
    return 'NumPy %s, %s' % (', '.join(tried), ' '.join(options))


def parse_args():
    supported = re.findall(r'Python :: (3\.\d+)"', text_of('pyproject.toml'))
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        '--pythons', nargs='+', metavar='PYTHON', default=supported,
        help='versions such as 3.12, looked for in the PATH and among those of pyenv, '
             'or paths; by default %s, as far as they are there' % ' '.join(supported))
    parser.add_argument(
        '--all-twice', action='store_true',
        help='build every wheel twice, to compare; by default that of the last Python')
    return parser.parse_args()


def main():
    args = parse_args()
    version = check_version()
    pythons = {}
    for wanted in args.pythons:
        path = find_python(wanted)
        if path:
            pythons[version_of(path)] = path
        else:
            say('no Python %s with headers: its wheel is left out' % wanted)
    if not pythons:
        sys.exit('There is no Python to build for: give some with --pythons.')
    if git('status', '--porcelain'):
        say('there are changes that are not committed: they are left out')
    tracked = set(git('ls-files').split('\n')) - {''}
    released = WORK / 'dist'
    shutil.rmtree(released, ignore_errors=True)
    released.mkdir(parents=True)

    say('tools')
    tools = Environment(WORK / 'tools', sys.executable)
    tools.install('--require-hashes', '--requirement', TOOLS)
    workflows = sorted((ROOT / '.github' / 'workflows').glob('*.yml'))
    if workflows:
        tools.run('check-jsonschema', '--builtin-schema', 'vendor.github-workflows',
                  *workflows)
    first = Place(WORK / 'first', tools)
    second = Place(WORK / 'in' / 'another' / 'folder', tools)

    say('source distribution')
    sources = first.source_distribution()
    check_sources(sources, tracked)
    rows = [Row(sources.name, '', '%.1f MB' % (sources.stat().st_size / 1e6),
                compare(sources, second.source_distribution()), '')]
    shutil.copy2(sources, released)
    compat = first.wheel(first.sources / 'compat', sys.executable, 'compat')

    for name, python in pythons.items():
        say('wheel for Python %s, %s' % (name, python))
        wheel = first.wheel(sources, python, name)
        size = check_wheel(wheel, tracked)
        equal = ''
        if args.all_twice or name == list(pythons)[-1]:
            say('once more, in another folder')
            equal = compare(wheel, second.wheel(sources, python, name))
        shutil.copy2(wheel, released)
        smoke = try_out(wheel, compat, python, name, tools)
        rows.append(Row(wheel.name, wheel.stem.split('-')[-1], size, equal, smoke))
    tools.run('twine', 'check', '--strict', *released.iterdir())
    print_table(version, rows)


def compare(path, other):
    """Return 'yes' if two files are equal, or end the check."""
    if digest(path) != digest(other):
        sys.exit('Two builds differ: diffoscope %s %s tells where.' % (path, other))
    return 'yes'


def print_table(version, rows):
    """Print what was made."""
    rows = [Row('what', 'policy', 'size', 'equal bytes', 'smoke'), *rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    print()
    for row in rows:
        print('  '.join(map(str.ljust, row, widths)).rstrip())
    print('\nchainer_fast %s can be released: %s' % (version, WORK / 'dist'))


if __name__ == '__main__':
    main()
