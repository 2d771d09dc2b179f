"""Build of the compiled modules; all metadata is in pyproject.toml.

Modules are translated and compiled on all processors, and only those that need it. Two
builds of the same sources are equal, byte for byte, if ``SOURCE_DATE_EPOCH`` is.
``CHAINER_FAST_DEBUG=1`` builds with bounds, None and overflow checks and debug symbols,
``CHAINER_FAST_SANITIZE=1`` with the sanitizers of addresses and undefined behaviour,
``CHAINER_FAST_SANITIZE=thread`` with that of threads,
``CHAINER_FAST_GENERAL=1`` without anything private to CPython and NumPy, as for
versions that are not known; go from one kind of build to another with ``--force``.
``CHAINER_FAST_JOBS`` is the number of modules that are compiled at a time.
"""
import gc
import gzip
import hashlib
import os
import re
import shutil
import sys
import sysconfig
import tarfile
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy
from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext, customize_compiler, new_compiler
from setuptools.command.sdist import sdist
from setuptools.errors import CompileError, LinkError, PlatformError
from setuptools.modified import newer_group

DEBUG = os.environ.get('CHAINER_FAST_DEBUG', '') not in ('', '0')
SANITIZERS = {'': '', '0': '', 'thread': 'thread'}.get(
    os.environ.get('CHAINER_FAST_SANITIZE', ''), 'address,undefined')
