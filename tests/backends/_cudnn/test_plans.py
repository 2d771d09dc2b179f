"""How plans are found, kept and run."""
import contextlib
import gc
import subprocess
import sys
import threading
import warnings

import pytest

import chainer_fast
from chainer_fast.backends import _cudnn, cuda
from chainer_fast.backends._cudnn import plans
from chainer_fast.backends.kernels import normalization as kernels
from tests.backends._cudnn.calls import convolve, short_of_memory
from tests.doubles.host_cudnn import graph

pytestmark = pytest.mark.gpu

FAST, LARGE, NONDETERMINISTIC, PLAIN = range(4)


def engines(frontend):
    return [index for index, *_ in frontend.ran]


def test_plans_are_kept(frontend):
    for _ in range(3):
        convolve()
    assert (frontend.planned, len(frontend.ran)) == (1, 3)
    convolve((2, 2, 4, 4))
    convolve(dtype='e')
    with chainer_fast.using_config('cudnn_deterministic', True):
        convolve()
    assert frontend.planned == 4
    convolve()
    assert frontend.planned == 4


def test_number_of_plans(frontend, monkeypatch):
    monkeypatch.setattr(plans, 'LIMIT', 2)
    for n in (1, 2, 1, 3, 1, 2):
        convolve((n, 2, 4, 4))
    # 2 went when 3 came, since 1 had been used later; then it came again.
    assert frontend.planned == 4


@pytest.mark.parametrize('dtype, settings, engine', [
    ('f', {}, NONDETERMINISTIC),
    ('e', {}, FAST),
    ('e', {'use_cudnn_tensor_core': 'never'}, NONDETERMINISTIC),
    ('f', {'use_cudnn_tensor_core': 'always'}, FAST),
    ('f', {'cudnn_deterministic': True}, PLAIN),
    ('e', {'cudnn_deterministic': True}, FAST),
])
def test_engines(frontend, dtype, settings, engine):
    with contextlib.ExitStack() as stack:
        for item in settings.items():
            stack.enter_context(chainer_fast.using_config(*item))
        convolve(dtype=dtype)
    assert engines(frontend) == [engine]


@pytest.mark.parametrize('size, engine', [
    (0, PLAIN), (1 << 12, NONDETERMINISTIC), (1 << 30, LARGE)])
def test_workspace(frontend, size, engine):
    cuda.set_max_workspace_size(size)
    assert cuda.get_max_workspace_size() == size
    convolve()
    assert engines(frontend) == [engine]


def test_workspace_without_a_limit(frontend, monkeypatch):
    monkeypatch.setattr(_cudnn, '_WORKSPACE', 8 << 30)
    convolve()
    assert engines(frontend) == [LARGE]
    # What programs do that set a limit for a while.
    cuda.set_max_workspace_size(cuda.get_max_workspace_size())
    convolve()
    cuda.set_max_workspace_size(0)
    convolve()
    assert engines(frontend) == [LARGE, LARGE, PLAIN]


@pytest.mark.parametrize('user', [None, 8 << 30])
def test_workspace_that_there_is_no_memory_for(frontend, monkeypatch, user):
    monkeypatch.setattr(_cudnn, '_WORKSPACE', 8 << 30)
    cuda.set_max_workspace_size(user)
    short_of_memory(monkeypatch, 1 << 20)
    for _ in range(3):
        convolve()
    # The other engine is kept.
    assert (frontend.planned, engines(frontend)) == (2, [NONDETERMINISTIC] * 3)


def test_no_engine_for_the_memory_that_there_is(frontend, monkeypatch):
    monkeypatch.setattr(_cudnn, '_WORKSPACE', 8 << 30)
    monkeypatch.setattr(plans, 'SPARING', 1 << 8)
    monkeypatch.setattr(graph, 'ENGINES', graph.ENGINES[:NONDETERMINISTIC])
    short_of_memory(monkeypatch, 0)
    assert convolve() is convolve() is NotImplemented
    assert frontend.planned == 2


def test_no_memory_for_any_workspace(frontend, monkeypatch):
    short_of_memory(monkeypatch, 0)
    with pytest.raises(MemoryError):
        convolve()


def test_autotune_where_memory_is_short(frontend, monkeypatch):
    short_of_memory(monkeypatch, 0)
    with chainer_fast.using_config('autotune', True):
        convolve()
    assert set(engines(frontend)) == {PLAIN}


def test_autotune(frontend, monkeypatch):
    times = {FAST: 3, NONDETERMINISTIC: 2, PLAIN: 1}
    monkeypatch.setattr(plans.Plan, '_time', lambda plan, arrays, handle: times[
        plan.index])
    with chainer_fast.using_config('autotune', True):
        convolve(dtype='e')
        convolve(dtype='e')
    assert (frontend.planned, engines(frontend)) == (1, [PLAIN, PLAIN])


def test_autotune_measures_with_events(frontend):
    with chainer_fast.using_config('autotune', True):
        convolve()
        measured = len(frontend.ran) - 1
        assert {NONDETERMINISTIC, PLAIN} == set(engines(frontend))
        convolve()
    # Two engines take it, and each runs once before it is measured.
    assert (measured, len(frontend.ran)) == (8, 10)


def test_no_engine(frontend):
    frontend.refused = {'conv_fprop'}
    assert convolve() is convolve() is NotImplemented
    assert frontend.planned == 1


