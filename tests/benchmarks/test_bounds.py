"""Work of steps is what a count by hand says, and bounds follow from it."""
import importlib

import numpy as np
import pytest

import chainer_fast
import chainer_fast.functions as F
import chainer_fast.links as L
from chainer_fast import optimizers

# With the package come the names by which its scripts import each other.
importlib.import_module('benchmarks')
bounds, load, work = map(importlib.import_module, ('bounds', 'load', 'work'))


def step_of(model, optimizer, lossfun):
    optimizer.setup(model)

    def step():
        loss = lossfun()
        model.cleargrads()
        loss.backward()
        optimizer.update()
    step.optimizers = optimizer,
    return step


def test_work_of_a_perceptron():
    model = chainer_fast.Sequential(L.Linear(6, 5), F.relu, L.Linear(5, 2))
    x = np.ones((4, 6), 'f')
    found = work.count(step_of(
        model, optimizers.MomentumSGD(), lambda: F.sum(model(x))))
    first, second = 2 * 4 * 6 * 5, 2 * 4 * 5 * 2
    # Forward, gradients of both weights, and of the second input.
    assert found['operations'] == 2 * first + 3 * second
    h, y = 4 * 4 * 5, 4 * 4 * 2
    relu = [(2 * h, h), (3 * h, h)]
    total = [(y + 4, y), (4 + y, y)]
    params = [(5 * 4 * size, 4 * size) for size in (30, 5, 10, 2)]
    assert sorted(found['traffic']) == sorted([*relu, *total, *params])


def test_work_of_convolutions():
    model = chainer_fast.Sequential(
        L.Convolution2D(3, 4, 3, pad=1), L.Deconvolution2D(4, 2, 2, stride=2))
    x = np.ones((2, 3, 5, 7), 'f')
    found = work.count(step_of(
        model, optimizers.SGD(), lambda: F.sum(model(x))))
    first = 2 * 2 * 35 * 4 * 27
    second = 2 * 2 * 35 * 4 * 8
    assert found['operations'] == 2 * first + 3 * second


def test_work_of_recurrent_layers_and_products():
    model = L.NStepLSTM(2, 3, 4, 0.)
    xs = [np.ones((length, 3), 'f') for length in (5, 2)]
    found = work.count(step_of(
        model, optimizers.Adam(), lambda: F.sum(model(None, None, xs)[0])))
    inputs, lateral = 2 * 7 * 4 * 12, 2 * 7 * 4 * 16
    assert found['operations'] == 2 * inputs + 3 * 3 * lateral
    a, b = [chainer_fast.Variable(np.ones((3, *shape), 'f'))
            for shape in ((2, 5), (5, 4))]

    def step():
        F.sum(F.matmul(a, b)).backward()
    assert work.count(step)['operations'] == 3 * (2 * 3 * 2 * 5 * 4)


def test_bound_is_products_and_arrays():
    copies = [10. * (i + 1) for i in range(len(bounds.SIZES))]
    speeds = {'product': 100., 'copies': copies}
    counted = {'operations': 500, 'traffic': [
        (40, bounds.SIZES[0]), (60, bounds.SIZES[0] + 1), (80, 2 ** 40)]}
    products, arrays = bounds.bound_of(counted, speeds)
    assert products == 5
    assert arrays == pytest.approx(40 / 10 + 60 / 20 + 80 / copies[-1])


def test_speeds_are_measured():
    assert work.copies(2 ** 13, 2) > 0
    assert work.copies(work.LEAST_SHARED, 2) > 0


def test_row_of_load():
    found = load.row('a', 2, 'chainer_fast', [.1, .2, .1], [.1, .3, .1], [.12, .2, .14])
    assert found == ['a', '2', 'chainer_fast', '100.00', '1.00', '1.20', '1.40', 'no',
                     '1.50']


def test_load_ends():
    with load.Load(2) as _, pytest.raises(KeyError):
        raise KeyError
