"""Links, optimizers, serializers, initializers and hooks over arrays of ChainerX."""
import copy

import numpy as np
import pytest

import chainer_fast
import chainer_fast.functions as F
import chainer_fast.links as L
from chainer_fast import (
    backend,
    chainerx,
    distributions,
    initializers,
    link_hooks,
    optimizer_hooks,
    optimizers,
    serializers,
)

X = np.array([[1, -2, 3], [0.5, 1, -1]], 'f')
NATIVE = chainer_fast.get_device('native:0')


class Net(chainer_fast.Chain):

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.first = L.Linear(3, 4)
            self.norm = L.BatchNormalization(4)
            self.last = L.Linear(None, 2)

    def forward(self, x):
        return self.last(F.relu(self.norm(self.first(x))))


def loss(model, x):
    t = model.device.send(np.array([0, 1], 'i'))
    return F.softmax_cross_entropy(model(x), t)


def trained(model, optimizer, hooks=()):
    """Return the values of a model after updates."""
    optimizer.setup(model)
    for hook in hooks:
        optimizer.add_hook(hook)
    x = model.device.send(X)
    for _ in range(3):
        optimizer.update(loss, model, x)
    return values_of(model)


def values_of(model):
    target = serializers.DictionarySerializer()
    target.save(model)
    return target.target


def assert_same(found, expected):
    assert found.keys() == expected.keys()
    for name, value in found.items():
        np.testing.assert_array_equal(value, expected[name], err_msg=name)


@pytest.mark.parametrize('make', [
    optimizers.SGD, optimizers.MomentumSGD, optimizers.Adam, optimizers.RMSprop])
@pytest.mark.parametrize('hooks', [
    (), (optimizer_hooks.WeightDecay(.1), optimizer_hooks.GradientClipping(.01)),
    (optimizer_hooks.GradientHardClipping(-.01, .01), optimizer_hooks.GradientLARS())])
def test_updates_are_those_of_numpy(make, hooks):
    model = Net()
    model(X)
    other = copy.deepcopy(model).to_device('native:0')
    assert type(other.first.W.array) is chainerx.ndarray
    assert type(other.norm.avg_mean) is chainerx.ndarray
    assert_same(trained(other, make(), hooks), trained(model, make(), hooks))


def test_an_update_of_ones_own():
    class Rule(chainer_fast.UpdateRule):
        def update_core_chainerx(self, param):
            array = param.array
            array -= param.grad

        def init_state(self, param):
            assert type(param.array) is chainerx.ndarray
    x = chainer_fast.Parameter(NATIVE.send(np.array([2, 3], 'f')))
    x.update_rule = Rule()
    x.grad = NATIVE.send(np.array([1, 1], 'f'))
    x.update()
    assert backend.from_chx(x.array).tolist() == [1, 2]


def test_links_move_without_copies():
    model = Net()
    model(X)
    plain = model.first.W.array
    assert model.to_chx() is model
    assert model.device == NATIVE
    assert backend.from_chx(model.first.W.array) is plain
    model.to_chx()
    model.from_chx()
    assert model.device.name == '@numpy'
    assert model.first.W.array is plain
    assert type(model.norm.avg_mean) is np.ndarray


@pytest.mark.parametrize('save, load', [
    (serializers.save_npz, serializers.load_npz),
    (serializers.save_hdf5, serializers.load_hdf5)])
def test_serializers(save, load, tmp_path):
    if save is serializers.save_hdf5:
        pytest.importorskip('h5py')
    model, other = Net(), Net()
    for each in model, other:
        each(X)
        each.to_chx()
    save(tmp_path / 'model.npz', model)
    array = other.first.W.array
    load(tmp_path / 'model.npz', other)
    assert other.first.W.array is array
    assert_same(values_of(other), values_of(model))


@pytest.mark.parametrize('make', [
    initializers.Normal, initializers.Uniform, initializers.Orthogonal,
    initializers.Identity, initializers.One])
