"""Elementwise CUDA kernels on the host: a C++ compiler runs their code, in a loop.

It stands in for ``cuda.elementwise`` where there is no GPU, and is as strict as CuPy and
NVRTC in what kernels of this package have stumbled over: arrays alone decide the types
that letters stand for, no array is converted, half floats are a class whose operators
give single precision, and macros of ``<cmath>`` such as ``INFINITY`` do not exist.

It cannot know what a GPU does otherwise. Elements are computed one after the other, so
that races between them remain unseen, and no multiplication is contracted with an
addition. Mathematical functions are those of the C library. Whatever else g++ accepts
and NVRTC does not goes through as well.
"""
import ctypes
import functools
import os
import shutil
import subprocess
import tempfile
import types

import numpy as np

COMPILER = shutil.which('c++') or shutil.which('g++')

TYPES = {'?': 'bool', 'b': 'signed char', 'B': 'unsigned char', 'e': 'float16',
         'f': 'float', 'd': 'double', 'i': 'int', 'l': 'long', 'q': 'long long'}

PREAMBLE = '''
#include <algorithm>
#include <cmath>
#include <cstddef>
#undef INFINITY
#undef NAN
#undef HUGE_VAL
#undef HUGE_VALF
#define __CUDACC__
#define __device__
#define __forceinline__ inline
using namespace std;
static double __longlong_as_double(long long) { return __builtin_inf(); }
template <class V> void atomicAdd(V* at, V value) { *at += value; }
class float16 {
    _Float16 data;
public:
    float16() {}
    float16(float v) : data(v) {}
    explicit float16(bool v) : data(v) {}
    explicit float16(double v) : data(v) {}
    explicit float16(int v) : data(v) {}
    operator float() const { return data; }
};
'''

# What kernels ask of CuPy apart from that.
cupy = types.SimpleNamespace(
    empty=np.empty, zeros=np.zeros, ascontiguousarray=np.ascontiguousarray)


@functools.cache
def compiled(code):
    with tempfile.TemporaryDirectory() as folder:
        source, library = [os.path.join(folder, name) for name in ('k.cpp', 'k.so')]
        with open(source, 'w') as f:
            f.write(code)
        subprocess.run(
            [COMPILER, '-shared', '-fPIC', '-w', '-std=c++17', '-ffp-contract=off',
             '-o', library, source], check=True)
        return ctypes.CDLL(library).kernel


def decide_types(params, args, name):
    """Return the dtypes that letters stand for; scalars have no say."""
    letters = {}
    for (*_, kind, variable), arg in zip(params, args, strict=True):
        if isinstance(arg, np.ndarray):
            expected = letters.setdefault(kind, arg.dtype) if len(kind) == 1 else kind
            if arg.dtype != expected:
                raise TypeError('%s: type is mismatched. %s %s %s' % (
                    name, variable, arg.dtype, expected))
    return letters


def elementwise(in_params, out_params, operation, name, preamble=''):
    """Return a function that runs the kernel, like ``cupy.ElementwiseKernel``."""
    inputs, outputs = [
        [each.split() for each in params.split(', ') if each]
        for params in (in_params, out_params)]
    params = inputs + outputs

    def dtype_of(kind, letters):
        return letters[kind] if len(kind) == 1 else np.dtype(kind)

    def run(*args):
        letters = decide_types(params[:len(args)], args, name)
        args = [arg if isinstance(arg, np.ndarray)
                else np.asarray(arg, dtype_of(kind, letters))
                for arg, (*_, kind, _) in zip(args, params)]
        shape = np.broadcast_shapes(*[
            arg.shape for arg, words in zip(args, params) if words[0] != 'raw'])
        args += [np.empty(shape, dtype_of(kind, letters))
                 for *_, kind, _ in params[len(args):]]
        pointers, variables, arrays = [], [], []
        for i, (arg, (*raw, kind, variable)) in enumerate(
                zip(args, params, strict=True)):
            ctype = TYPES[dtype_of(kind, letters).char]
            pointer = variable if raw else 'arg%d' % i
            pointers.append('%s* %s' % (ctype, pointer))
            if not raw:
                variables.append('%s%s& %s = %s[i];' % (
                    'const ' if i < len(inputs) else '', ctype, variable, pointer))
                if i < len(inputs):
                    arg = np.broadcast_to(arg, shape)
                assert arg.shape == shape, (name, variable)
            assert i < len(inputs) or arg.flags.c_contiguous, (name, variable)
            arrays.append(np.ascontiguousarray(arg))
        typedefs = ['typedef %s %s;' % (TYPES[dtype.char], letter)
                    for letter, dtype in letters.items()]
        code = [
            PREAMBLE, *typedefs, preamble,
            'extern "C" void kernel(ptrdiff_t n, %s) {' % ', '.join(pointers),
            'for (ptrdiff_t i = 0; i < n; ++i) {', *variables, operation, ';', '}}']
        compiled('\n'.join(code))(
            ctypes.c_ssize_t(int(np.prod(shape))),
            *[array.ctypes.data_as(ctypes.c_void_p) for array in arrays])
        results = args[len(inputs):]
        return results[0] if len(results) == 1 else tuple(results)

    return run
