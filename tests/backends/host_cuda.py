"""Elementwise CUDA kernels on the host: a C++ compiler runs their code, in a loop.

It stands in for ``cuda.elementwise`` where there is no GPU, and knows as much of CUDA
as the kernels of this package need.
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

TYPES = {'f': 'float', 'd': 'double', 'i': 'int', 'l': 'long', 'q': 'long long'}

SCALARS = {'int32': 'i', 'float64': 'd'}

PREAMBLE = '''
#include <algorithm>
#include <cmath>
#include <cstddef>
using std::max;
using std::min;
#define __device__ static inline
template <class V> void atomicAdd(V* at, V value) { *at += value; }
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
            [COMPILER, '-shared', '-fPIC', '-w', '-ffp-contract=off', '-o', library,
             source], check=True)
        return ctypes.CDLL(library).kernel


def elementwise(in_params, out_params, operation, name, preamble=''):
    """Return a function that runs the kernel, like ``cupy.ElementwiseKernel``."""
    inputs, outputs = [
        [each.split() for each in params.split(', ') if each]
        for params in (in_params, out_params)]

    def run(*args):
        assert len(args) == len(inputs) + len(outputs), name
        size = None
        shape = np.broadcast_shapes(*[
            np.shape(arg) for arg, words in zip(args, inputs + outputs, strict=True)
            if words[0] != 'raw'])
        types_, pointers, variables, arrays = {}, [], [], []
        for i, (arg, words) in enumerate(zip(args, inputs + outputs, strict=True)):
            *raw, kind, variable = words
            if not isinstance(arg, np.ndarray):
                arg = np.asarray(arg, SCALARS.get(kind))
            elif not raw and i < len(inputs):
                arg = np.ascontiguousarray(np.broadcast_to(arg, shape))
            ctype = TYPES[arg.dtype.char]
            if len(kind) == 1:
                assert types_.setdefault(kind, ctype) == ctype, (name, variable)
            else:
                assert arg.dtype == kind, (name, variable, arg.dtype)
            assert arg.flags.c_contiguous
            arrays.append(arg)
            pointer = variable if raw else 'arg%d' % i
            pointers.append('%s* %s' % (ctype, pointer))
            if not raw:
                variables.append('%s%s& %s = %s[%s];' % (
                    'const ' if i < len(inputs) else '', ctype, variable, pointer,
                    'i' if arg.ndim else '0'))
                if arg.ndim:
                    assert size in (None, arg.size), (name, variable)
                    size = arg.size
        typedefs = ['typedef %s %s;' % item[::-1] for item in types_.items()]
        code = [
            PREAMBLE, *typedefs, preamble,
            'extern "C" void kernel(ptrdiff_t n, %s) {' % ', '.join(pointers),
            'for (ptrdiff_t i = 0; i < n; ++i) {', *variables, operation, ';', '}}']
        compiled('\n'.join(code))(ctypes.c_ssize_t(size), *[
            array.ctypes.data_as(ctypes.c_void_p) for array in arrays])

    return run
