"""The threads that loops are shared among."""
import multiprocessing
import threading

import numpy as np
import pytest

import chainer_fast
import chainer_fast.functions as F


@pytest.mark.parametrize('value', [0, -1, True, 1.5, '2'])
def test_only_positive_integers_are_numbers_of_threads(value):
    for config in (chainer_fast.config, chainer_fast.global_config):
        with pytest.raises(ValueError, match='num_threads must be None or a positive'):
            config.num_threads = value
    assert chainer_fast.config.num_threads is None


def convolution():
    random = np.random.RandomState(0)
    x = random.random_sample((8, 32, 32, 32)).astype(np.float32)
    W = random.random_sample((48, 32, 3, 3)).astype(np.float32)
    x, W = chainer_fast.Variable(x), chainer_fast.Variable(W)
    y = F.convolution_2d(x, W, pad=1)
    F.sum(y * y).backward()
    return y.array, x.grad, W.grad


@pytest.mark.parametrize('threads', [1, 2, 5])
def test_results_do_not_depend_on_the_number_of_threads(threads):
    expected = convolution()
    with chainer_fast.using_config('num_threads', threads):
        for result, other in zip(convolution(), expected, strict=True):
            np.testing.assert_allclose(result, other, rtol=1e-5)


def _send_convolution(pipe):
    pipe.send(convolution())


@pytest.mark.parametrize('threads', [None, 2])
@pytest.mark.posix('the program is forked')
def test_a_forked_process_does_not_wait_for_threads_that_it_does_not_have(threads):
    with chainer_fast.using_config('num_threads', threads):
        expected = convolution()        # the pool has started
        here, there = multiprocessing.Pipe()
        process = multiprocessing.get_context('fork').Process(
            target=_send_convolution, args=(there,), daemon=True)
        process.start()
        assert here.poll(60), 'the forked process hangs'
        for result, other in zip(here.recv(), expected, strict=True):
            np.testing.assert_allclose(result, other, rtol=1e-5)
        process.join()


def test_threads_of_python_share_loops_at_the_same_time():
    expected = convolution()
    results = []
    threads = [threading.Thread(target=lambda: results.append(convolution()))
               for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4
    for result in results:
        for array, other in zip(result, expected, strict=True):
            np.testing.assert_allclose(array, other, rtol=1e-5)
