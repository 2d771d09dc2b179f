"""Memory of recorded calls, on cards that are nearly full as well."""
import contextlib
import gc

import numpy
import pytest

from chainer_fast.backends import cuda
from chainer_fast.graph_optimizations._gpu import memory
from chainer_fast.graph_optimizations._gpu.recorder import Recorder
from tests.graph_optimizations._gpu.cases import Plain, Static, is_recorded, step

pytestmark = pytest.mark.gpu

STEPS = 3       # as it is, recorded, launched


@pytest.fixture(params=[None, '1.28'], ids=['own kernels', 'cuDNN'])
def card(request, monkeypatch):
    """The memory of the stand-in, with and without its cuDNN."""
    from tests.doubles.host_cupy import array, card
    if cuda.ndarray is not array.ndarray:
        pytest.skip('cards get full on the stand-in alone')
    from tests.doubles.host_cudnn import fixtures
    fixtures.install(monkeypatch, request.param)
    give_all_back()
    return card.current()


def give_all_back():
    """Let each run find the same free memory: none."""
    gc.collect()
    cuda.memory_pool.free_all_blocks()
    memory.give_back()


def assert_right(chain, expected, k):
    for a, b in zip(step(chain, k), expected[k], strict=True):
        numpy.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def reason(chain):
    return [*chain.schedule_manager.recordings.refused.values()]


def train(chain, expected):
    """Train; return the number of steps that memory was too short for."""
    failed = 0
    for k in range(STEPS):
        try:
            assert_right(chain, expected, k)
        except MemoryError:
            failed += 1
    return failed


@pytest.fixture
def expected(card):
    plain = Plain()
    found = [step(plain, k) for k in range(STEPS)]
    del plain
    gc.collect()
    return found


def sweep(card, expected, prepare):
    """Let memory run out at each time that it is asked for, one after the other.

    Yields the chain, after its training, and how many steps failed.
    """
    count = 0
    while True:
        chain = Static()
        with prepare():
            before = card.asked
            with card.full_after(count):
                failed = train(chain, expected)
                asked = card.asked - before
        yield chain, failed
        # With memory again, all is as without the decorator.
        assert train(chain, expected) == 0
        if asked <= count:
            return
        count += 1
        del chain
        give_all_back()


@contextlib.contextmanager
def spare_memory():
    """Let the default pool have free blocks, which are not of the sizes wanted."""
    blocks = [cuda.cupy.empty(100, 'B') for _ in range(200)]
    blocks += [cuda.cupy.empty(64 << 20, 'B')]
    del blocks
    yield


def test_memory_runs_out_and_there_is_some_to_spare(card, expected):
    runs = list(map(
        lambda each: (each[1], reason(each[0]), is_recorded(each[0])),
        sweep(card, expected, spare_memory)))
    assert len(runs) > 10
    # What the default pool gives back is enough.
    assert set(map(repr, runs)) == {repr((0, [], True))}


def test_memory_runs_out(card, expected):
    halves = set()
    # How the pools have split what is free decides on the arrays that are asked for
    # last: those of the gradients' recording, or of its first launch.
    for _ in range(8):
        for count, (chain, failed) in enumerate(sweep(
                card, expected, contextlib.nullcontext)):
            reasons = reason(chain)
            assert bool(reasons) != is_recorded(chain) or failed, count
            halves.update([each.startswith('its gradients: ') for each in reasons])
            assert all(['out of memory' in each.lower() for each in reasons])
        if len(halves) == 2:
            break
    # Either half was the one that failed.
    assert halves == {False, True}


def test_what_a_graph_uses_is_never_given_back(card):
    """Blocks that are free by now would be enough for another one."""
    x = cuda.cupy.arange(1024, dtype='f')

    def function():
        y = (x[:512] + 1) * (x[512:] + 1)
        return y, x + 1
    expected = [each.get() for each in function()]
    failed = 0
    for count in range(6):
        cuda.memory_pool.free_all_blocks()
        recorder = Recorder()
        try:
            with card.full_after(count):
                recorded, found = recorder.record(function)
        except MemoryError:
            failed += 1
            continue
        recorded.launch()
        for a, b in zip(found, expected, strict=True):
            numpy.testing.assert_array_equal(a.get(), b)
    assert failed == 5