def normalize(shape, dtype='f'):
    x = cuda.cupy.ones(shape, dtype)
    parameter = cuda.cupy.ones(shape[1], 'f')
    return kernels.batch_forward(x, parameter, parameter, (0, 2, 3), .1)[0]


def test_devices_without_engines_are_not_asked_again(frontend):
    frontend.refused = {'batchnorm', 'batchnorm_backward'}      # as on a T4
    for n in range(2, 9):
        assert abs(normalize((n, 2, 4, 4)) - 1).max() < 1e-6
    # The graph, and an ordinary one.
    assert frontend.planned == 2
    normalize((2, 2, 4, 4), 'e')
    normalize((3, 2, 4, 4), 'e')
    assert (frontend.planned, frontend.ran) == (4, [])
    convolve()
    convolve((2, 2, 4, 4))
    assert frontend.planned == 6


def test_refusals_of_one_shape(frontend, monkeypatch):
    create = frontend.pygraph.create_execution_plans

    def refuse(self, *args):
        create(self, *args)
        if self.tensors[0].dim[1] == 2:
            raise graph.NotSupported('an odd shape')
    monkeypatch.setattr(frontend.pygraph, 'create_execution_plans', refuse)
    normalize((2, 2, 4, 4))
    assert not frontend.ran
    normalize((2, 4, 4, 4))
    assert len(frontend.ran) == 1


def test_refusals_with_other_errors_are_told(frontend, monkeypatch):
    def fail(self):
        raise RuntimeError('CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED')
    monkeypatch.setattr(graph.Graph, 'check_support', fail)
    monkeypatch.setattr(frontend.pygraph, 'check_support', fail)
    with pytest.warns(UserWarning, match='SUBLIBRARY_LOADING_FAILED'):
        assert convolve() is NotImplemented
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        assert convolve() is NotImplemented


def test_errors_of_an_execution_are_raised(frontend, monkeypatch):
    convolve()

    def fail(self, *args, **kwargs):
        raise RuntimeError('CUDNN_STATUS_EXECUTION_FAILED')
    monkeypatch.setattr(frontend.pygraph, '_run', fail)
    with pytest.raises(RuntimeError, match='EXECUTION_FAILED'):
        convolve()


def refuse(self, *args, **kwargs):
    raise AssertionError('not to be called')


def test_the_public_call_is_not_needed(frontend, monkeypatch):
    monkeypatch.setattr(frontend.pygraph, 'execute', refuse)
    convolve()
    convolve()
    assert len(frontend.ran) == 2


@pytest.mark.parametrize('lacking', [
    '_execute_with_raw_ptrs', '_prepare_variant_pack_template', 'order'])
def test_the_public_call(frontend, monkeypatch, lacking):
    if lacking == 'order':
        # Tensors of the frontend's own, whose addresses nobody here knows.
        monkeypatch.setattr(
            graph.Graph, '_get_variant_pack_uids_sorted', lambda self: [1, 2, 3, 9])
    else:
        for each in graph.Graph, graph.CompiledGraph:
            monkeypatch.delattr(each, lacking)
    convolve()
    convolve()
    assert len(frontend.ran) == 2


# Older frontends have a compiled graph alone, which knows of one engine.
@pytest.mark.parametrize('frontend', ['1.28'], indirect=True)
@pytest.mark.parametrize('python', [False, True])
def test_the_public_call_chooses_the_engine(frontend, monkeypatch, python):
    def call(self, *args):
        raise AssertionError('not to be called')
    if python:
        monkeypatch.setattr(graph.PythonGraph, 'selected_engine', object())
        call.__doc__ = 'plan_index'
    # Otherwise it is without the number of the engine, as in version 1.27.
    monkeypatch.setattr(graph.CompiledGraph, '_execute_with_raw_ptrs', call)
    convolve()
    assert len(frontend.ran) == 1


def test_streams(frontend):
    convolve()
    stream = cuda.Stream()
    with stream:
        convolve()
    convolve()
    assert [ptr for *_, ptr in frontend.ran] == [0, stream.ptr, 0]


def test_devices_and_threads_have_handles_of_their_own(frontend):
    convolve()
    with cuda.Device(1):
        convolve()
    assert frontend.planned == 2
    thread = threading.Thread(target=convolve)
    thread.start()
    thread.join()
    assert (frontend.planned, len(frontend.ran)) == (3, 3)
    convolve()
    assert frontend.planned == 3


def test_handles_end_with_their_threads(frontend):
    convolve()

    def work():
        convolve()
        with cuda.Device(1):
            convolve()
    for n in range(1, 4):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        gc.collect()
        assert frontend.destroyed == [0, 0] * n
    convolve()
    assert (frontend.planned, cuda.cupy.cuda.runtime.getDevice()) == (7, 0)


def test_handles_at_the_end_of_the_interpreter():
    """Nothing calls a library that may be gone."""
    script = '''
import sys, threading
from tests.doubles import host_cudnn
frontend = sys.modules['cudnn'] = host_cudnn.make()

def fail(handle):
    print('destroyed', flush=True)
frontend.destroy_handle = fail
from tests.backends._cudnn.calls import convolve
convolve()
started, never = threading.Event(), threading.Event()

def wait():
    convolve()
    started.set()
    never.wait()
threading.Thread(target=wait, daemon=True).start()
started.wait()
print(len(frontend.ran))
'''
    found = subprocess.run(
        [sys.executable, '-c', 'from tests.doubles import host_cupy\n'
         'host_cupy.install()' + script], capture_output=True, text=True)
    assert (found.stdout, found.stderr) == ('2\n', '')
