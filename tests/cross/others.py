"""Compile and link the package for macOS and Windows, on a system that is neither.

For each system, ``setup.py`` of the project makes a wheel with the compiler of ziglang.
Python's headers are those of this Python, NumPy's those of the system's own wheel. The
names that the modules leave open are compared with those that Python's headers declare;
the linker knows those of the systems.

Nothing is run: whether the modules work is known on those systems only.
"""
from __future__ import annotations

import argparse
import collections
import dataclasses
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import lief
import numpy

HERE = Path(__file__).parent
lief.logging.disable()     # of parts that are absent
VERSION = '%d%d' % sys.version_info[:2]
# What the headers of Python offer to modules, functions and data.
DECLARED = re.compile(r'PyAPI_(FUNC|DATA)\([^;]*?\)\s*\*?\s*(\w+)')


@dataclasses.dataclass(frozen=True)
class System:
    """A system to compile for.

    Parameters
    ----------
    platform : str
        As `sysconfig.get_platform` returns it there.
    target : str
        The same in the words of the compiler.
    suffix : str
        How the names of modules end.
    wheels : tuple of str
        Platforms of NumPy's wheels, as pip names them.
    link : tuple of str
        Options of the linker.
    """

    platform: str
    target: str
    suffix: str
    wheels: tuple[str, ...]
    link: tuple[str, ...]


SYSTEMS = {
    'macos': System(
        'macosx-11.0-arm64', 'aarch64-macos.11.0',
        '.cpython-%s-darwin.so' % VERSION, ('macosx_11_0_arm64', 'macosx_14_0_arm64'),
        ('-undefined', 'dynamic_lookup')),
    'windows': System(
        'win-amd64', 'x86_64-windows-gnu', '.cp%s-win_amd64.pyd' % VERSION,
        ('win_amd64',), ('-L{folder}', '-lpython' + VERSION, '-lws2_32')),
}


def declared(include: Path) -> dict[str, str]:
    """Return the names that headers of Python declare, each with FUNC or DATA."""
    return {name: kind for header in sorted(include.rglob('*.h'))
            for kind, name in DECLARED.findall(header.read_text())}


def prepare(name: str, folder: Path) -> None:
    """Write headers, settings of Python and the import library of a system."""
    system = SYSTEMS[name]
    shutil.rmtree(folder, ignore_errors=True)
    include = folder / 'include'
    shutil.copytree(sysconfig.get_path('include'), include)
    if (HERE / name / 'pyconfig.h').exists():
        shutil.copy(HERE / name / 'pyconfig.h', include)
    pip('download', '--no-deps', '--only-binary', ':all:', '--dest', folder,
        '--python-version', '%d.%d' % sys.version_info[:2],
        *[f'--platform={each}' for each in system.wheels],
        'numpy==' + numpy.__version__)
    wheel, = folder.glob('numpy-*.whl')
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder, [
            each for each in archive.namelist() if '/include/' in each])
    zig = f'{sys.executable} -m ziglang'
    cxx = f'{zig} c++ -target {system.target}'
    link = ' '.join(system.link).format(folder=folder)
    settings = {
        'CC': f'{zig} cc -target {system.target}', 'CXX': cxx, 'CCSHARED': '-fPIC',
        'LDSHARED': f'{cxx} -shared {link}', 'LDCXXSHARED': f'{cxx} -shared {link}',
        'CFLAGS': '-DNDEBUG -Wall -Werror', 'AR': zig + ' ar', 'ARFLAGS': 'rcs',
        'EXT_SUFFIX': system.suffix, 'SHLIB_SUFFIX': '.so', 'Py_ENABLE_SHARED': 0,
        'SOABI': system.suffix.split('.')[1], 'INCLUDEPY': str(include),
        'CONFINCLUDEPY': str(include), 'VERSION': '%d.%d' % sys.version_info[:2],
    }
    (folder / '_settings.py').write_text(f'build_time_vars = {settings!r}\n')
    if name == 'windows':
        library = folder / f'python{VERSION}.def'
        library.write_text(f'LIBRARY python{VERSION}.dll\nEXPORTS\n' + ''.join(
            each + (' DATA' if kind == 'DATA' else '') + '\n'
            for each, kind in declared(include).items()))
        zig_tool('dlltool', '-m', 'i386:x86-64', '-d', library, '-l',
                 folder / f'libpython{VERSION}.a')


