"""Run tests of the wheel for Windows under Wine, on Linux.

Python's library for Windows, and its own modules, are in panda3d's wheel for Windows,
which has them to deploy programs; modules written in Python are those of this Python.
A program of one line is ``python.exe``. The C library of Wine 8 lacks functions of
complex numbers: modules import functions of mathematics from a library that has them
all. protobuf and h5py need more of the C library than Wine 8 has.

Needs Wine (Debian: ``wine64``), and the wheel that ``make test-cross
SYSTEMS=windows`` builds.
"""
from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import lief
import numpy

HERE = Path(__file__).parent
lief.logging.disable()
VERSION = '%d%d' % sys.version_info[:2]
PACKAGES = ('numpy==' + numpy.__version__, 'scipy', 'pytest', 'colorama', 'hypothesis')
# The name of a library is replaced within modules by one of the same length.
MATHEMATICS = 'api-ms-win-crt-math-l1-1-0.dll'
COMPLETE = 'complete-math-for-modules0.dll'
PROGRAM = '''
#include <wchar.h>
__declspec(dllimport) int Py_Main(int, wchar_t **);
int wmain(int argc, wchar_t **argv) { return Py_Main(argc, argv); }
'''
COMPLEX = {
    'cabs', 'carg', 'catan', 'ccos', 'ccosh', 'cexp', 'cimag', 'clog', 'cpow', 'creal',
    'csin', 'csinh', 'csqrt', 'ctan', 'ctanh'}
# Names of functions of long doubles that the library has only for doubles.
DOUBLES = {'copysignl': '_copysign'}


def zig(*args: str | Path) -> None:
    """Run a tool of ziglang."""
    subprocess.run([sys.executable, '-m', 'ziglang', *map(str, args)], check=True)


def download(folder: Path, *packages: str) -> None:
    """Download wheels for Windows."""
    subprocess.run(
        [sys.executable, '-m', 'pip', '--quiet', 'download', '--only-binary', ':all:',
         '--platform', 'win_amd64', '--python-version', '%d.%d' % sys.version_info[:2],
         '--dest', str(folder), *packages], check=True)


def unpack_python(wheels: Path, root: Path) -> None:
    """Make a Python for Windows, without packages."""
    libraries = root / 'DLLs'
    libraries.mkdir(parents=True)
    wheel, = wheels.glob('panda3d-*.whl')
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            folder, _, file = name.rpartition('/')
            if folder == 'deploy_libs' and not file.startswith('api-ms-'):
                where = root if file.startswith(('python', 'VCRUNTIME')) else libraries
                (where / file).write_bytes(archive.read(name))
    shutil.copytree(
        sysconfig.get_path('stdlib'), root / 'Lib', ignore=shutil.ignore_patterns(
            'test', 'site-packages', 'lib-dynload', 'config-*', '__pycache__'))
    (root / 'Lib/site-packages').mkdir()
    (root / 'python.def').write_text(f'LIBRARY python{VERSION}.dll\nEXPORTS\nPy_Main\n')
    (root / 'python.c').write_text(PROGRAM)
    zig('dlltool', '-m', 'i386:x86-64', '-d', root / 'python.def',
        '-l', root / f'libpython{VERSION}.a')
    zig('cc', '-target', 'x86_64-windows-gnu', '-municode', root / 'python.c',
        f'-L{root}', f'-lpython{VERSION}', '-o', root / 'python.exe')


def install(wheels: list[Path], root: Path) -> None:
    """Unpack wheels, and let their modules import the complete library."""
    site = root / 'Lib/site-packages'
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(site)
    names = set()
    for module in [*site.rglob('*.pyd'), *site.rglob('*.dll')]:
        data = module.read_bytes()
        if MATHEMATICS.encode() in data:
            binary = lief.parse(module)     # its parts do not keep it alive
            names |= {entry.name for library in binary.imports
                      if library.name == MATHEMATICS for entry in library.entries}
            module.write_bytes(data.replace(MATHEMATICS.encode(), COMPLETE.encode()))
    definitions = root / 'complete.def'
    definitions.write_text(f'LIBRARY {COMPLETE}\nEXPORTS\n' + ''.join(
        f'  {name} = {_source(name)}\n' for name in sorted(names)))
    zig('cc', '-target', 'x86_64-windows-gnu', '-O1', '-fno-builtin', '-shared',
        HERE / 'windows/complex.c', definitions, '-o', root / COMPLETE)


def _source(name):
    """Return where a function of mathematics is: here, or in Wine's library."""
    if name in COMPLEX or name[:-1] in COMPLEX and name[-1] in 'fl':
        return 'x_' + name
    if name[-1] == 'l' and name != 'ceil':
        return 'ucrtbase.' + DOUBLES.get(name, name[:-1])
    return 'ucrtbase.' + name


def main() -> int:
    """Prepare a Python, unless it exists, and run pytest in it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('wheel', type=Path, help='of chainer_fast, for Windows')
    parser.add_argument('--folder', type=Path, default=Path('build/wine'),
                        help='for Python and the settings of Wine (%(default)s)')
    parser.add_argument('tests', nargs='*', default=['tests/_core'],
                        help='tests/_core by default')
    args = parser.parse_args()
    if shutil.which('wine') is None:
        sys.exit('There is no program wine: apt install wine64')
    folder = args.folder.absolute()
    wheels, root = folder / 'wheels', folder / 'python'
    if not (root / COMPLETE).exists():
        shutil.rmtree(root, ignore_errors=True)
        download(wheels, '--no-deps', 'panda3d')
        download(wheels, *PACKAGES)
        unpack_python(wheels, root)
        install([args.wheel, *[
            each for each in wheels.glob('*.whl') if 'panda3d' not in each.name]], root)
    # Python for Windows cannot write to a file of Linux as its output, only to a pipe.
    process = subprocess.Popen(
        ['wine', str(root / 'python.exe'), '-m', 'pytest', '-q', '-p',
         'no:cacheprovider', '--continue-on-collection-errors',
         '-m', 'not network and not gpu', *args.tests],
        env={**os.environ, 'WINEPREFIX': str(folder / 'prefix'), 'WINEDEBUG': '-all',
             'DISPLAY': '', 'PYTHONDONTWRITEBYTECODE': '1'},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert process.stdout is not None
    for line in process.stdout:
        sys.stdout.buffer.write(line)
        sys.stdout.flush()
    return process.wait()


if __name__ == '__main__':
    sys.exit(main())
