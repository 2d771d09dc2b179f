"""Calls that are made again, which must do what their first ones did."""
import gc
import threading

import numpy as np
import pytest

import chainer_fast
from chainer_fast import testing
from chainer_fast.backends import _captures, _cudnn, _image_orders, cuda
from chainer_fast.backends._cudnn import (
    batch_normalization,
    convolution,
    plans,
    sessions,
)
from chainer_fast.backends.kernels import convolution as convolutions
from chainer_fast.backends.kernels import normalization
from tests.backends._cudnn.calls import convolve, short_of_memory

pytestmark = pytest.mark.gpu

FAST, LARGE, NONDETERMINISTIC, PLAIN = range(4)
WINDOW = (1, 2), (1, 0), (1, 1), 1
AXES = 0, 2, 3


def arrays_of(*shapes, dtype='f'):
    def draw(seed):
        random = np.random.RandomState(seed)
        return [random.uniform(.5, 2, shape).astype(dtype if len(shape) > 1 else 'f')
                for shape in shapes]
    return draw


IMAGES, FILTERS, PLACES = (2, 4, 5, 6), (6, 4, 3, 2), (2, 6, 5, 3)
CASES = {
    'convolve': (
        convolution.convolve, convolutions.convolve, arrays_of(IMAGES, FILTERS),
        (None, *WINDOW, (5, 3))),
    'biased': (
        convolution.convolve, convolutions.convolve, arrays_of(IMAGES, FILTERS, (6,)),
        (*WINDOW, (5, 3))),
    'convolve_transposed': (
        convolution.convolve_transposed, convolutions.convolve_transposed,
        arrays_of(PLACES, FILTERS), (None, *WINDOW, (5, 6))),
    'single places': (
        convolution.convolve, convolutions.convolve,
        arrays_of((2, 4, 3, 3), (6, 4, 3, 3)),
        (None, (1, 1), (0, 0), (1, 1), 1, (1, 1))),
    'correlate': (
        convolution.correlate, convolutions.correlate, arrays_of(IMAGES, PLACES),
        ((3, 2), *WINDOW, np.dtype('f'))),
    'batch_forward': (
        batch_normalization.batch_forward, normalization.batch_forward,
        arrays_of(IMAGES, (4,), (4,)), (AXES, 1e-3)),
    'batch_backward': (
        batch_normalization.batch_backward, normalization.batch_backward,
        arrays_of(IMAGES, (4,), IMAGES, (4,), (4,)), (AXES, False)),
}


@pytest.fixture
def runs(monkeypatch):
    """A list of the plans that were run in Python."""
    seen, run = [], plans.run

    def note(describe, *args, **kwargs):
        seen.append(describe.__name__)
        return run(describe, *args, **kwargs)
    monkeypatch.setattr(plans, 'run', note)
    return seen


def send(array, last):
    x = cuda.to_gpu(array)
    return _image_orders.dense(x, True) if last and x.ndim > 2 else x


@pytest.mark.parametrize('last', [False, True])
@pytest.mark.parametrize('name', CASES)
def test_results(frontend, runs, name, last):
    form, kernel, draw, arguments = CASES[name]
    found = []
    for seed in range(5):
        arrays = draw(seed)
        found.append(form(*[send(a, last) for a in arrays], *arguments))
        expected = kernel.reference(*arrays, *arguments)
        for y, other in zip(*[each if isinstance(each, tuple) else (each,)
                              for each in (found[-1], expected)], strict=True):
            testing.assert_allclose(y, other, 1e-5, 1e-5)
            assert _image_orders.channels_last(y) == (
                last and y.ndim > 2 and y.shape[2:] != (1, 1))
            assert y.flags.owndata or last
    # Even those that follow from lengths of one.
    assert len({tuple([y.strides for y in each]) if isinstance(each, tuple)
                else each.strides for each in found}) == 1
    assert len(frontend.ran) == 5
    # The first makes the session, the second is noted.
    assert len(runs) == 2
    addresses = {y.data.ptr for each in found
                 for y in (each if isinstance(each, tuple) else (each,))}
    assert len(addresses) == 5 * (len(found[0]) if isinstance(found[0], tuple) else 1)


