"""What recorded graphs use remains as long as they do, whoever else drops it."""
import gc
import threading

import numpy
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
from chainer_fast.backends import _captures, cuda
from chainer_fast.backends._cudnn import plans, sessions
from chainer_fast.graph_optimizations._gpu.recorder import Recorder
from tests.graph_optimizations._gpu.cases import Plain, Static, is_recorded, step

pytestmark = pytest.mark.gpu


@pytest.fixture(params=['1.24', '1.28'])
def frontend(request, monkeypatch):
    from tests.doubles.host_cudnn import fixtures
    return fixtures.install(monkeypatch, request.param)


def assert_same(static, plain, k):
    for a, b in zip(step(static, k), step(plain, k), strict=True):
        numpy.testing.assert_allclose(a, b, 1e-4, 1e-5)


def test_plans_that_are_not_kept_any_more(frontend, monkeypatch):
    static, plain = Static(), Plain()
    for k in range(3):
        assert_same(static, plain, k)
    assert is_recorded(static)
    monkeypatch.setattr(plans, 'LIMIT', 1)
    for n in range(1, 9):
        step(plain, 0)
        F.convolution_2d(cuda.cupy.ones((n, 2, 4, 4), 'f'), plain.conv.W)
    assert len(sessions.session().plans) <= 16
    gc.collect()
    for k in range(3):
        assert_same(static, plain, k)


def test_plans_of_a_thread_that_ends(frontend):
    static, plain = Static(), Plain()
    step(static, 0)
    thread = threading.Thread(target=step, args=(static, 1))
    thread.start()
    thread.join()
    del thread
    assert is_recorded(static)
    gc.collect()
    for k in range(3):
        assert_same(static, plain, k)
    # The session of the thread, its handle and its plans go with the recording.
    destroyed = len(frontend.destroyed)
    del static
    gc.collect()
    assert frontend.destroyed[destroyed:] == [0]


def test_nothing_is_kept_without_a_capture(frontend):
    plain = Plain()
    step(plain, 0)
    assert not _captures.is_capturing()
    found = []
    with _captures.keeping(found):
        assert _captures.is_capturing()
        step(plain, 0)
    assert {type(each) for each in found} > {plans.Plan}
    assert not _captures.is_capturing()


def test_zeros_that_cudnn_reads(frontend):
    """More of them are made for other layers, and none in the place of a launch."""
    def normalize(channels):
        shape = (4, channels, 2, 2)
        return F.batch_normalization(
            cuda.cupy.arange(16 * channels, dtype='f').reshape(shape),
            cuda.cupy.ones(channels, 'f'), cuda.cupy.zeros(channels, 'f'))
    expected = normalize(3).array.get()
    recorder = Recorder()
    recorded, y = recorder.record(lambda: normalize(3))
    sessions.session().zeros = None
    gc.collect()
    recorded.launch()
    numpy.testing.assert_allclose(y.array.get(), expected, 1e-5)
    other = Recorder()
    recorded, y = other.record(lambda: normalize(3))
    assert sessions.session().zeros is None
    recorded.launch()
    numpy.testing.assert_allclose(y.array.get(), expected, 1e-5)


def test_engines_are_not_measured_during_a_capture(frontend):
    plain = Plain()
    x = cuda.cupy.ones((2, 2, 4, 4), 'f')
    recorder = Recorder()
    with chainer.using_config('train', False):
        expected = plain(x).array.get()
    with chainer.using_config('train', False), chainer.using_config('autotune', True):
        recorded, y = recorder.record(lambda: plain(x))
        recorded.launch()
        numpy.testing.assert_allclose(y.array.get(), expected, 1e-4, 1e-5)


def test_arrays_in_lists_of_links():
    class Model(chainer.Chain):

        def __init__(self):
            super().__init__()
            self.offsets = [cuda.cupy.full(3, 2, 'f')]

        @chainer.static_graph
        def forward(self, x):
            return F.tanh(x + self.offsets[0])

    model = Model()
    x = cuda.cupy.zeros((2, 3), 'f')
    for _ in range(3):
        expected = model(x).array.get()
    model.offsets[0] = cuda.cupy.full(3, 2, 'f')
    gc.collect()
    numpy.testing.assert_array_equal(model(x).array.get(), expected)


def test_kernels_that_cupy_forgets(ledger):
    """CuPy unloads them, and a graph has their addresses."""
    static, plain = Static(), Plain()
    for k in range(3):
        assert_same(static, plain, k)
    assert is_recorded(static)
    cuda.clear_memo()
    assert not is_recorded(static)
    assert not static.schedule_manager.recordings.refused
    for k in range(3):
        with ledger.record() as counts:
            assert_same(static, plain, k)
    assert is_recorded(static)
    assert counts.launches.count('Graph.launch') == 2
