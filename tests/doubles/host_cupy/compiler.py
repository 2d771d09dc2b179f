"""CUDA C++ compiled for the host, with what NVRTC and CuPy give to a kernel.

A kernel is compiled with ``cuda.hpp``, and those of expressions with ``carray.hpp``;
``block.cpp`` runs its threads. The C++ standard is that of CuPy 13.6, C++11, unless
options name another. Compiled code is kept in ``build/host_cupy/``, by its source.
"""
import ctypes
import functools
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading

import numpy

from tests.doubles.device_code import launches

HERE = pathlib.Path(__file__).parent
CACHE = HERE.parents[2] / 'build' / 'host_cupy'
COMPILER = shutil.which('g++') or shutil.which('c++')
FLAGS = ['-O1', '-shared', '-fPIC', '-w', '-pedantic-errors', '-ffp-contract=off',
         '-fno-exceptions', '-fno-rtti', '-fno-strict-aliasing']
# More needs CUDA 12.1 and a driver as new.
MAX_PARAMETER_BYTES = 4096

_UNARY = re.findall(r'\w+', '''
    acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp10 exp2 expm1
    fabs floor j0 j1 lgamma log log10 log1p log2 logb nearbyint rint round sin sinh sqrt
    tan tanh tgamma trunc y0 y1''')
_BINARY = ('atan2', 'copysign', 'fdim', 'fmax', 'fmin', 'fmod', 'hypot', 'nextafter',
           'pow', 'remainder')
_TO_INTEGER = {'lround': 'long', 'llround': 'long long', 'lrint': 'long',
               'llrint': 'long long', 'ilogb': 'int'}
# The two arguments of min and max, and their result.
_ORDERED = [(t, t, t) for t in ('float', 'double')]
_ORDERED += [('float', 'double', 'double'), ('double', 'float', 'double')]
for _t in ('int', 'long', 'long long'):
    _u = 'unsigned ' + _t
    _ORDERED += [(_t, _t, _t), (_u, _u, _u), (_t, _u, _u), (_u, _t, _u)]
_ATOMIC = {
    'Add': ('*at + v', 'int, unsigned int, unsigned long long, float, double'),
    'Sub': ('*at - v', 'int, unsigned int'),
    'Exch': ('v', 'int, unsigned int, unsigned long long, float'),
    'Min': ('v < *at ? v : *at', 'int, unsigned int, long long, unsigned long long'),
    'Max': ('v > *at ? v : *at', 'int, unsigned int, long long, unsigned long long'),
    'And': ('*at & v', 'int, unsigned int, unsigned long long'),
    'Or': ('*at | v', 'int, unsigned int, unsigned long long'),
    'Xor': ('*at ^ v', 'int, unsigned int, unsigned long long')}
# What CuPy adds to the atomic operations of CUDA.
_ATOMIC_OF_CUPY = {
    'Add': ('*at + v', 'long long'),
    'Min': ('v < *at ? v : *at', 'float, double'),
    'Max': ('v > *at ? v : *at', 'float, double')}


class CompileException(Exception):
    """The compiler refused the source of a kernel."""

    def __init__(self, message, source):
        super().__init__(message)
        lines = ['%4d %s' % item for item in enumerate(source.split('\n'), 1)]
        self.message = '%s\n%s' % (message, '\n'.join(lines))

    def __str__(self):
        return self.message


class KernelError(Exception):
    """A kernel did what has no meaning; a GPU may or may not tell."""


def _math():
    """Return the declarations of mathematical functions, for C++."""
    lines = []
    for names, args in (_UNARY, ('x',)), (_BINARY, ('x', 'y')):
        for name in names:
            double, single = [', '.join('%s %s' % (t, a) for a in args)
                              for t in ('double', 'float')]
            call = ', '.join(args)
            lines += ['extern "C" double %s(%s);' % (name, double),
                      'extern "C" float %sf(%s);' % (name, single),
                      'inline float %s(%s) { return %sf(%s); }' % (
                          name, single, name, call)]
    for name, t in _TO_INTEGER.items():
        lines += ['extern "C" %s %s(double x);' % (t, name),
                  'extern "C" %s %sf(float x);' % (t, name),
                  'inline %s %s(float x) { return %sf(x); }' % (t, name, name)]
    for t, suffix in ('double', ''), ('float', 'f'):
        lines += ['extern "C" %s %s%s(%s);' % (t, name, suffix, args.replace('T', t))
                  for name, args in (
                      ('ldexp', 'T, int'), ('frexp', 'T, int*'), ('modf', 'T, T*'),
                      ('fma', 'T, T, T'))]
    lines += ['inline double copysign(%s x, %s y) { return copysign(double(x), '
              'double(y)); }' % types for types in (('float', 'double'),
                                                    ('double', 'float'))]
    return lines


def _minima():
    lines = []
    for name, sign in ('min', '<'), ('max', '>'):
        for t, u, out in _ORDERED:
            if out in ('float', 'double'):
                value = 'f%s((R)x, (R)y)' % name
            else:
                value = '(R)x %s (R)y ? (R)x : (R)y' % sign
            lines.append('inline %s %s(%s x, %s y) { typedef %s R; return %s; }' % (
                out, name, t, u, out, value))
    return lines