def test_a_bias_that_no_engine_adds(frontend):
    """What is launched after a plan would be missing from a call of the plan alone."""
    frontend.refused = {'bias'}
    _, kernel, draw, arguments = CASES['biased']
    for seed in range(4):
        arrays = draw(seed)
        testing.assert_allclose(
            convolution.convolve(*map(cuda.to_gpu, arrays), *arguments),
            kernel.reference(*arrays, *arguments), 1e-5, 1e-5)


def test_one_array_in_two_places(frontend):
    for seed in range(4):
        x, W = [cuda.to_gpu(a) for a in arrays_of((3, 3, 2, 2), (3, 3, 2, 2))(seed)]
        for other in x, W:
            expected = convolutions.convolve.reference(
                x.get(), other.get(), None, (1, 1), (0, 0), (1, 1), 1, (1, 1))
            testing.assert_allclose(convolution.convolve(
                x, other, None, (1, 1), (0, 0), (1, 1), 1, (1, 1)), expected, 1e-5)


@pytest.mark.parametrize('change', [
    lambda x: send(x, False)[:, :, ::-1], lambda x: send(x, True),
    lambda x: cuda.cupy.asfortranarray(send(x, False)),
    lambda x: send(np.concatenate([x.ravel()[:1], x.ravel()]), False)[1:].reshape(
        x.shape)], ids=['gaps', 'last', 'fortran', 'misaligned'])
def test_operands_that_lie_otherwise(frontend, change):
    """They are copied for cuDNN, each time."""
    form, kernel, draw, arguments = CASES['convolve']
    for seed in range(4):
        x, W = draw(seed)
        for lying in send(x, False), change(x):
            testing.assert_allclose(
                form(lying, send(W, False), *arguments),
                kernel.reference(lying.get(), W, *arguments), 1e-5, 1e-5)


@pytest.mark.parametrize('entry, value, engine, more_runs', [
    ('cudnn_deterministic', True, PLAIN, 1),
    ('use_cudnn_tensor_core', 'always', FAST, 1), ('autotune', True, None, 1),
    ('use_cudnn', 'never', None, 0), ('train', False, NONDETERMINISTIC, 0)])
def test_settings(frontend, runs, entry, value, engine, more_runs):
    x, W, window = cuda.cupy.ones((1, 2, 4, 4), 'f'), cuda.cupy.ones(
        (3, 2, 1, 1), 'f'), ((1, 1), (0, 0), (1, 1), 1, (4, 4))

    def calls():
        for _ in range(4):
            y = convolutions.convolve(x, W, None, *window)
            assert float(y.max()) == 2
        found = [index for index, *_ in frontend.ran]
        frontend.ran.clear()
        return found
    before = calls()
    with chainer_fast.using_config(entry, value):
        if entry == 'use_cudnn':
            assert calls() == []
        elif engine is not None:
            assert calls() == [engine] * 4
        else:
            calls()
    assert calls() == before
    # The first two calls, and the first with other settings of cuDNN.
    assert len(runs) == 2 + more_runs


def test_settings_of_a_thread_are_its_own(frontend):
    with chainer_fast.using_config('cudnn_deterministic', True):
        thread = threading.Thread(target=lambda: [convolve() for _ in range(4)])
        thread.start()
        thread.join()
        for _ in range(4):
            convolve()
    assert [index for index, *_ in frontend.ran] == [NONDETERMINISTIC] * 4 + [PLAIN] * 4


def test_limits_of_the_workspace(frontend):
    for size, engine in (1 << 12, NONDETERMINISTIC), (0, PLAIN), (1 << 30, LARGE):
        cuda.set_max_workspace_size(size)
        for _ in range(3):
            convolve()
        assert [index for index, *_ in frontend.ran[-3:]] == [engine] * 3


