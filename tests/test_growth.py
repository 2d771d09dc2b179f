"""Operations that take time in proportion to what they work on, and to no more."""
import gc
import time

import numpy as np
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
import chainer_fast.links as L


def least_time(compute, rounds=3):
    times = []
    gc.disable()        # which looks through what other tests have left
    try:
        for _ in range(rounds):
            start = time.process_time()
            compute()
            times.append(time.process_time() - start)
    finally:
        gc.enable()
    return min(times)


def chain_list(n):
    links = [L.Linear(1, 1) for _ in range(n)]
    return lambda: chainer.ChainList(*links)


class Doubled(chainer.FunctionNode):

    def forward(self, xs):
        return tuple([2 * x for x in xs])

    def backward(self, indexes, gys):
        return tuple([2 * gys[i] for i in indexes])


def static_chain(n):
    class Chain(chainer.Chain):

        @chainer.static_graph
        def __call__(self, x):
            return F.concat(Doubled().apply(F.split_axis(x, n, 0)), 0)

    def compute():
        chain = Chain()
        for _ in range(3):
            chain(chainer.Variable(np.zeros(n, 'f')))
    return compute


@pytest.mark.parametrize('make, n', [(chain_list, 500), (static_chain, 1500)])
def test_time_grows_with_the_size(make, n):
    # Times of so many objects grow by 1.5 more, as they do not stay in the caches.
    assert least_time(make(16 * n), 2) < 40 * least_time(make(n))


@pytest.mark.parametrize('index', [np.s_[::-1], np.s_[::-1, ::-1], np.s_[:, ::-1]])
def test_reversed_axes_are_no_other_axes(index):
    """Their strides are negative, but are not those of the nearest elements."""
    x = chainer.Variable(np.zeros((1500, 1500), 'f'))
    gy = np.ones_like(x.array)

    def compute(index):
        y = x[index]
        y.grad = gy
        y.backward()
        x.cleargrad()
    with chainer.using_config('num_threads', 1):
        assert least_time(lambda: compute(index), 7) < 6 * least_time(
            lambda: compute(np.s_[:1500]), 7)