def _atomics(operations):
    lines = []
    for name, (value, kinds) in operations.items():
        lines += ['inline %s atomic%s(%s* at, %s v) { %s old = *at; *at = %s; '
                  'return old; }' % (t, name, t, t, t, value)
                  for t in kinds.split(', ')]
    return lines


@functools.cache
def _headers():
    """Return the folder with the headers, written where they are not there yet."""
    cas = ['inline %s atomicCAS(%s* at, %s expected, %s v) { %s old = *at; '
           'if (old == expected) { *at = v; } return old; }' % (t, t, t, t, t)
           for t in ('int', 'unsigned int', 'unsigned long long')]
    files = {
        'math.hpp': '\n'.join(
            ['#pragma GCC system_header', *_math(), *_minima(), *_atomics(_ATOMIC),
             *cas, '']),
        'cuda.hpp': '#include "math.hpp"\n' + (HERE / 'cuda.hpp').read_text(),
        'carray.hpp': (HERE / 'carray.hpp').read_text() + '\n'.join(
            [*_atomics(_ATOMIC_OF_CUPY), '']),
        'float16.hpp': (HERE / 'float16.hpp').read_text(),
        'cuda_fp16.h': '#include "float16.hpp"\n',
        'cupy/carray.cuh': '#include "../carray.hpp"\n',
        'cupy/float16.cuh': '#include "../float16.hpp"\n',
        'unary.cpp': '#include "math.hpp"\n' + '\n'.join(
            'extern "C" void %s_%s(const %s* x, %s* y, unsigned long n) { for (; n--; '
            '++x, ++y) *y = %s(*x); }' % (name, t[0], t, t, name)
            for name in _UNARY for t in ('float', 'double')),
        **{name: (HERE / name).read_text() for name in (
            'block.cpp', 'driver.cpp', 'cublas.cpp')}}
    folder = CACHE / _digest(repr(files))
    if not folder.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        draft = pathlib.Path(tempfile.mkdtemp(dir=CACHE))
        (draft / 'cupy').mkdir()
        for name, text in files.items():
            (draft / name).write_text(text)
        try:
            draft.rename(folder)
        except OSError:  # Another process was first.
            shutil.rmtree(draft)
    return folder


def _digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def _run_compiler(arguments, source, output):
    """Compile a file, so that others see the whole result or nothing."""
    draft = '%s.%d.%d' % (output, os.getpid(), threading.get_ident())
    result = subprocess.run(
        [COMPILER, *arguments, '-o', draft, str(source)], capture_output=True,
        text=True)
    if result.returncode:
        raise CompileException(result.stderr, pathlib.Path(source).read_text())
    os.replace(draft, output)


def library(name, called=None):
    """Return the path of the library that is compiled of a file of this folder.

    Once it is loaded, the loader finds it by the name that it is called.
    """
    source = _headers() / name
    made = source.with_suffix('.so')
    flags = ['-Wl,-soname,' + called] if called else []
    if not made.exists():
        _run_compiler(['-O1', '-shared', '-fPIC', '-std=c++17', *flags], source, made)
    return made


@functools.cache
def _unary():
    return ctypes.CDLL(str(library('unary.cpp')))


def unary(name, otherwise):
    """Return a function of floating-point arrays that computes as kernels do.

    Parameters
    ----------
    name : str
    otherwise : callable
        What takes other numbers, and names that the C library does not have.
    """
    if name.startswith('arc'):
        name = 'a' + name.removeprefix('arc')       # as C has it
    if name not in _UNARY:
        return otherwise

    def compute(x):
        if x.dtype.char == 'e':
            return compute(x.astype('f')).astype('e')
        if x.dtype.char not in 'fd':
            return otherwise(x)
        x = numpy.ascontiguousarray(x)
        out = numpy.empty_like(x)
        getattr(_unary(), '%s_%s' % (name, x.dtype.char))(
            ctypes.c_void_p(x.ctypes.data), ctypes.c_void_p(out.ctypes.data),
            ctypes.c_size_t(x.size))
        return out

    return compute


@functools.cache
def _blocks():
    """Return the library that runs threads."""
    # Holds the GIL, so that there is one launch at a time.
    out = ctypes.PyDLL(str(library('block.cpp')), ctypes.RTLD_GLOBAL)
    out.failure = (ctypes.c_longlong * 3).in_dll(out, 'host_failure')
    return out