def test_memory_that_is_short_later(frontend, monkeypatch):
    monkeypatch.setattr(_cudnn, '_WORKSPACE', 8 << 30)
    for _ in range(4):
        convolve()
    short_of_memory(monkeypatch, 1 << 20)
    for _ in range(4):
        convolve()
    assert [index for index, *_ in frontend.ran] == [LARGE] * 4 + [NONDETERMINISTIC] * 4
    assert frontend.planned == 2


def test_errors(frontend, monkeypatch):
    for _ in range(3):
        convolve()

    def fail(self, *args, **kwargs):
        raise RuntimeError('CUDNN_STATUS_EXECUTION_FAILED')
    with monkeypatch.context() as patch:
        patch.setattr(frontend.pygraph, '_run', fail)
        with pytest.raises(RuntimeError, match='EXECUTION_FAILED'):
            convolve()
    convolve()
    assert frontend.planned == 1


def test_latest_plans_are_kept(frontend, monkeypatch):
    monkeypatch.setattr(plans, 'LIMIT', 2)
    for n in 1, 2, 1, 1, 1, 1, 3, 1, 1:
        convolve((n, 2, 4, 4))
    # 3 came in the place of 2, since calls of 1 that are made again count.
    assert frontend.planned == 3
    convolve((2, 2, 4, 4))
    convolve((2, 2, 4, 4))
    assert frontend.planned == 4
    convolve((3, 2, 4, 4))
    assert frontend.planned == 5


def test_plans_that_are_dropped_are_free(frontend, monkeypatch):
    monkeypatch.setattr(plans, 'LIMIT', 1)
    for n in 1, 2, 3:
        for _ in range(3):
            convolve((n, 2, 4, 4))
    gc.collect()
    assert len([each for each in gc.get_objects() if type(each) is plans.Plan]) == 1


def test_number_of_calls(frontend, monkeypatch, runs):
    monkeypatch.setattr(sessions, 'LIMIT', 2)
    for _ in range(3):
        for n in 1, 2, 3:
            convolve((n, 2, 4, 4))
    assert (frontend.planned, len(frontend.ran)) == (3, 9)
    assert len(runs) > 6


def test_streams(frontend):
    for _ in range(3):
        convolve()
    stream = cuda.Stream()
    with stream:
        convolve()
    convolve()
    assert [ptr for *_, ptr in frontend.ran] == [0, 0, 0, stream.ptr, 0]


def test_devices(frontend):
    for _ in range(3):
        convolve()
        with cuda.Device(1):
            y = convolve()
            assert y.device == cuda.Device(1)
    assert (frontend.planned, len(frontend.ran)) == (2, 6)


def test_captures(frontend):
    for _ in range(3):
        convolve()
    kept = []
    with _captures.keeping(kept):
        convolve()
    assert {type(each) for each in kept} == {sessions.Session, plans.Plan}
    convolve()
    assert len(kept) == 2


def test_numbers_of_an_execution(frontend):
    calls = []
    execution = sessions.Execution(lambda *args: calls.append(args), 2, 'handle', None)
    execution([16, 32], 48)
    (_, count, workspace, handle), = calls
    assert (count, workspace, handle) == (2, 48, 'handle')
    with pytest.raises(ValueError, match='3 addresses for 2 tensors'):
        execution([1, 2, 3], 0)


def test_calls_inside_of_calls(frontend, monkeypatch, runs):
    """As those of an object that is freed while memory is taken."""
    convolve()
    empty = _image_orders.empty

    def interrupted(*args):
        with monkeypatch.context() as patch:
            patch.setattr(_image_orders, 'empty', empty)
            convolve((2, 2, 4, 4))
            convolve((2, 2, 4, 4))
        return empty(*args)
    monkeypatch.setattr(_image_orders, 'empty', interrupted)
    for _ in range(3):
        convolve()
    assert len(frontend.ran) == 6
    assert len(runs) == 3
