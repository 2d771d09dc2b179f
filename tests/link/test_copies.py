"""Copies of links: what they share, and what is initialized anew."""
import copy
import io

import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import functions as F
from chainer_fast import link_hooks, serializers
from chainer_fast import links as L
from tests import compare
from tests.links import every

MODES = ['share', 'copy', 'init']


def values(link):
    return {name: np.array(array) for name, array
            in serializers.npz.serialize(link).items()}


def spoil(link):
    """Change whatever a training may change."""
    for param in link.params(include_uninit=False):
        param.array[...] = param.array * 3 + 7
    for each in link.links():
        for name in each._persistent:
            value = getattr(each, name)
            if isinstance(value, np.ndarray):
                value[...] = value * 3 + 7
            elif isinstance(value, int):
                setattr(each, name, value + 7)


def made(make, seed):
    np.random.seed(seed)
    return make()


def test_no_link_is_forgotten():
    assert set(every.MAKE) | every.OTHERS == every.names()


@pytest.mark.parametrize('repeat', [False, True])
@pytest.mark.parametrize('name', sorted(set(every.MAKE) - {'Parameter'}))
def test_what_the_constructor_made_is_made_anew(name, repeat):
    make = every.MAKE[name]
    one, other = values(made(make, 0)), values(made(make, 1))
    link = made(make, 2)
    if not repeat:
        spoil(link)
    clone = link.repeat(1)[0] if repeat else link.copy('init')
    found = values(clone)
    assert found.keys() == one.keys()
    for key, array in found.items():
        if np.array_equal(one[key], other[key], equal_nan=array.dtype.kind == 'f'):
            np.testing.assert_array_equal(array, one[key], key)
        else:
            assert (array != one[key]).any() and (array != other[key]).any()
            # Of the same distribution: never of 3 times the scale, with a mean of 7.
            assert abs(array).max() < 2.5 * max(
                abs(one[key]).max(), abs(other[key]).max()), key


@pytest.mark.parametrize('name', sorted(every.MAKE))
@pytest.mark.parametrize('mode', MODES)
def test_a_copy_of_a_trained_link_has_the_same_names(name, mode):
    link = made(every.MAKE[name], 0)
    spoil(link)
    clone = link.copy(mode)
    mine, its = values(link), values(clone)
    assert mine.keys() == its.keys()
    if mode != 'init':
        for key in mine:
            np.testing.assert_array_equal(its[key], mine[key])
    # Other than shared arrays, nothing of the copy belongs to the link.
    for param, its_param in zip(link.params(), clone.params(), strict=True):
        assert param is not its_param
        assert np.shares_memory(param.array, its_param.array) == (
            mode == 'share' and param.array.size > 0)


@pytest.mark.parametrize('name', [
    name for name in sorted(every.MAKE) if name.startswith('Stateful')
    or name in ('LSTM', 'GRU')])
def test_state_is_forgotten(name):
    link = every.MAKE[name]()
    x = np.ones((2, 3), 'f')
    link(x)
    assert all(getattr(link, state) is not None for state in link._state_names)
    clone = link.copy('init')
    assert all(getattr(clone, state) is None for state in link._state_names)
    assert all(getattr(link, state) is not None for state in link._state_names)
    clone.copyparams(link)
    link.reset_state()
    with chainer.using_config('train', False):
        np.testing.assert_array_equal(clone(x).array, link(x).array)


def test_lstm_is_no_zero():
    model = chainer.Sequential(L.LSTM(3, 4), F.relu).copy('init')
    assert model[0].upward.W.array.all() and model[0].lateral.W.array.all()
    assert [b for b in model[0].upward.b.array[2::4]] == [1] * 4


@pytest.mark.parametrize('dtype', ['f2', 'f4', 'f8', 'i4'])
@pytest.mark.parametrize('shape', [(), (3,), (0, 2), (2, 3)])
def test_parameter_made_of_an_array(device, dtype, shape):
    class Made(chainer.Link):
        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.W = chainer.Parameter(device.send(
                    np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)))

    link = device.send(Made())
    for clone in link.copy('init'), link.repeat(2)[1], chainer.Chain(
            child=link).copy('init').child:
        assert clone.W.dtype == dtype and clone.device == link.device
        compare.assert_array_equal(clone.W.array, link.W.array)
        assert clone.W.array is not link.W.array


# -- lists


class Layer(chainer.Link):

    def __init__(self, value):
        super().__init__()
        with self.init_scope():
            self.w = chainer.Parameter(value, (1,))

    def forward(self, x):
        return x * self.w.array


def build(order):
    """Return a Sequential of six layers, inserted in some order."""
    model, inserted = chainer.Sequential(), []
    for value in order:
        place = sum(value > other for other in inserted)
        model.insert(place, Layer(float(value)))
        inserted.append(value)
    return model