@functools.cache
def compile_kernels(code, names, options=(), headers=('cuda',)):
    """Compile CUDA C++ and return its kernels.

    Parameters
    ----------
    code : str
        Source code.
    names : tuple of str
        Names of kernels, or C++ expressions such as ``'scale<float>'``.
    options : tuple of str
        Options of NVRTC: macros, and the standard.
    headers : tuple of str
        Headers to include, of this folder.

    Returns
    -------
    list of Kernel

    Raises
    ------
    CompileException
        If the compiler refuses the code.
    """
    standards = [o for o in options if 'std=' in o]
    flags = FLAGS + ['-std=' + o.split('std=')[1] for o in standards or ['std=c++11']]
    flags += [o for o in options if o.startswith(('-D', '-U'))]
    code = re.sub(r'\bextern\s+__shared__\s+([^;=]*?)\b(\w+)\s*\[\s*\]\s*;',
                  r'\1* \2 = (\1*)host_shared_memory;', code)
    waits = re.search(r'__sync(threads|warp)|_sync\b', code) is not None
    text = ['#include "%s.hpp"' % name for name in headers]
    text += ['#line 1 "kernel.cu"', code, '#line 1 "entry points"']
    for i, name in enumerate(names):
        text += ['extern "C" void host_call%d(void** args) { host_call(%s, args); }'
                 % (i, name),
                 'extern "C" int host_sizes%d(size_t* sizes) { return '
                 'host_sizes(%s, sizes); }' % (i, name)]
    text = '\n'.join(text)
    folder = _headers()
    path = folder / (_digest(repr([COMPILER, flags, text])) + '.so')
    if not path.exists():
        with tempfile.NamedTemporaryFile('w', suffix='.cpp', delete=False) as source:
            source.write(text)
        try:
            _run_compiler([*flags, '-I%s' % folder], source.name, path)
        finally:
            os.unlink(source.name)
    blocks = _blocks()
    library = ctypes.PyDLL(str(path))
    return [Kernel(blocks, library, i, name, waits) for i, name in enumerate(names)]


class Kernel:
    """A compiled kernel that can be launched."""

    def __init__(self, blocks, library, index, name, waits):
        self._blocks = blocks
        self._call = getattr(library, 'host_call%d' % index)
        self._library, self._index = library, index
        self._name = name
        self._waits = waits
        sizes = (ctypes.c_size_t * 2048)()
        count = getattr(library, 'host_sizes%d' % index)(sizes)
        self._sizes = list(sizes[:count])
        self._alignments = list(sizes[count:2 * count])
        self._instance = None

    def of(self, instance):
        """Return the kernel as that of a recorded one, whose launches can be kept."""
        if self._instance not in (None, instance):
            # The same code as another one has its own launches.
            out = Kernel(self._blocks, self._library, self._index, self._name,
                         self._waits)
            return out.of(instance)
        self._instance = instance
        return self

    def split(self, arguments):
        """Return each argument of a buffer; None if it has not the right size."""
        values, end = [], 0
        for size, alignment in zip(self._sizes, self._alignments, strict=True):
            begin = -(-end // alignment) * alignment
            end = begin + size
            values.append(arguments[begin:end])
        return values if len(arguments) == end else None

    def launch(self, grid, block, args, shared_memory=0):
        """Run the kernel.

        Parameters
        ----------
        grid, block : tuple of int
            Three numbers each.
        args : list of bytes-like
            Arguments by value.
        shared_memory : int
            Bytes of dynamic shared memory for each block.

        Raises
        ------
        TypeError
            If the arguments are not as many, or not as large, as the kernel's.
        ValueError
            If they are more than 4096 bytes, or there are too many threads, or none.
        KernelError
            If it indexed an array out of its bounds, for example.
        """
        sizes = [len(arg) for arg in args]
        if sizes != self._sizes:
            raise TypeError(
                'kernel %r has parameters of %s bytes, but was given arguments of %s '
                'bytes' % (self._name, self._sizes, sizes))
        if sum(sizes) > MAX_PARAMETER_BYTES:
            raise ValueError(
                'kernel %r is given %d bytes of arguments, more than the %d that every '
                'GPU takes' % (self._name, sum(sizes), MAX_PARAMETER_BYTES))
        if block[0] * block[1] * block[2] > 1024 or block[2] > 64 or max(
                grid[1:]) > 65535 or min(*grid, *block) < 1 or shared_memory > 48 << 10:
            raise ValueError(
                'CUDA_ERROR_INVALID_VALUE: %r with grid %s, block %s and %d bytes of '
                'shared memory' % (self._name, grid, block, shared_memory))
        # Each at an address that suits every type.
        buffers = [ctypes.create_string_buffer(arg, len(arg) + 16) for arg in args]
        pointers = (ctypes.c_void_p * (len(args) + 1))(
            *[ctypes.addressof(buffer) for buffer in buffers])
        with launches.recorded(self._instance, grid, block, args, shared_memory):
            self._blocks.host_launch(
                self._call, pointers, (ctypes.c_uint * 3)(*grid),
                (ctypes.c_uint * 3)(*block), ctypes.c_size_t(shared_memory),
                ctypes.c_bool(self._waits))
            self._check()

    def _check(self):
        """Raise if the last launch did what it must not."""
        failed, index, size = self._blocks.failure
        if failed:
            trouble = {
                -2: 'failed an assertion',
                -3: 'has threads that wait for each other without end',
                -4: 'divided an integer by zero',
                -5: 'used memory that is not there'}
            if size or index not in trouble:
                trouble[index] = 'used index %d of an array of %d elements' % (
                    index, size)
            raise KernelError('kernel %r %s' % (self._name, trouble[index]))