GENERAL = os.environ.get('CHAINER_FAST_GENERAL', '') not in ('', '0')
PROCESSORS = len(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else (
    os.cpu_count() or 1)
# The most memory that g++ takes for a module is 420 MiB; translating takes less.
MEMORY_OF_A_JOB = 640 << 20


# Where control groups, in both versions, say what a container may use.
MEMORY_LIMITS = (
    '/sys/fs/cgroup/memory.max', '/sys/fs/cgroup/memory/memory.limit_in_bytes')


def memory(limits=MEMORY_LIMITS):
    """Return the bytes of memory that all compilers together may use."""
    sizes = [sys.maxsize]
    if hasattr(os, 'sysconf') and 'SC_PHYS_PAGES' in os.sysconf_names:
        sizes.append(os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES'))
    for limit in limits:
        try:
            sizes.append(int(Path(limit).read_text()))
        except (OSError, ValueError):   # there is none, or it is 'max'
            continue
    return min(sizes)


JOBS = int(os.environ.get('CHAINER_FAST_JOBS') or max(
    1, min(PROCESSORS, memory() // MEMORY_OF_A_JOB)))

# Cython makes many objects that live as long as the translation of a module does, and
# would be looked through again and again.
gc.set_threshold(1_000_000)

# The one place where compiler directives are set.
DIRECTIVES = {
    'language_level': 3,
    # Methods that look at the type of ``self`` first, and signatures for `inspect`.
    'binding': False,
    'embedsignature': True,
    'embedsignature.format': 'clinic',
    # Objects that were made by ``__new__`` alone, None in the place of an argument, and
    # lists that others have made shorter end in an exception.
    'nonecheck': True,
    'boundscheck': True,
    'allow_none_for_extension_args': False,
    # Cython's methods for pickles read a state of any length.
    'auto_pickle': False,
    'wraparound': DEBUG,
    'initializedcheck': DEBUG,
    'overflowcheck': DEBUG,
    'cdivision': True,
    'freethreading_compatible': False,
    # The lines of the source, which the compiler would read again.
    'emit_code_comments': False,
}

# Unless a version is named, NumPy's headers may leave out what is newer than another
# version: handlers of memory are of 1.22.
MACROS = [('NPY_NO_DEPRECATED_API', 'NPY_1_22_API_VERSION'),
          ('NPY_TARGET_VERSION', 'NPY_1_22_API_VERSION')]
if GENERAL:
    MACROS += [('CF_GENERAL', None)]

# Included before each module, so that no module need name it.
FIRST_HEADER = 'chainer_fast/_core/traceback.hpp'
# The same, and what most modules include.
COMMON_HEADER = 'chainer_fast/_core/common.hpp'

# The system that modules are for: linux, macosx or win. Where another system compiles,
# ``_PYTHON_HOST_PLATFORM`` names it.
SYSTEM = sysconfig.get_platform().partition('-')[0]
MSVC = sys.platform == 'win32'
# g++; clang may have its name in CC only.
GCC = SYSTEM == 'linux' and 'clang' not in os.environ.get('CC', '')
# For g++, -O3 takes half as long again as -O2. Loops need these steps of it: small
# loops are unrolled, a choice that is the same for all elements is made before the
# loop, what one element computes for the next stays in a register, and a stride of one
# has a version. A small loop that is to be unrolled before a vector is made of the loop
# around it has CF_UNROLL, since -O2 does not do so by itself.
OPTIMIZED = [
    '-O2', '-ftree-vectorize', '-fvect-cost-model=dynamic', '-fpeel-loops',
    '-funswitch-loops', '-fpredictive-commoning', '-fversion-loops-for-strides',
] if GCC else ['-O3']

if MSVC:
    COMPILE_ARGS = ['/Od', '/Zi'] if DEBUG else ['/O2']
    # C++ throws; sources are in UTF-8; files of templates have many sections.
    COMPILE_ARGS += ['/std:c++17', '/EHsc', '/utf-8', '/bigobj']
else:
    # Python's own flags may ask for debug symbols, which take time and space.
    COMPILE_ARGS = ['-O0', '-g'] if DEBUG else [
        *OPTIMIZED, '-g0', '-fno-strict-aliasing']
    # ``x * y + z`` must round twice, as NumPy does, on every machine; and no loop with
    # a square root is vectorized while ``errno`` has to be set.
    COMPILE_ARGS += ['-std=c++17', '-ffp-contract=off', '-fno-math-errno']
    # A module need not use all that a header offers.
    COMPILE_ARGS += ['-Wno-unused-function']
# Below AVX-512, no loop with a choice between two values is vectorized while the one
# not chosen may raise a flag of an error. These modules warn of flags as they find
# them; others have NumPy compute the same again, and warn, or make no choice.
WARN_OF_FLAGS = 'chainer_fast.backends.kernels.recurrent.'
ANY_FLAGS = [] if MSVC else ['-fno-trapping-math']
# Loops in C++ that know nothing of Python, and become part of a module: patterns of
# their files, below the folder of kernels. One that several modules use is compiled
# once. What Cython writes ends in .cpp, what people write in .cc.
KERNELS = Path('chainer_fast/backends/kernels')
LOOPS = {
    'chainer_fast.backends.kernels.common.elementwise': ['*/elements.cc'],
    'chainer_fast.backends.kernels.declared.adapter': ['*/loops.cc', '*/vectors.cc'],
    'chainer_fast.backends.kernels.common.blas': ['common/panels.cc'],
    'chainer_fast.backends.kernels.common.layout': ['common/reduce.cc'],
    'chainer_fast.backends.kernels.reduction.shortcuts': ['common/reduce.cc'],
    'chainer_fast.backends.kernels.recurrent.compiled': ['common/panels.cc'],
    'chainer_fast.graph_optimizations._processor.plans': ['common/panels.cc'],
}
# So many modules with the same flags are worth a header that is compiled before them.
PRECOMPILED = 8
LINK_ARGS = []
if not (GCC or MSVC):
    # clang fills short vectors up with zeros, and divides by them: there are warnings.
    COMPILE_ARGS += ['-fno-slp-vectorize']
if SYSTEM == 'linux':
    # Threads: one pool for all modules, which oneDNN uses as well.
    COMPILE_ARGS += ['-fopenmp']
    LINK_ARGS += ['-fopenmp']
    # What chooses among versions of loops asks `_cpu/processor.hpp` first.
    MACROS += [('CF_WRAPPED', None)]
    LINK_ARGS += ['-Wl,--wrap=__cpu_indicator_init']
if SANITIZERS:
    LINK_ARGS += ['-fsanitize=' + SANITIZERS, '-fno-sanitize-recover=all']
    # Sanitizers cannot follow loops that are chosen when the module is loaded.
    COMPILE_ARGS += ['-O1', '-g1', '-DCF_NO_CLONES', *LINK_ARGS]

PROBE = """
#include <Python.h>
#include <string_view>
%s
static_assert(std::string_view("C++17").size() == 5);
""" % ('#include <omp.h>' if '-fopenmp' in COMPILE_ARGS else '')
INSTALL_TOOLS = {
    'darwin': 'xcode-select --install',
    'win32': 'the Build Tools for Visual Studio, with C++ for the desktop',
}.get(sys.platform, 'Debian, Ubuntu: apt install g++ python3-dev; Fedora, RHEL: dnf '
      'install gcc-c++ python3-devel; Alpine: apk add g++ python3-dev; conda: conda '
      'install cxx-compiler')

INCLUDED = re.compile(
    r'^\s*(?:#\s*include|cdef extern from)\s+"(chainer_fast/[^"]+)"', re.M)
PART = re.compile(r'^include "([^"]+)"', re.M)
CIMPORTED = re.compile(r'^\s*from (chainer_fast\.[\w.]+) cimport', re.M)
INSTALLED = re.compile(
    r'(?<=")[^"\n]*(?:site|dist)-packages[/\\]+(?=[^"\n]*\.pxd",?$)', re.M)


def dependencies(path, found=()):
    """Return the files of the project that a file includes or cimports, transitively.

    The paths of headers are written out from the root of the project.
    """
    text = path.read_text()
    names = [*INCLUDED.findall(text),
             *(name.replace('.', '/') + '.pxd' for name in CIMPORTED.findall(text)),
             *(path.parent / name for name in PART.findall(text)),
             path.with_suffix('.pxd')]      # a module knows its own declarations
    for file in map(Path, names):
        if file not in found and file.exists():
            found = dependencies(file, (*found, file))
    return found


def loops(name):
    """Return the files of loops that are part of a module."""
    return sorted(
        file for pattern in LOOPS.get(name, ()) for file in KERNELS.glob(pattern))


def extensions():
    """Return the compiled modules: every .pyx file is one."""
    sources = {'.'.join(source.with_suffix('').parts): source
               for source in sorted(Path('chainer_fast').rglob('*.pyx'))}
    modules = []
    for name, source in sources.items():
        own = dependencies(source)
        modules.append(Extension(
            name,
            [str(source), *map(str, loops(name))],
            language='c++',
            depends=['setup.py', FIRST_HEADER, *map(str, own), *(
                str(needed) for file in loops(name) for needed in dependencies(file))],
            include_dirs=[numpy.get_include(), '.'],
            define_macros=MACROS,
            extra_compile_args=[
                *COMPILE_ARGS,
                *([] if name.startswith(WARN_OF_FLAGS) else ANY_FLAGS)],
            extra_link_args=LINK_ARGS))
    return modules


def check_tools(compiler, include_dirs):
    """Compile a tiny module, so that what is missing is named before minutes pass.

    Parameters
    ----------
    compiler : distutils.ccompiler.CCompiler
        Compiler with the flags of this Python.
    include_dirs : list of str
        Where modules look for the headers of Python.

    Raises
    ------
    setuptools.errors.PlatformError
        If there is no compiler, no header of Python, or the compiler cannot do what it
        has to. The message names the cause and the cure.
    """
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, 'probe.cc')
        source.write_text(PROBE)
        try:
            objects = compiler.compile(
                [str(source)], output_dir=folder, include_dirs=include_dirs,
                extra_preargs=COMPILE_ARGS)
            if not MSVC:                    # which would need a name to export
                compiler.link_shared_object(
                    objects, str(Path(folder, 'probe.so')), target_lang='c++',
                    extra_postargs=LINK_ARGS)
        except (CompileError, LinkError) as error:
            raise PlatformError(why_not(compiler, include_dirs)) from error


def why_not(compiler, include_dirs):
    """Return why a tiny module cannot be compiled, and what to do."""
    commands = [getattr(compiler, name, None) for name in (
        'compiler_so', 'compiler_so_cxx', 'linker_so', 'linker_so_cxx')]
    absent = sorted({command[0] for command in commands
                     if command and shutil.which(command[0]) is None})
    if absent:
        what = 'there is no C++ compiler: not found: %s' % ', '.join(absent)
        cure = ('Install one (%s), or name another one in the variables CC and CXX'
                % INSTALL_TOOLS)
    elif not any(Path(each, 'Python.h').exists() for each in include_dirs):
        what = 'the headers of Python are missing: there is no Python.h in %s' % (
            ' or '.join(include_dirs))
        cure = ('Install those of Python %d.%d (%s), or use a Python that has them, '
                'such as that of uv, pyenv or conda' % (
                    *sys.version_info[:2], INSTALL_TOOLS))
    else:
        what = 'the C++ compiler cannot compile a small module; its message is above'
        cure = 'It has to know C++17%s: g++ 10 or newer does, and so does clang' % (
            ' and OpenMP' if '-fopenmp' in LINK_ARGS else '')
    return '%s.\n%s.\ndocs/install.md has more.' % (what, cure)


def translated_before(modules):
    """Tell whether some module was translated before this file was last changed.

    Cython knows nothing of directives that have changed. What it wrote for modules that
    are no more stays old, and does not count.
    """
    written = [Path(ext.sources[0]).with_suffix('.cpp') for ext in modules]
    return any([file.exists() and newer_group(['setup.py'], str(file), 'newer')
                for file in written])


def translate(modules, force):
    """Have Cython write the C++ of compiled modules, unless it is there."""
    translated = {ext.name: ext.sources for ext in cythonize(
        [*modules], compiler_directives=DIRECTIVES, nthreads=JOBS, force=force)}
    for ext in modules:
        ext.sources = translated[ext.name]
        for source in map(Path, ext.sources[:1]):
            # Tracebacks name files of NumPy and Cython, too. Their paths begin with the
            # environment, and an isolated build makes one anew.
            text = source.read_text(encoding='utf-8')
            short = INSTALLED.sub('', text)
            if short != text:
                source.write_text(short, encoding='utf-8')


class SourceArchive(sdist):
    """Packs the sources in a fixed order, and tells nothing of the machine."""

    def make_archive(self, base_name, format, base_dir=None, **kwargs):
        if format != 'gztar':
            return super().make_archive(base_name, format, base_dir=base_dir, **kwargs)
        self._time = int(os.environ.get('SOURCE_DATE_EPOCH', time.time()))
        path = base_name + '.tar.gz'
        self.mkpath(os.path.dirname(path))
        files = sorted(file for file in Path(base_dir).rglob('*') if file.is_file())
        with open(path, 'wb') as raw, \
                gzip.GzipFile('', 'wb', 9, raw, self._time) as packed, \
                tarfile.open(fileobj=packed, mode='w') as tar:
            for file in files:
                tar.add(file, file.as_posix(), filter=self._anonymous)
        return path

    def _anonymous(self, member):
        member.uid = member.gid = 0
        member.uname = member.gname = ''
        member.mode = 0o755 if member.mode & 0o100 else 0o644
        member.mtime = self._time
        return member


class Build(build_ext):
    """Compiles on all processors, tells how far it is, and leaves no stale module."""

    def finalize_options(self):
        super().finalize_options()
        self.parallel = self.parallel or JOBS
        if self.editable_mode:
            # What ``build_ext --inplace`` has compiled is not compiled again.
            self.build_lib, self.build_temp = self._folders_of_inplace_builds()

    def _folders_of_inplace_builds(self):
        build = self.distribution.get_command_class('build')(self.distribution)
        build.finalize_options()
        return build.build_platlib, build.build_temp

    def run(self):
        if self.force or any([self._is_outdated(ext) for ext in self.extensions]):
            compiler = new_compiler(compiler=self.compiler)
            customize_compiler(compiler)
            check_tools(compiler, self.include_dirs)
            print('compiling the modules that have changed, %d at a time; all of them '
                  'take some minutes' % self.parallel, flush=True)
        translate(self.extensions, self.force or translated_before(self.extensions))
        self._done, self._outdated = 0, [
            ext for ext in self.extensions if self.force or self._is_outdated(ext)]
        if self.inplace:
            # A module that was compiled with other declarations than those it imports
            # could crash the interpreter; one that is missing is an ImportError.
            current = {Path(self.get_ext_filename(ext.name)) for ext in self.extensions
                       if ext not in self._outdated}
            suffix = self.get_ext_filename('')
            for module in {*Path('chainer_fast').rglob('*' + suffix)} - current:
                module.unlink()
        # The longest first, so that no processor is left with one at the end.
        self.extensions.sort(key=lambda ext: -os.path.getsize(ext.sources[0]))
        super().run()

    def _is_outdated(self, ext):
        return newer_group(
            [*ext.sources, *ext.depends],
            os.path.join(self.build_lib, self.get_ext_filename(ext.name)), 'newer')

    def build_extensions(self):
        try:
            self._build_extensions()
        except (CompileError, LinkError) as error:
            raise type(error)(
                '%s.\nThe message of the compiler is above. If it was killed, or found '
                'no memory: a module needs up to %d MiB; %s, and repeat the command.\n'
                'docs/install.md has more.' % (
                    error, MEMORY_OF_A_JOB >> 20,
                    'close other programs' if self.parallel == 1 else
                    'set the variable CHAINER_FAST_JOBS=1, as %d were compiled at a '
                    'time' % self.parallel)) from error

    def _build_extensions(self):
        alike = {}
        for ext in self._outdated:
            alike.setdefault(tuple(ext.extra_compile_args), []).append(ext)
        for args, modules in alike.items():
            header = FIRST_HEADER
            if GCC and len(modules) >= PRECOMPILED:
                header = self._precompiled(args)
            for ext in modules:
                ext.extra_compile_args = [*args, *(
                    ['/FI' + header] if MSVC else
                    ['-include', header])]
        files = sorted({file for ext in self._outdated for file in ext.sources[1:]})
        with ThreadPoolExecutor(self.parallel) as pool:
            objects = [*pool.map(self._compiled_loops, files)]
        self._loops = dict(zip(files, objects, strict=True))
        super().build_extensions()

    def _precompiled(self, args):
        """Return a header that g++ has compiled with the same flags, beside it."""
        kind = hashlib.sha256(repr((
            sys.version, numpy.__version__, self.compiler.compiler_so, MACROS, args
        )).encode())
        header = Path(self.build_temp, 'common-' + kind.hexdigest()[:12] + '.cc')
        compiled = Path(str(header) + '.gch')
        needed = map(str, dependencies(Path(COMMON_HEADER), (Path(COMMON_HEADER),)))
        if self.force or newer_group(['setup.py', *needed], str(compiled), 'newer'):
            header.parent.mkdir(parents=True, exist_ok=True)
            header.write_text('#include "%s"\n' % COMMON_HEADER)
            made, = self.compiler.compile(
                [str(header)], macros=MACROS, include_dirs=[numpy.get_include(), '.'],
                extra_preargs=['-x', 'c++-header'], extra_postargs=[*args])
            os.replace(made, compiled)
        return str(header)

    def build_extension(self, ext):
        if ext in self._outdated:
            ext.extra_objects = [self._loops[file] for file in ext.sources[1:]]
            ext.sources = ext.sources[:1]
            # A module is linked again even if its loops alone have changed.
            ext.depends = [*ext.depends, *ext.extra_objects]
        super().build_extension(ext)
        if ext in self._outdated:
            self._done += 1
            print('compiled %2d of %d: %s' % (
                self._done, len(self._outdated), ext.name), flush=True)

    def _compiled_loops(self, file):
        """Compile one file of loops, if it has changed, and return the object file."""
        object_file, = self.compiler.object_filenames(
            [file], output_dir=self.build_temp)
        needed = ['setup.py', file, *map(str, dependencies(Path(file)))]
        if self.force or newer_group(needed, object_file, 'newer'):
            self.compiler.compile(
                [file], output_dir=self.build_temp, macros=MACROS, include_dirs=['.'],
                extra_postargs=COMPILE_ARGS + ANY_FLAGS)
        return object_file


if __name__ == '__main__':
    # Processes that translate import this file, unless they are forked.
    setup(
        cmdclass={'build_ext': Build, 'sdist': SourceArchive},
        ext_modules=extensions())
