"""The compiler of the stand-in: the language of NVRTC, and threads."""
import json
import pathlib
import re
import struct

import numpy as np
import pytest
import scipy.special

from tests.doubles import device_code
from tests.doubles.host_cupy import compiler

STATEMENTS = json.loads(
    pathlib.Path(device_code.__file__).with_name('statements.json').read_text())


def compiled(body, parameters='float* x', **kwargs):
    code = 'extern "C" __global__ void f(%s) { %s; }' % (parameters, body)
    return compiler.compile_kernels(code, ('f',), **kwargs)[0]


def run(body, x, threads=None, blocks=1, **kwargs):
    x = np.array(x)
    kernel = compiled(body, '%s* x' % {'f': 'float', 'd': 'double', 'i': 'int'}[
        x.dtype.char], **kwargs)
    kernel.launch((blocks, 1, 1), (threads or x.size, 1, 1),
                  [struct.pack('q', x.ctypes.data)], 4096)
    return x


# NVRTC judges the same statements in replay.py.
def test_accepted_statements():
    # In the language of kernels that CuPy makes of expressions.
    compiled('\n'.join(STATEMENTS['accepted']), headers=('cuda', 'carray'))


def test_refused_statements():
    with pytest.raises(compiler.CompileException) as refused:
        compiled('\n'.join(['', *STATEMENTS['refused']]), headers=('cuda', 'carray'))
    lines = {int(line) - 1 for line in re.findall(
        r'kernel\.cu:(\d+):\d+: error', str(refused.value))}
    assert [text for i, text in enumerate(STATEMENTS['refused'], 1)
            if i not in lines] == []


def test_errors_show_the_source():
    with pytest.raises(compiler.CompileException, match=r"(?s)'INFINITY'|‘INFINITY’"):
        compiled('x[0] = INFINITY')


@pytest.mark.parametrize(('name', 'function'), [
    ('erfinv', scipy.special.erfinv), ('erfcinv', scipy.special.erfcinv),
    ('normcdfinv', scipy.special.ndtri), ('normcdf', scipy.special.ndtr),
    ('lgamma', scipy.special.gammaln), ('rsqrt', lambda x: 1 / np.sqrt(x))])
@pytest.mark.parametrize('dtype', 'fd')
def test_functions(name, function, dtype):
    x = np.r_[1e-30, 1e-7, np.linspace(.01, .99, 50)].astype(dtype)
    np.testing.assert_allclose(
        run('int i = threadIdx.x; x[i] = %s(x[i])' % name, x), function(x),
        1e-5 if dtype == 'f' else 1e-12)


@pytest.mark.parametrize('block', [1, 32, 100, 1024])
def test_threads_of_a_block_wait_for_each_other(block):
    x = np.arange(4 * block, dtype='i')
    y = run('''
        extern __shared__ int copy[];
        x += blockIdx.x * blockDim.x;
        copy[threadIdx.x] = x[threadIdx.x];
        __syncthreads();
        x[threadIdx.x] = copy[blockDim.x - 1 - threadIdx.x]''', x, block, 4)
    np.testing.assert_array_equal(y, x.reshape(4, block)[:, ::-1].ravel())


def test_forgotten_barriers_are_seen():
    x = np.arange(256, dtype='i')
    y = run('''
        __shared__ int copy[256];
        copy[threadIdx.x] = x[threadIdx.x];
        __syncwarp();
        x[threadIdx.x] = copy[255 - threadIdx.x]''', x)
    assert (y != x[::-1]).any()


def test_barriers_that_some_threads_do_not_reach():
    with pytest.raises(compiler.KernelError, match='without end'):
        run('if (threadIdx.x < 40) __syncthreads(); else __syncwarp()',
            np.ones(64, 'f'))


@pytest.mark.parametrize(('call', 'expected'), [
    ('down_sync(0xffffffffu, v, 3)', np.r_[3:32, 29:32]),
    ('up_sync(0xffffffffu, v, 2)', np.r_[0, 1, 0:30]),
    ('xor_sync(0xffffffffu, v, 5)', np.arange(32) ^ 5),
    ('sync(0xffffffffu, v, 7)', np.full(32, 7))])
def test_shuffles(call, expected):
    y = run('int v = x[threadIdx.x]; x[threadIdx.x] = __shfl_' + call,
            np.arange(64, dtype='i'))
    np.testing.assert_array_equal(y, np.r_[expected, 32 + expected])


@pytest.mark.parametrize(('body', 'message'), [
    ('int* p = x; x[0] = 1 / (x[0] - x[0])', 'integer by zero'),
    ('*(int*)8 = 1', 'memory that is not there'),
    ('assert(x[0] == 7)', 'assertion'),
    ('__syncthreads(); if (threadIdx.x == 40) *(int*)8 = 1', 'not there')])
def test_what_has_no_meaning(body, message):
    for _ in range(2):
        with pytest.raises(compiler.KernelError, match=message):
            run(body, np.ones(64, 'i'))
    run('__syncthreads()', np.ones(64, 'i'))


def test_arguments_are_as_large_as_parameters():
    kernel = compiled('', 'float x, long long n')
    with pytest.raises(TypeError, match=r'\[4, 8\] bytes.*\[8, 8\]'):
        kernel.launch((1, 1, 1), (1, 1, 1), [bytes(8), bytes(8)])


def test_too_many_bytes_of_arguments():
    code = '''struct S { char bytes[4096]; };
    extern "C" __global__ void f(S s, int n) {}'''
    kernel, = compiler.compile_kernels(code, ('f',))
    with pytest.raises(ValueError, match='4100 bytes of arguments'):
        kernel.launch((1, 1, 1), (1, 1, 1), [bytes(4096), bytes(4)])


@pytest.mark.parametrize('grid, block', [
    ((1, 1, 1), (1025, 1, 1)), ((0, 1, 1), (1, 1, 1)), ((1, 1, 1), (0, 1, 1))])
def test_too_many_threads_or_none(grid, block):
    with pytest.raises(ValueError, match='CUDA_ERROR_INVALID_VALUE'):
        compiled('').launch(grid, block, [bytes(8)])