@pytest.mark.parametrize('mode', MODES)
@pytest.mark.parametrize('order', [
    range(6), range(5, -1, -1), (2, 0, 5, 1, 4, 3), (3, 4, 5, 0, 1, 2)])
def test_file_of_a_copy_goes_into_the_original(mode, order):
    model = build(order)
    model.insert(2, F.relu)
    popped = model.pop(4)
    model.append(popped)
    clone = model.copy(mode)
    assert [each.w.array.item() for each in clone.children()] == [
        each.w.array.item() for each in model.children()]
    assert [each.name for each in clone.children()] == list('012345')
    for i, layer in enumerate(clone):
        if layer is not F.relu:
            assert layer.w.array == model[i].w.array
    for param in clone.params():
        param.array = param.array * 10
    file = io.BytesIO()
    serializers.save_npz(file, clone)
    file.seek(0)
    serializers.load_npz(file, model)
    for layer, other in zip(model, clone, strict=True):
        if layer is not F.relu:
            assert layer.w.array == other.w.array


@pytest.mark.parametrize('mode', MODES)
def test_class_attributes_and_hooks_of_a_sequential(mode):
    class Doubled(chainer.Sequential):
        def forward(self, x):
            return super().forward(x) * 2

    model = Doubled(Layer(3.), lambda x: x + 1)
    model.note = [1]
    with model.init_scope():
        model.own = chainer.Parameter(5., (2,))
    model.add_hook(link_hooks.TimerHook())
    clone = model.copy(mode)
    assert type(clone) is Doubled and clone(1.) == model(1.) == 8
    assert list(clone.local_link_hooks) == ['TimerHook']
    assert (clone.note is model.note) == (mode == 'share')
    assert clone.own is not model.own
    assert np.shares_memory(clone.own.array, model.own.array) == (mode == 'share')
    clone.delete_hook('TimerHook')
    assert list(model.local_link_hooks) == ['TimerHook']
    assert type(model.repeat(2)[1]) is Doubled


@pytest.mark.parametrize('make', [chainer.ChainList, chainer.Sequential])
@pytest.mark.parametrize('mode', MODES)
def test_own_parameters_and_references_of_a_list(make, mode):
    model = make(Layer(1.), Layer(2.), Layer(3.))
    model.first = model[0]
    model.add_persistent('count', np.zeros(1))
    with model.init_scope():
        model.own = chainer.Parameter(5., (2,))
    model.own.array[...] = 6
    clone = model.copy(mode)
    assert np.shares_memory(clone.own.array, model.own.array) == (mode == 'share')
    assert clone.own.array.tolist() == [5 if mode == 'init' else 6] * 2
    assert (clone.first is clone[0]) == (mode != 'share')
    with pytest.raises(ValueError, match='mode'):
        model.copy('deep')


@pytest.mark.parametrize('make', [chainer.ChainList, chainer.Sequential])
def test_link_that_occurs_twice(make):
    layer = Layer(2.)
    model = make(layer, Layer(3.), layer)
    for mode in MODES:
        clone = model.copy(mode)
        assert len({id(each) for each in clone.children()}) == 3


@pytest.mark.parametrize('mode', MODES)
@pytest.mark.parametrize('make', [
    lambda layer: layer, lambda layer: chainer.Chain(layer=layer),
    lambda layer: chainer.ChainList(layer), lambda layer: chainer.Sequential(layer)])
def test_copies_have_hooks_of_their_own(make, mode):
    layer = L.Linear(3, 2).add_hook(link_hooks.TimerHook())
    clone = make(layer).copy(mode)
    its = next(each for each in clone.links() if isinstance(each, L.Linear))
    its.delete_hook('TimerHook')
    assert list(layer.local_link_hooks) == ['TimerHook']
    assert not its.local_link_hooks


@pytest.mark.parametrize('in_size', [None, 3])
@pytest.mark.parametrize('mode', [*MODES, 'deepcopy'])
def test_copies_of_normalized_links(in_size, mode):
    layer = L.Linear(in_size, 2).add_hook(
        link_hooks.SpectralNormalization(use_gamma=True))
    first = layer.copy(mode) if mode != 'deepcopy' else copy.deepcopy(layer)
    x = np.ones((1, 3), 'f')
    layer(x)        # which must not prepare the hook of the copy
    first(x)
    for _ in range(100):
        layer(x)
    clone = layer.copy(mode) if mode != 'deepcopy' else copy.deepcopy(layer)
    assert clone.gamma is not layer.gamma
    if mode == 'init':
        assert (clone.W_u != layer.W_u).any()
        np.testing.assert_allclose(
            clone.gamma.array, np.linalg.norm(clone.W.array, 2), rtol=1e-5)
    else:
        np.testing.assert_array_equal(clone.W_u, layer.W_u)
        assert clone.gamma.array == layer.gamma.array
    clone.delete_hook('SpectralNormalization')
    assert not hasattr(clone, 'gamma') and hasattr(layer, 'gamma')
    layer(x)
