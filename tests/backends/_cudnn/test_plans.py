"""How plans are found, kept and run."""
import contextlib
import threading
import warnings

import pytest

import chainer_fast
from chainer_fast.backends import cuda
from chainer_fast.backends._cudnn import convolution, plans
from tests.host_cudnn import graph

pytestmark = pytest.mark.gpu

FAST, LARGE, NONDETERMINISTIC, PLAIN = range(4)


def convolve(shape=(1, 2, 4, 4), dtype='f'):
    x, W = cuda.cupy.ones(shape, dtype), cuda.cupy.ones((3, shape[1], 1, 1), dtype)
    y = convolution.convolve(
        x, W, None, (1, 1), (0, 0), (1, 1), 1, shape[2:])
    assert y is NotImplemented or float(y.max()) == shape[1]
    return y


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
    monkeypatch.setattr(frontend.pygraph, 'execute', fail)
    with pytest.raises(RuntimeError, match='EXECUTION_FAILED'):
        convolve()


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