def test_a_half_that_fails_ends_the_recording(card, expected, ledger):
    chain, plain = Static(), Plain()
    for k in range(STEPS):
        assert_right(plain, expected, k)        # which leaves memory to the pool
    assert_right(chain, expected, 0)
    original, failed = memory._malloc, []

    def fail(size):
        if len(chain.schedule_manager.recordings._kept):
            failed.append(size)
            raise MemoryError('out of memory')
        return original(size)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory, '_malloc', fail)
        assert_right(chain, expected, 1)
    assert failed
    assert reason(chain) == ['its gradients: out of memory']
    for k in range(STEPS):
        with ledger.record() as counts:
            assert_right(chain, expected, k)
        assert 'Graph.launch' not in counts.launches


def test_limits_of_pools_do_not_reach_recorders(card, expected, monkeypatch):
    """A pool that has reached its limit would give back what graphs use."""
    monkeypatch.setenv('CUPY_GPU_MEMORY_LIMIT', '4096')
    chain = Static()
    assert train(chain, expected) == 0
    assert is_recorded(chain) and not reason(chain)


def test_memory_goes_with_the_chain(card, expected):
    before = card.used - cuda.memory_pool.total_bytes()
    chain = Static()
    train(chain, expected)
    assert is_recorded(chain)
    assert card.used - cuda.memory_pool.total_bytes() > before
    gc.disable()
    try:
        del chain
        assert not memory._ended
        assert card.used - cuda.memory_pool.total_bytes() == before
    finally:
        gc.enable()


def test_memory_of_a_failed_recording_comes_back(card, expected, monkeypatch):
    chain = Static()
    assert_right(chain, expected, 0)
    before = card.used - cuda.memory_pool.total_bytes()
    original, sizes = memory._malloc, []

    def fail(size):
        sizes.append(size)
        if len(sizes) > 3:
            raise MemoryError('out of memory')
        return original(size)
    monkeypatch.setattr(memory, '_malloc', fail)
    assert_right(chain, expected, 1)
    assert reason(chain) == ['out of memory']
    assert card.used - cuda.memory_pool.total_bytes() == before


def test_arrays_outlive_their_recorder(card):
    """CuPy 13 would give their memory to others."""
    x = cuda.cupy.arange(4, dtype='f')
    recorder = Recorder()
    recorded, y = recorder.record(lambda: x + 1)
    recorded.launch()
    before = card.used
    del recorder
    numpy.testing.assert_array_equal(y.get(), [1, 2, 3, 4])
    del y, recorded
    memory.give_back()
    assert card.used < before
    assert not memory._ended


def test_memory_of_another_device_is_given_back(card):
    from tests.doubles.host_cupy.card import of
    with cuda.cupy.cuda.Device(1):
        x = cuda.cupy.ones(4, 'f')
        before, recorder = of(1).used, Recorder()
        recorded, y = recorder.record(lambda: x + 1)
    del recorded, y, recorder
    assert of(1).used == before


def test_other_errors_of_cuda_pass(card, monkeypatch):
    from tests.doubles.host_cupy.card import CUDARuntimeError

    def fail(size):
        raise CUDARuntimeError(700)
    monkeypatch.setattr(cuda.cupy.cuda, 'Memory', fail)
    with pytest.raises(CUDARuntimeError):
        Recorder().copy(cuda.cupy.ones(4))


def test_no_garbage_is_collected_during_a_capture(card, monkeypatch):
    collected = []
    gc.callbacks.append(lambda phase, info: collected.append(phase))
    try:
        def function():
            collected.clear()
            made = [[] for _ in range(100_000)]     # more than enough for a collection
            assert made and not collected
        Recorder().record(function)
    finally:
        gc.callbacks.pop()
    assert gc.isenabled()