def pip(*args: str | Path) -> None:
    """Run pip."""
    subprocess.run(
        [sys.executable, '-m', 'pip', '--quiet', *map(str, args)], check=True)


def zig_tool(*args: str | Path) -> None:
    """Run a tool of ziglang."""
    subprocess.run([sys.executable, '-m', 'ziglang', *map(str, args)], check=True)


def build(name: str, folder: Path) -> Path:
    """Return the wheel that ``setup.py`` makes for a system."""
    subprocess.run(
        [sys.executable, 'setup.py', '--quiet', 'bdist_wheel', '--dist-dir', folder],
        check=True, env={
            **os.environ,
            '_PYTHON_HOST_PLATFORM': SYSTEMS[name].platform,
            '_PYTHON_SYSCONFIGDATA_NAME': '_settings',
            'PYTHONPATH': str(folder),
            'MACOSX_DEPLOYMENT_TARGET': '11.0',
            'CPPFLAGS': '-I%s' % (folder / 'numpy/_core/include'),
        })
    wheel, = folder.glob('chainer_fast-*.whl')
    return wheel


def open_names(module: Path) -> dict[str, list[str]]:
    """Return the names that a module leaves open, by the library that has to have them.

    Those without a library are found in whatever the process has loaded.
    """
    found = collections.defaultdict(list)
    binary = lief.parse(module)
    if isinstance(binary, lief.PE.Binary):
        for library in binary.imports:
            found[library.name.lower()] += [each.name for each in library.entries]
    else:
        for symbol in binary.imported_symbols:
            library = symbol.binding_info.library if symbol.has_binding_info else None
            found[Path(library.name).name if library else ''].append(
                symbol.name.removeprefix('_'))
    return dict(found)


def check(name: str, wheel: Path, folder: Path) -> list[str]:
    """Print a line for each module of a wheel; return what is wrong with it."""
    unpacked = folder / 'unpacked'
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(unpacked)
    modules = sorted(unpacked.rglob('*' + SYSTEMS[name].suffix))
    offered = declared(folder / 'include')
    wrong = []
    for module in modules:
        names = open_names(module)
        python = names.pop('' if name == 'macos' else f'python{VERSION}.dll', [])
        print('%-62s %6.1f KB, %3d names of Python, %3d of %d libraries' % (
            module.relative_to(unpacked).as_posix().split('.')[0],
            module.stat().st_size / 1024, len(python),
            sum(map(len, names.values())), len(names)))
        unknown = sorted(set(python) - set(offered))
        if unknown:
            wrong.append(f'{module.name} leaves open {", ".join(unknown)}')
    sources = [*Path('chainer_fast').rglob('*.pyx')]
    if len(modules) != len(sources):
        wrong.append(f'{len(modules)} modules of {len(sources)} sources')
    others = [each for each in unpacked.rglob('*') if each.suffix in {'.so', '.pyd'}]
    if len(others) != len(modules):
        wrong.append('modules of another system are in the wheel')
    return wrong


def main() -> int:
    """Build and check; return 1 if something is wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        'systems', nargs='*', help='all by default: ' + ', '.join(SYSTEMS))
    parser.add_argument('--folder', type=Path, default=Path('build/cross'),
                        help='for headers, wheels and what they hold (%(default)s)')
    args = parser.parse_args()
    wrong = []
    for name in args.systems or SYSTEMS:
        if name not in SYSTEMS:
            parser.error(f'{name} is none of {", ".join(SYSTEMS)}')
        folder = (args.folder / name).absolute()
        print(f'{name}: headers', flush=True)
        prepare(name, folder)
        print(f'{name}: modules', flush=True)
        wheel = build(name, folder)
        wrong += [f'{name}: {each}' for each in check(name, wheel, folder)]
        print(f'{name}: {wheel.name}', flush=True)
    print('\n'.join(wrong or ['All names that are left open are known.']))
    return bool(wrong)


if __name__ == '__main__':
    sys.exit(main())
