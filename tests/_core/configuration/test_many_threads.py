"""Several threads of Python compute at the same time, and share loops besides.

Results are those of one thread after the other. Under the sanitizer of threads
(``make sanitize-threads``), this is what shows two threads at one place of memory.
"""
import threading

import numpy as np
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
import chainer_fast.links as L
from chainer_fast import iterators, optimizers
from tests.graph_optimizations.static_chains import Static, affine, draw, every_loop

THREADS = 3


def together(work):
    """Return what ``work(i)`` returns in each of some threads that start at once."""
    results = [None] * THREADS
    start = threading.Barrier(THREADS)

    def run(i):
        try:
            start.wait(60)
            with chainer.using_config('num_threads', 2):
                results[i] = work(i)
        except BaseException as error:
            results[i] = error

    threads = [threading.Thread(target=run, args=(i,)) for i in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return results


def check(work):
    expected = [work(i) for i in range(THREADS)]
    for mine, other in zip(together(work), expected, strict=True):
        for a, b in zip(mine, other, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-5)


def variables(seed, *shapes):
    return [chainer.Variable(draw(seed + i, *shape))
            for i, shape in enumerate(shapes)]


def results(loss, inputs):
    return [loss.array, *[g.array for g in chainer.grad([loss], inputs)]]


def images(seed):
    x, W, scale, bias = variables(seed, (4, 16, 24, 24), (24, 16, 3, 3), (24,), (24,))
    y = F.batch_normalization(F.convolution_2d(x, W, pad=1), scale, bias)
    y = F.max_pooling_2d(F.relu(y), 3, 2)
    y = F.average_pooling_2d(F.local_response_normalization(y), 2)
    y = F.group_normalization(y, 4, scale, bias)
    return results(F.sum(F.deconvolution_2d(y, F.swapaxes(W, 0, 1).reshape(
        24, 16, 3, 3))), [x, W, scale, bias])


def regions(seed):
    x, grid = variables(seed, (2, 4, 24, 24), (2, 2, 20, 20))
    rois = np.array([[0, 1, 17, 19], [3, 2, 20, 22]], 'f')
    indices = np.array([0, 1], 'i')
    terms = [f(x, rois, indices, 5, 1.) for f in (
        F.roi_max_pooling_2d, F.roi_average_pooling_2d, F.roi_max_align_2d,
        F.roi_average_align_2d)]
    terms += [F.resize_images(x, (40, 41)), F.spatial_transformer_sampler(x, grid),
              F.unpooling_2d(x, 2)]
    return results(sum(F.sum(term * term) for term in terms), [x, grid])


def elements(seed):
    x, y = variables(seed, (400, 700), (400, 700))
    z = F.tanh(x) * F.sigmoid(y) + F.elu(x - y) / (1.5 + F.softplus(y))
    z = F.log_softmax(F.where(x.array > 0, z, F.exp(-z)), 1) + F.maxout(
        F.concat([x, y], 1), 2)
    return results(F.sum(z * z) + F.sum(F.prelu(x, y[0])), [x, y])


def sequences(seed):
    W, h, c, x = variables(seed, (1000, 32), (1, 4, 32), (1, 4, 32), (4, 9))
    ws, bs = [[variables(seed + k, *[shape] * 8)]
              for k, shape in ((5, (32, 32)), (20, (32,)))]
    ids = [np.random.RandomState(seed + i).randint(0, 1000, 9 - i).astype('i')
           for i in range(4)]
    xs = [F.embed_id(each, W) for each in ids]
    *_, ys = F.n_step_lstm(1, 0., h, c, ws, bs, F.transpose_sequence(xs))
    scores = [F.linear(y, W[:9]) for y in ys]
    cost = W[:9, :9]
    loss = F.crf1d(cost, scores, [np.arange(len(y), dtype='i') for y in scores])
    full = F.stack(scores[:6])
    loss += F.connectionist_temporal_classification(
        list(F.separate(full)), np.array([[1, 2]] * 4, 'i'), 0)
    loss += F.softmax_cross_entropy(scores[0] + x, np.arange(4, dtype='i'))
    loss += F.negative_sampling(
        scores[0], np.arange(4, dtype='i'), cost, lambda shape: np.zeros(shape, 'i'), 3)
    return results(loss, [W, h, c, x, ws[0][0], bs[0][0]])


def updates(seed):
    link = chainer.Sequential(L.EmbedID(3000, 40), L.Linear(40, 300), L.Linear(300, 7))
    for i, param in enumerate(link.params()):
        param.array[...] = draw(seed + i, *param.shape)
    optimizer = (optimizers.Adam(), optimizers.MomentumSGD(), optimizers.RMSprop())[
        seed % 3].setup(link)
    optimizer.add_hook(chainer.optimizer_hooks.WeightDecay(1e-3))
    for step in range(3):
        ids = np.random.RandomState(seed + step).randint(0, 3000, 64).astype('i')
        optimizer.update(lambda ids=ids: F.softmax_cross_entropy(link(ids), ids % 7))
    return [param.array for param in link.params()]


@pytest.mark.parametrize('work', [images, regions, elements, sequences, updates])
def test_results_are_those_of_one_thread(work):
    check(work)


def test_one_model_for_all_threads():
    model = chainer.Sequential(L.Linear(64, 64), F.relu, L.Linear(64, 64))
    params = list(model.params())
    t = np.arange(128, dtype='i') % 64

    def work(i):
        x = chainer.Variable(draw(i, 128, 64))
        return [each for _ in range(5) for each in results(
            F.softmax_cross_entropy(model(x), t), [x, *params])]

    check(work)


@pytest.mark.parametrize('units', [3, 200])
def test_one_static_chain_for_all_threads(units):
    static = Static(
        lambda chain, x: every_loop(chain, affine(chain, x) / units), units=units)

    def work(i):
        x = chainer.Variable(draw(i, 150, units))
        return [each for _ in range(6) for each in results(
            F.sum(static(x)), [x, static.w, static.b])]

    check(work)


def test_random_numbers():
    def work(i):
        x = chainer.Variable(np.ones((100, 200), 'f'))
        y = F.dropout(F.gaussian(x, x))
        loss = F.sum(F.rrelu(y)) + F.sum(F.gumbel_softmax(x))
        return [g.shape for g in chainer.grad([loss], [x])]

    assert together(work) == [[(100, 200)]] * THREADS


def test_examples_by_many_threads():
    images = [draw(i, 3, 20, 20) for i in range(30)]
    dataset = chainer.datasets.TransformDataset(
        list(range(30)), lambda i: (F.tanh(images[i]).array, np.int32(i)))

    def work(i):
        iterator = iterators.MultithreadIterator(
            dataset, 7, repeat=False, shuffle=False, n_threads=3)
        batches = [chainer.dataset.concat_examples(batch) for batch in iterator]
        iterator.finalize()
        return [array for batch in batches for array in batch]

    check(work)
