"""Files and hooks that add to a link what its weight decides, whatever comes first."""
import io

import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import functions as F
from chainer_fast import link_hooks, serializers
from chainer_fast import links as L
from tests import compare

FORMATS = {
    'npz': (serializers.save_npz, serializers.load_npz),
    'hdf5': (serializers.save_hdf5, serializers.load_hdf5),
}
LAZY = {
    'Linear': (lambda: L.Linear(None, 4), (2, 3)),
    'Convolution2D': (lambda: L.Convolution2D(None, 4, 3), (2, 3, 5, 5)),
    'Deconvolution2D': (lambda: L.Deconvolution2D(None, 4, 3), (2, 3, 5, 5)),
    'ConvolutionND': (lambda: L.ConvolutionND(1, None, 4, 3), (2, 3, 5)),
    'DilatedConvolution2D': (lambda: L.DilatedConvolution2D(None, 4, 3), (2, 3, 5, 5)),
    'LocalConvolution2D':
        (lambda: L.LocalConvolution2D(None, 4, ksize=3), (2, 3, 5, 5)),
    'DepthwiseConvolution2D':
        (lambda: L.DepthwiseConvolution2D(None, 4, 3), (2, 3, 5, 5)),
    'SimplifiedDropconnect': (lambda: L.SimplifiedDropconnect(None, 4), (2, 3)),
}


class Mask(chainer.LinkHook):
    """A hook of a user: adds values at the first call, as Chainer's own did."""

    name = 'Mask'

    def forward_preprocess(self, args):
        link = args.link
        if not hasattr(link, 'mask'):
            link.add_persistent('mask', np.zeros(4, 'f'))
            link.n_calls = 0
            link.register_persistent('n_calls')
            link.add_persistent('words', 'new')
            with link.init_scope():
                link.factor = chainer.Parameter(1., ())
                link.late = chainer.Parameter(1.)
        link.n_calls += 1


@pytest.fixture(params=sorted(FORMATS))
def through_a_file(request):
    save, load = FORMATS[request.param]

    def move(saved, loaded):
        file = io.BytesIO()
        save(file, saved)
        file.seek(0)
        load(file, loaded)
        return loaded
    return move


def spectral():
    return link_hooks.SpectralNormalization(use_gamma=True)


@pytest.mark.parametrize('name', sorted(LAZY))
def test_loaded_values_stay(device, through_a_file, name):
    make, shape = LAZY[name]
    x = device.send(np.random.RandomState(0).rand(*shape).astype('f'))
    trained, fresh = [device.send(make().add_hook(spectral())) for _ in range(2)]
    for _ in range(3):
        trained(x)
    trained.gamma.array[...] = 5
    through_a_file(trained, fresh)
    results, drawn = [], []
    with chainer.using_config('train', False):
        for link in trained, fresh:     # nothing is drawn for the hook again
            device.seed(0)
            results.append(link(x).array)
            drawn.append(np.random.get_state(legacy=False)['state']['pos'])
    compare.assert_allclose(*results)
    assert drawn[0] == drawn[1]
    assert fresh.gamma.array == 5 and isinstance(fresh.W_u, device.xp.ndarray)
    assert serializers.npz.serialize(fresh).keys() == (
        serializers.npz.serialize(trained).keys())


def test_file_of_before_the_first_call(through_a_file):
    """It has what Chainer writes, and is loaded with and without what came later."""
    link = L.Linear(None, 4).add_hook(spectral())
    assert sorted(serializers.npz.serialize(link)) == ['W', 'b']
    fresh = through_a_file(link, L.Linear(None, 4).add_hook(spectral()))
    assert not fresh.W.is_initialized
    np.random.seed(0)
    fresh(np.ones((1, 3), 'f'))
    np.random.seed(0)
    link(np.ones((1, 3), 'f'))
    np.testing.assert_array_equal(fresh.W_u, link.W_u)
    assert fresh.gamma.array == link.gamma.array