def test_initializers(make):
    array = chainerx.full((3, 3), np.nan, 'float32')
    make()(array)
    assert np.isfinite(backend.from_chx(array)).all()
    with chainer_fast.using_device(NATIVE):
        found = initializers.generate_array(make(), (3, 3), chainerx)
    assert type(found) is chainerx.ndarray


def test_spectral_normalization():
    model = L.Linear(3, 2)
    model.add_hook(link_hooks.SpectralNormalization(use_gamma=True))
    other = copy.deepcopy(model).to_device('native:0')
    expected = model(X)
    found = other(NATIVE.send(X))
    assert type(other.W_u) is chainerx.ndarray
    np.testing.assert_allclose(
        backend.from_chx(found.array), expected.array, rtol=1e-6)


def test_functions_that_compute_outside_of_the_graph():
    x, t = NATIVE.send([X, np.array([0, 2], 'i')])
    weights = NATIVE.send(np.array([1, 2, 3], 'f'))
    found = F.softmax_cross_entropy(
        x, t, class_weight=weights, enable_double_backprop=True)
    expected = F.softmax_cross_entropy(
        X, backend.from_chx(t), class_weight=backend.from_chx(weights))
    np.testing.assert_allclose(
        backend.from_chx(found.array), expected.array, rtol=1e-6)


def test_copies_between_libraries():
    y = F.copy(X, 'native:0')
    assert y.device == NATIVE
    y = F.copy(y, '@numpy')
    assert y.array.tolist() == X.tolist()
    for x, device in ((X, 'native:0'), (NATIVE.send(X), '@numpy')):
        with pytest.raises(RuntimeError, match='gradients cannot be passed'):
            F.copy(chainer_fast.Variable(x), device)
    x = chainer_fast.Variable(NATIVE.send(X))
    y = F.copy(x, 'native:1')
    assert y.device.name == 'native:1'
    y.grad = y.array
    y.backward()
    assert x.grad_var.device == NATIVE


def test_batches():
    batch = [(X, 1), (X, 2)]
    x, t = chainer_fast.dataset.concat_examples(batch, NATIVE)
    assert type(x) is type(t) is chainerx.ndarray
    assert x.shape == (2, 2, 3)
    padded = chainer_fast.dataset.concat_examples(
        [NATIVE.send(X[0, :n]) for n in (1, 3)], padding=0)
    assert backend.from_chx(padded).tolist() == [[1, 0, 0], [1, -2, 3]]


def test_loss_of_a_tree():
    model = L.BinaryHierarchicalSoftmax(3, ((0, 1), 2))
    t = np.array([2, 0], 'i')
    expected = model(X, t)
    model.cleargrads()
    expected.backward()
    other = copy.deepcopy(model)
    other.to_device(NATIVE)
    other.cleargrads()
    y = other(NATIVE.send(X), NATIVE.send(t))
    y.backward()
    assert type(y.array) is type(other.W.grad) is chainerx.ndarray
    np.testing.assert_array_equal(backend.from_chx(y.array), expected.array)
    np.testing.assert_array_equal(backend.from_chx(other.W.grad), model.W.grad)


@pytest.mark.parametrize('make', [
    lambda p: distributions.Normal(p, p), lambda p: distributions.Categorical(p),
    lambda p: distributions.OneHotCategorical(p), lambda p: distributions.Gumbel(p, p),
    lambda p: distributions.Gamma(p, p), lambda p: distributions.Dirichlet(p)])
def test_samples(make):
    p = np.array([.2, .3, .5], 'f')
    np.random.seed(0)
    expected = make(p).sample(4)
    np.random.seed(0)
    found = make(NATIVE.send(p)).sample(4)
    assert type(found.array) is chainerx.ndarray
    np.testing.assert_allclose(
        backend.from_chx(found.array), expected.array, rtol=1e-6)
