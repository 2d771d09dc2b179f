"""Threads that build and differentiate graphs of their own."""
import gc
import threading

import numpy as np

import chainer_fast
from chainer_fast import functions as F
from chainer_fast.variable import Variable


class Square(chainer_fast.FunctionNode):

    def forward(self, inputs):
        self.retain_inputs((0,))
        return inputs[0] * inputs[0],

    def backward(self, indexes, grad_outputs):
        x, = self.get_retained_inputs()
        return grad_outputs[0] * x * 2.,


def train(seed, n=150, wait=None):
    """Fit a small model; return its parameters."""
    random = np.random.RandomState(seed)
    w1 = chainer_fast.Parameter(random.normal(0, .5, (8, 3)).astype('f'))
    w2 = chainer_fast.Parameter(random.normal(0, .5, (1, 8)).astype('f'))
    for i in range(n):
        if wait is not None and i % 10 == 0:
            wait()
        x = random.normal(0, 1, (5, 3)).astype('f')
        h = F.tanh(F.linear(x, w1))
        error = F.linear(h, w2) - x[:, :1]
        loss = F.mean(Square().apply((error,))[0])
        for w in w1, w2:
            w.cleargrad()
        with chainer_fast.using_config('lazy_grad_sum', seed % 2 == 0):
            loss.backward(enable_double_backprop=i % 3 == 0)
        for w in w1, w2:
            w.array -= 0.1 * w.grad
    assert loss.array < 1
    return w1.array, w2.array


def run(functions):
    results = [None] * len(functions)

    def call(i):
        results[i] = functions[i]()

    threads = [threading.Thread(target=call, args=(i,)) for i in range(len(functions))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert None not in results
    return results


def test_models_side_by_side():
    barrier = threading.Barrier(3)
    seeds = range(3)
    together = run([
        lambda seed=seed: train(seed, wait=barrier.wait) for seed in seeds])
    for seed, arrays in zip(seeds, together, strict=True):
        for a, b in zip(arrays, train(seed), strict=True):
            np.testing.assert_array_equal(a, b)


def test_graph_that_another_thread_built():
    x = Variable(np.ones(2, 'f'))
    y = F.tanh(x * 2)
    y.grad = np.ones(2, 'f')

    def differentiate():
        y.backward()
        return True

    run([differentiate])
    np.testing.assert_allclose(x.grad, 2 * (1 - np.tanh(2) ** 2), rtol=1e-5)


def test_graph_freed_by_another_thread():
    graphs = [F.tanh(Variable(np.ones(2, 'f')) * 2) for _ in range(500)]

    def free():
        while graphs:
            graphs.pop()
        return True

    def build():
        for _ in range(500):
            F.tanh(Variable(np.ones(2, 'f')) * 2)
        return True

    run([free, build, free])


def test_one_leaf_of_several_threads():
    x = Variable(np.ones(3, 'f'))

    def gradients():
        return [chainer_fast.grad([F.sum(x * float(i))], [x])[0].array[0]
                for i in range(100)]

    for result in run([gradients] * 3):
        assert result == list(range(100))


def test_collection_in_the_middle():
    stop = threading.Event()

    def collect():
        while not stop.is_set():
            gc.collect()
        return True

    def cycles():
        try:
            for _ in range(200):
                x = Variable(np.ones(2, 'f'))
                x.end = Square().apply((x * 2,))[0]
                x.end.start = x
                x.end.grad = np.ones(2, 'f')
                x.end.backward()
        finally:
            stop.set()
        return True

    run([collect, cycles])