def test_file_of_a_link_without_the_hook(through_a_file):
    plain = L.Linear(3, 4)
    lazy = through_a_file(plain, L.Linear(None, 4).add_hook(spectral()))
    lazy(np.ones((1, 3), 'f'))
    np.testing.assert_allclose(
        lazy.gamma.array, np.linalg.norm(plain.W.array, 2), rtol=1e-5)
    with pytest.raises(KeyError):
        through_a_file(plain, L.Linear(3, 4).add_hook(spectral()))


@pytest.mark.parametrize('in_size', [None, 3])
@pytest.mark.parametrize('comes_first', ['setup', 'hook', 'call'])
def test_gamma_is_updated(comes_first, in_size):
    link, optimizer = L.Linear(in_size, 4), chainer.optimizers.Adam()
    x = np.ones((2, 3), 'f')
    if comes_first == 'setup':
        optimizer.setup(link)
        link.W.update_rule.hyperparam.alpha = .5
        link.add_hook(spectral())
    else:
        link.add_hook(spectral())
        if comes_first == 'call':
            link(x)
        optimizer.setup(link)
    link(x)
    before = link.gamma.array.copy()
    for _ in range(2):
        optimizer.update(lambda: F.sum(link(x) ** 2))
    assert link.gamma.array != before
    rule = link.gamma.update_rule
    assert type(rule) is type(link.W.update_rule) and rule.t == 2
    assert rule.state.keys() == link.W.update_rule.state.keys()
    assert rule.hyperparam is not link.W.update_rule.hyperparam


def test_optimizer_of_chainer_without_a_rule_for_gamma():
    link = L.Linear(3, 4).add_hook(spectral())
    optimizer = chainer.optimizers.MomentumSGD().setup(link)
    optimizer.update(lambda: F.sum(link(np.ones((1, 3), 'f'))))
    arrays = {name: array for name, array
              in serializers.npz.serialize(optimizer).items() if 'gamma' not in name}
    serializers.NpzDeserializer(arrays).load(optimizer)
    assert link.gamma.update_rule.t == 0 and link.gamma.update_rule.state is None
    assert link.W.update_rule.t == 1 and link.W.update_rule.state is not None


def test_frozen_weight_has_a_frozen_gamma():
    link = L.Linear(None, 4)
    optimizer = chainer.optimizers.SGD().setup(link)
    link.disable_update()
    link.add_hook(spectral())
    for _ in range(2):
        optimizer.update(lambda: F.sum(link(np.ones((1, 3), 'f'))))
    assert not link.gamma.update_rule.enabled and link.gamma.update_rule.t == 0


@pytest.mark.parametrize('in_size', [None, 3])
def test_values_of_a_hook_of_a_user(through_a_file, in_size):
    x = np.ones((1, 3), 'f')
    trained = L.Linear(in_size, 4).add_hook(Mask())
    for _ in range(3):
        trained(x)
    trained.mask[...] = 7
    trained.words = 'old'
    trained.factor.array[...] = 8
    trained.late.initialize((2,))
    trained.late.array[...] = 9
    fresh = through_a_file(trained, L.Linear(in_size, 4).add_hook(Mask()))
    clone = fresh.copy()
    for link in fresh, clone:
        link(x)
        assert (link.mask == 7).all() and link.n_calls == 4 and link.words == 'old'
        assert type(link.n_calls) is int
        assert link.factor.array == 8 and link.late.array.tolist() == [9, 9]
    through_a_file(trained, fresh)
    assert fresh.n_calls == 3


def test_hook_that_is_shared_by_links():
    hook = link_hooks.SpectralNormalization(use_gamma=True)
    one, other = [L.Linear(None, 4).add_hook(hook) for _ in range(2)]
    one(np.ones((1, 3), 'f'))
    other(np.ones((1, 5), 'f'))
    assert one.W_u is not other.W_u and one.gamma is not other.gamma


def test_persistent_values_that_are_made_late_are_on_the_device(device, through_a_file):
    make = lambda: device.send(L.BatchNormalization(axis=0))  # noqa: E731
    trained, fresh = make(), make()
    trained(device.send(np.random.rand(4, 3).astype('f')))
    through_a_file(trained, fresh)
    assert isinstance(fresh.avg_mean, device.xp.ndarray)
