"""Hooks for GPUs, with stand-ins for what they use of CuPy."""
import io
import types

import numpy
import pytest

import chainer_fast
from chainer_fast import function_hooks, functions
from chainer_fast.function_hooks import cuda_profile, cupy_memory_profile


class Named:

    def __init__(self, name):
        self._impl_name = name
        self.label = 'label of ' + name


F, G = Named('F'), Named('G')


@pytest.mark.skipif(cuda_profile.cuda.available, reason='CuPy is available')
@pytest.mark.parametrize(
    'hook', [function_hooks.CUDAProfileHook, function_hooks.CupyMemoryProfileHook])
def test_without_cupy(hook):
    with pytest.raises(RuntimeError, match='CUDA environment is not correctly set up'):
        hook()


# CUDAProfileHook
#

@pytest.fixture
def nvtx(monkeypatch):
    nvtx = types.SimpleNamespace(available=True, calls=[])
    nvtx.RangePush = nvtx.calls.append
    nvtx.RangePop = lambda: nvtx.calls.append(None)
    cupy = types.SimpleNamespace(cuda=types.SimpleNamespace(nvtx=nvtx))
    monkeypatch.setattr(cuda_profile.cuda, 'cupy', cupy)
    monkeypatch.setattr(cuda_profile.cuda, 'check_cuda_available', lambda: None)
    return nvtx


def test_cuda_profile(nvtx):
    hook = function_hooks.CUDAProfileHook()
    assert hook.name == 'CUDAProfileHook'
    hook.forward_preprocess(F, ())
    hook.forward_postprocess(F, ())
    hook.backward_preprocess(F, (), ())
    hook.forward_preprocess(G, ())
    hook.forward_postprocess(G, ())
    hook.backward_postprocess(F, (), ())
    assert nvtx.calls == [
        'label of F.forward', None,
        'label of F.backward', 'label of G.forward', None, None]


def test_cuda_profile_without_nvtx(nvtx):
    nvtx.available = False
    with pytest.raises(RuntimeError, match='NVTX'):
        function_hooks.CUDAProfileHook()
    cuda_profile.cuda.cupy.cuda.nvtx_enabled = True
    function_hooks.CUDAProfileHook()
    nvtx.available = True
    cuda_profile.cuda.cupy.cuda.nvtx_enabled = False
    with pytest.raises(RuntimeError, match='NVTX'):
        function_hooks.CUDAProfileHook()


# CupyMemoryProfileHook
#

@pytest.fixture
def hook(monkeypatch):
    monkeypatch.setattr(
        cupy_memory_profile.cuda, 'check_cuda_available', lambda: None)
    return function_hooks.CupyMemoryProfileHook()


def allocate(hook, used, acquired):
    hook._memory_hook.alloc_preprocess(device_id=0, mem_size=acquired)
    hook._memory_hook.malloc_preprocess(device_id=0, size=used - 1, mem_size=used)


def test_memory(hook):
    assert hook.name == 'CupyMemoryProfileHook'
    allocate(hook, 8, 8)  # before any function
    hook.forward_preprocess(F, (None,))
    allocate(hook, 512, 1024)
    hook.forward_postprocess(F, (None,))
    hook.backward_preprocess(F, (None,), (None,))
    allocate(hook, 100, 0)
    hook.forward_preprocess(G, (None,))
    allocate(hook, 200, 2048)
    hook.forward_postprocess(G, (None,))
    hook.backward_postprocess(F, (None,), (None,))
    assert hook.call_history == [
        ('F', 512, 1024, 0), ('G', 200, 2048, 1), ('F', 300, 2048, 0)]
    assert hook.total_used_bytes() == 812
    assert hook.total_acquired_bytes() == 3072
    assert hook.summary() == {
        'F': {'used_bytes': 812, 'acquired_bytes': 3072, 'occurrence': 2},
        'G': {'used_bytes': 200, 'acquired_bytes': 2048, 'occurrence': 1}}


def test_memory_hook_goes_with_the_hook(hook):
    calls = []

    class MemoryHook:
        def __enter__(self):
            calls.append('enter')

        def __exit__(self, *_):
            calls.append('exit')

    hook._memory_hook = MemoryHook()
    with hook:
        assert calls == ['enter']
    assert calls == ['enter', 'exit']


@pytest.mark.parametrize('unit, first, second', [
    ('B', ['1034.00B', '2048.00B'], ['5000000.00B', '1.00B']),
    ('KB', ['1.01KB', '2.00KB'], ['4882.81KB', '0.00KB']),
    ('auto', ['0.00MB', '2.00KB'], ['4.77MB', '0.00KB']),
    ('auto_foreach', ['1.01KB', '2.00KB'], ['4.77MB', '1.00B']),
])
def test_units(hook, unit, first, second):
    hook.call_history = [
        ('Exp', 1024, 2048, 0), ('Exp', 10, 0, 1), ('Sum', 5000000, 1, 0)]
    out = io.StringIO()
    hook.print_report(unit=unit, file=out)
    assert [line.split() for line in out.getvalue().splitlines()] == [
        ['FunctionName', 'UsedBytes', 'AcquiredBytes', 'Occurrence'],
        ['Exp', *first, '2'], ['Sum', *second, '1']]


@pytest.mark.parametrize('size, unit', [
    (-1, 'B'), (0, 'B'), (1023, 'B'), (1024, 'KB'), (1024 ** 2 - 1, 'KB'),
    (1024 ** 2, 'MB'), (1024 ** 7, 'ZB'), (1024 ** 9, 'ZB')])
def test_choice_of_units(hook, size, unit):
    assert hook._choose_unit(size) == (hook._table[unit], unit)


# On a GPU, or the stand-in for CuPy
#

@pytest.fixture
def x():
    return chainer_fast.Variable(cupy_memory_profile.cuda.to_gpu(
        numpy.arange(1000, dtype='f')))


@pytest.mark.gpu
def test_memory_of_functions(x):
    hook = function_hooks.CupyMemoryProfileHook()
    with hook:
        y = functions.exp(x)
        y.grad = x.array
        y.backward()
    before = hook.total_used_bytes()
    functions.exp(x)
    assert hook.total_used_bytes() == before
    assert hook.summary()['Exp']['used_bytes'] >= 4000
    assert before >= 8000


@pytest.mark.gpu
def test_ranges_of_functions(x, monkeypatch):
    nvtx = cuda_profile.cuda.cupy.cuda.nvtx
    ranges = []
    monkeypatch.setattr(nvtx, 'RangePush', ranges.append)
    monkeypatch.setattr(nvtx, 'RangePop', lambda: ranges.append(None))
    with function_hooks.CUDAProfileHook():
        functions.exp(x)
    assert ranges == ['exp.forward', None]
