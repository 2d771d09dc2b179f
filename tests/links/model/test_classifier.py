import numpy as np
import pytest

import chainer_fast
from chainer_fast import functions as F
from chainer_fast import links
from tests import compare

X = np.random.RandomState(0).randn(4, 3).astype('f')
T = np.array([0, 1, 1, 0], 'i')


class Predictor(chainer_fast.Link):

    def forward(self, *args, **kwargs):
        self.seen = args, kwargs
        return chainer_fast.Variable(self.device.send(X[:, :2]))


@pytest.mark.parametrize('key, args, kwargs, seen', [
    (-1, (X, T), {}, ((X,), {})),
    (0, (T, X), {'k': 1}, ((X,), {'k': 1})),
    (1, (X, T, X), {}, ((X, X), {})),
    ('t', (X,), {'t': T, 'k': 1}, ((X,), {'k': 1})),
    (0, (T,), {}, ((), {})),
])
def test_takes_the_labels_out(device, key, args, kwargs, seen):
    model = device.send(links.Classifier(Predictor(), label_key=key))
    args, kwargs = device.send(args), device.send(kwargs)
    loss = model(*args, **kwargs)
    # The labels are taken out, and the rest is what it was.
    given = [x for x in args if x.dtype == X.dtype]
    args, kwargs = model.predictor.seen
    assert [id(x) for x in args] == [id(x) for x in given]
    assert len(args) == len(seen[0])
    assert kwargs == seen[1]
    expected = F.softmax_cross_entropy(device.send(X[:, :2]), device.send(T)).array
    assert loss is model.loss
    compare.assert_allclose(loss.array, expected, rtol=1e-6)
    compare.assert_array_equal(model.y.array, X[:, :2])
    compare.assert_allclose(
        model.accuracy.array, F.accuracy(device.send(X[:, :2]), device.send(T)).array)


@pytest.mark.parametrize('key, args', [
    (-1, ()), (1, (X,)), (-3, (X, T)), ('t', (X,))])
def test_missing_labels(device, key, args):
    with pytest.raises(ValueError, match='Label key'):
        device.send(links.Classifier(Predictor(), label_key=key))(*device.send(args))


@pytest.mark.parametrize('key', [None, 1.5, np.int64(0)])
def test_type_of_the_key(key):
    with pytest.raises(TypeError, match='label_key must be int or str'):
        links.Classifier(Predictor(), label_key=key)


@pytest.mark.parametrize('compute', [True, False])
def test_reports(device, compute):
    model = device.send(links.Classifier(
        Predictor(), lossfun=lambda y, t: F.sum(y), accfun=lambda y, t: 0.5))
    model.compute_accuracy = compute
    reporter = chainer_fast.Reporter()
    reporter.add_observer('main', model)
    with reporter:
        model(device.send(X), device.send(T))
    assert set(reporter.observation) == {'main/loss', 'main/accuracy'} - (
        set() if compute else {'main/accuracy'})
    assert model.accuracy == (0.5 if compute else None)


def test_forgets_the_last_call(device):
    model = device.send(links.Classifier(Predictor()))
    model(device.send(X), device.send(T))
    model.predictor = lambda *args: 1 / 0
    with pytest.raises(ZeroDivisionError):
        model(device.send(X), device.send(T))
    assert (model.y, model.loss, model.accuracy) == (None, None, None)


def test_predictor_is_a_child():
    model = links.Classifier(links.Linear(3, 2))
    assert [path for path, _ in model.namedparams()] == ['/predictor/W', '/predictor/b']
