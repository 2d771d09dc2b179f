import math

import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import optimizer_hooks, optimizers
from chainer_fast.optimizer_hooks.gradient_noise import exponential_decay_noise
from tests import compare
from tests.devices import to_cpu

HOOKS = {
    'WeightDecay': (.25,), 'Lasso': (.25,), 'GradientHardClipping': (-.5, 1.5),
    'GradientNoise': (.25,), 'GradientLARS': (), 'GradientClipping': (1.,),
}
FOR_EACH = sorted(set(HOOKS) - {'GradientClipping'})


def make(device, dtype='float32', data=(3, -4), grad=(-6, 8)):
    param = chainer.Parameter(device.send(np.array(data, dtype)))
    param.grad = device.send(np.array(grad, dtype))
    param.update_rule = optimizers.SGD(lr=1).create_update_rule()
    return param


def link_of(*params):
    link = chainer.Link()
    with link.init_scope():
        for i, param in enumerate(params):
            setattr(link, 'p%d' % i, param)
    return link


def test_all_hooks_are_tried():
    assert set(HOOKS) == {
        name for name in dir(optimizer_hooks)
        if isinstance(getattr(optimizer_hooks, name), type)}


@pytest.mark.parametrize('name', sorted(HOOKS))
def test_attributes(name):
    hook = getattr(optimizer_hooks, name)(*HOOKS[name])
    assert hook.name == name
    assert hook.timing == 'pre'
    assert getattr(hook, 'call_for_each_param', False) is (name in FOR_EACH)


def changed(device, name, *args, **kwargs):
    param = make(device, **kwargs)
    data, grad = param.array.copy(), param.grad
    getattr(optimizer_hooks, name)(*args)(param.update_rule, param)
    assert param.grad is grad
    compare.assert_array_equal(param.array, data)
    return grad


@pytest.mark.parametrize('dtype', ['float16', 'float32', 'float64'])
def test_formulas(device, dtype):
    check = compare.assert_array_equal
    for name in FOR_EACH:
        assert changed(device, name, *HOOKS[name], dtype=dtype).dtype == dtype
    check(changed(device, 'WeightDecay', .25, dtype=dtype), [-5.25, 7])
    check(changed(device, 'Lasso', .25, dtype=dtype), [-5.75, 7.75])
    check(changed(device, 'GradientHardClipping', -.5, 1.5, dtype=dtype), [-.5, 1.5])
    # |data| = 5, |grad| = 10: the factor is 5 / (2.5 + 10 + .5 * 5) = 1 / 3.
    check(changed(device, 'GradientLARS', 4.9, .5, 2.5, dtype=dtype),
          np.array([-4.5, 6], dtype) * np.dtype(dtype).type(1 / 3))
    check(changed(device, 'GradientLARS', 5, .5, 2.5, dtype=dtype), [-4.5, 6])


@pytest.mark.parametrize('name', FOR_EACH)
def test_no_gradient_nothing_to_do(device, name):
    hook = getattr(optimizer_hooks, name)(*HOOKS[name])
    param, late = make(device), chainer.Parameter()
    for each in (param, late):
        each.cleargrad()
        hook(param.update_rule, each)
        assert each.grad is None
    with pytest.raises(RuntimeError, match='uninitialized'):
        hook(param.update_rule, chainer.Parameter())


@pytest.mark.parametrize('name', FOR_EACH)
def test_as_hooks_of_optimizer_and_of_rule(device, name):
    results = []
    for on_rule in (False, True):
        np.random.seed(0)
        param = make(device)
        sgd = optimizers.SGD(lr=1).setup(link_of(param))
        hook = getattr(optimizer_hooks, name)(*HOOKS[name])
        (param.update_rule if on_rule else sgd).add_hook(hook)
        before, expected = param.array.copy(), -param.grad
        sgd.update()
        results.append(param.array)
        assert (param.array - before != expected).any()
    if name != 'GradientNoise':     # the rule's count goes up in between
        compare.assert_array_equal(*results)


def test_lars_of_half_precision_and_no_gradient(device):
    # The factor, a billion, is larger than any float16.
    assert not changed(device, 'GradientLARS', dtype='float16', grad=(0, 0)).any()


def test_weight_decay_is_scaled_with_the_loss(device):
    param = make(device)
    param._loss_scale = 4.
    optimizer_hooks.WeightDecay(.25)(param.update_rule, param)
    compare.assert_array_equal(param.grad, [-3, 4])


@pytest.mark.parametrize('shape', [(2, 3), (20, 31)])
@pytest.mark.host
def test_noise_has_the_random_stream_of_numpy(device, shape):
    param = make(device, 'float32', np.zeros(shape), np.zeros(shape))
    param.update_rule.t = 3
    hook = optimizer_hooks.GradientNoise(.25)
    np.random.seed(7)
    hook(param.update_rule, param)
    np.random.seed(7)
    expected = np.random.normal(0, math.sqrt(.25 / 4 ** .55), shape)
    compare.assert_array_equal(param.grad, expected.astype(np.float32))
    assert hook.noise_func is exponential_decay_noise


def test_noise_function(device):
    seen = []

    def noise(xp, shape, dtype, hook, rule):
        seen.append((xp, shape, dtype, hook, rule))
        return xp.ones(shape, dtype)

    param = make(device)
    hook = optimizer_hooks.GradientNoise(.25, noise)
    hook(param.update_rule, param)
    assert seen == [(device.xp, (2,), np.dtype('float32'), hook, param.update_rule)]
    compare.assert_array_equal(param.grad, [-5, 9])


@pytest.mark.parametrize('layout', [np.ascontiguousarray, np.asfortranarray])
@pytest.mark.parametrize('dtype', ['float16', 'float32', 'float64'])
@pytest.mark.parametrize('threshold,factor', [(6.5, .5), (13, 1), (20, 1)])
def test_clipping(device, threshold, factor, dtype, layout):
    first = make(device, dtype, data=np.zeros((2, 2)), grad=[[3, 0], [4, 0]])
    first.grad = device.send(layout(to_cpu(first.grad)))
    second = make(device, dtype, data=np.zeros((1, 1)), grad=[[-12]])
    cleared, late = make(device), chainer.Parameter()
    cleared.cleargrad()
    sgd = optimizers.SGD().setup(link_of(first, second, cleared, late))
    optimizer_hooks.GradientClipping(threshold)(sgd)
    compare.assert_array_equal(first.grad[:, 0], np.multiply([3, 4], factor))
    compare.assert_array_equal(second.grad, [[-12 * factor]])
    assert first.grad.dtype == dtype
    assert cleared.grad is None


def test_clipping_of_nothing(device):
    param = make(device, grad=(0, 0))
    hook = optimizer_hooks.GradientClipping(1.)
    sgd = optimizers.SGD()
    for link in (chainer.Link(), link_of(param)):
        hook(sgd.setup(link))
    compare.assert_array_equal(param.grad, [0, 0])
    param.grad[...] = np.nan
    hook(sgd)
    assert np.isnan(param.grad).all()


@pytest.mark.parametrize('spoiled, threshold', [
    (np.nan, 1.), (np.nan, np.inf), (np.inf, np.inf), (3, np.nan)])
def test_clipping_by_what_is_no_number_spoils_all_gradients(device, spoiled, threshold):
    params = [make(device, grad=(0, spoiled)), make(device, grad=(4, 0))]
    optimizer_hooks.GradientClipping(threshold)(
        optimizers.SGD().setup(link_of(*params)))
    for param in params:
        assert np.isnan(to_cpu(param.grad)).all()


def test_clipping_of_parameters_on_several_devices(device):
    params = [make(device, grad=(0, 3)), make(device, grad=(4, 0))]
    params[1].to_device('@numpy')
    sgd = optimizers.SGD().setup(link_of(*params))
    optimizer_hooks.GradientClipping(1.)(sgd)
    compare.assert_allclose(params[0].grad, [0, .6])
    compare.assert_allclose(params[1].grad, [.8, 0])


def test_clipping_adds_up_in_double_precision(device):
    # In float32 none of the small squares would make the sum larger than 1.
    params = [
        make(device, grad=(1, 0)),
        *[make(device, grad=(2. ** -12, 0)) for _ in range(7)]]
    rate = .5 / math.sqrt(1 + 7 * 2. ** -24)
    assert np.float32(rate) != np.float32(.5)
    sgd = optimizers.SGD().setup(link_of(*params))
    optimizer_hooks.GradientClipping(.5)(sgd)
    assert params[0].grad[0] == np.float32(rate)


def test_clipping_by_a_norm_that_is_no_number(device):
    # As in Chainer, none of the gradients is a number then.
    params = [make(device, grad=(np.nan, 1)), make(device, grad=(1, 2))]
    hook = optimizer_hooks.GradientClipping(1.)
    hook(optimizers.SGD().setup(link_of(*params)))
    assert all(np.isnan(to_cpu(param.grad)).all() for param in params)


@pytest.mark.filterwarnings('ignore::RuntimeWarning')
@pytest.mark.parametrize('threshold', [np.nan, 1.])
def test_clipping_warns_of_nothing_that_is_no_number(threshold):
    param = chainer.Parameter(np.ones(3, 'f'))
    param.grad = np.array([1, np.nan, 2], 'f')
    with np.errstate(all='raise'):
        optimizer_hooks.GradientClipping(threshold)(
            optimizers.SGD().setup(link_of(param)))
    assert np.isnan(param.grad).all()


@pytest.mark.filterwarnings('error')
def test_hooks_warn_where_numpy_does():
    param = chainer.Parameter(np.ones(2, 'f'))
    param.grad = np.zeros(2, 'f')
    rule = optimizers.SGD().create_update_rule()
    with pytest.raises(RuntimeWarning, match='divide by zero'):
        optimizer_hooks.GradientLARS(eps=0)(rule, param)
    with pytest.raises(RuntimeWarning, match='invalid value encountered in sqrt'):
        optimizer_hooks.GradientNoise(-1)(rule, param)


@pytest.mark.parametrize('threshold', [(1.,), [1.], np.array([1.])])
def test_clipping_by_a_sequence_of_one(threshold):
    links = []
    for given in 1., threshold:
        link = chainer.links.Linear(2, 1, initialW=3.)
        sgd = chainer.optimizers.SGD(1.).setup(link)
        link.W.grad, link.b.grad = np.full((1, 2), 3, 'f'), np.ones(1, 'f')
        optimizer_hooks.GradientClipping(given)(sgd)
        links.append(link)
    np.testing.assert_array_equal(links[0].W.grad, links[1].W.grad)


@pytest.mark.parametrize('eta', [(.5,), [.5], np.array([.5])])
def test_noise_by_a_sequence_of_one(eta):
    grads = []
    for given in .5, eta:
        link = chainer.links.Linear(2, 1, initialW=3.)
        sgd = chainer.optimizers.SGD(1.).setup(link)
        sgd.add_hook(optimizer_hooks.GradientNoise(given))
        link.W.grad, link.b.grad = np.zeros((1, 2), 'f'), np.zeros(1, 'f')
        np.random.seed(0)
        sgd.update()
        grads.append(link.W.grad)
    np.testing.assert_array_equal(*grads)
