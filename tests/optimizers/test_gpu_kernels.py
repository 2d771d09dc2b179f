"""Updates of many parameters on a GPU: numbers as on the processor, few launches."""
import warnings

import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import optimizer_hooks, optimizers, testing
from tests.doubles.host_cupy import ledger

pytestmark = pytest.mark.gpu

RULES = [
    ('SGD', {}), ('MomentumSGD', {}), ('CorrectedMomentumSGD', {}), ('NesterovAG', {}),
    ('RMSprop', {'eps': 1e-3}), ('RMSprop', {'eps': 1e-3, 'eps_inside_sqrt': True}),
    ('RMSpropGraves', {}), ('AdaGrad', {'eps': 1e-3}), ('AdaDelta', {}),
    ('SMORMS3', {'lr': .1, 'eps': 1e-3}), ('MSVAG', {}),
    ('MSVAG', {'weight_decay_rate': .1, 'eta': .7}), ('Adam', {'alpha': .1}),
    ('AdamW', {'weight_decay_rate': .1, 'eta': .7}), ('AMSGrad', {'beta2': .5}),
    ('AdaBound', {'gamma': .1}), ('AMSBound', {'beta2': .5, 'final_lr': .01}),
]
SHAPES = [(), (1,), (0,), (3, 5), (7,), (4096,), (2, 4097)]


def on_gpu():
    return chainer.get_device('@cupy:0')


def make_params(shapes, dtype, seed=0):
    """Return a link with a parameter of each shape."""
    rng = np.random.RandomState(seed)
    link = chainer.Link()
    with link.init_scope():
        for i, shape in enumerate(shapes):
            setattr(link, 'p%03d' % i, chainer.Parameter(
                np.asarray(rng.uniform(-1, 1, shape), dtype)))
    return link


def set_grads(links, seed):
    """Give the parameters of some links the same gradients."""
    for link in links:
        rng = np.random.RandomState(seed)
        for param in link.params():
            # Squares of smaller numbers vanish in float16.
            size = rng.uniform(.3, 1, param.shape)
            grad = np.asarray(
                rng.choice([-1, 1], param.shape) * size, np.float16).astype(param.dtype)
            if seed > 2:
                grad[...] *= rng.uniform(0, 1, param.shape) > .3
            param.grad = link.device.send(grad)


def make_pair(name, kwargs, shapes, dtype, **options):
    """Return the same optimizer, set up with equal links, on the processor and the GPU.

    The processor computes float16 in float32, as a GPU does with each element.
    """
    made = []
    for on_cpu in (True, False):
        link = make_params(shapes, dtype)
        for param in link.params():
            if on_cpu and param.dtype == np.float16:
                param.array = param.array.astype(np.float32)
        made.append(getattr(optimizers, name)(**kwargs))
        if options.get('fp32'):
            made[-1].use_fp32_update()
        made[-1].setup(link)
    made[1].target.to_device(on_gpu())
    return made


def assert_equal_links(a, b, dtype):
    tolerance = {'e': 1e-2, 'f': 1e-5, 'd': 1e-11}[np.dtype(dtype).char]
    for (name, x), (_, y) in zip(a.namedparams(), b.namedparams(), strict=True):
        for u, v in (x.array, y.array), (x.grad, y.grad):
            np.testing.assert_allclose(
                v.get(), u, rtol=tolerance, atol=tolerance, err_msg=name)
        for key in x.update_rule.state or ():
            u, v = x.update_rule.state[key], y.update_rule.state[key].get()
            assert v.dtype == np.promote_types(y.dtype, np.float32)
            np.testing.assert_allclose(v, u, rtol=tolerance, atol=tolerance)
        assert x.update_rule.t == y.update_rule.t


@pytest.mark.parametrize('dtype', ['float16', 'float32', 'float64'])
@pytest.mark.parametrize('name,kwargs', RULES)
def test_numbers(name, kwargs, dtype):
    cpu, gpu = make_pair(name, kwargs, SHAPES, dtype)
    for step in range(4):
        set_grads([cpu.target, gpu.target], step)
        cpu.update()
        gpu.update()
    assert_equal_links(cpu.target, gpu.target, dtype)


@pytest.mark.parametrize('name,kwargs', RULES)
def test_numbers_with_copies_in_single_precision(name, kwargs):
    cpu, gpu = make_pair(name, kwargs, SHAPES, 'float16', fp32=True)
    for step in range(4):
        set_grads([cpu.target, gpu.target], step)
        cpu.update()
        gpu.update()
    for x, y in zip(cpu.target.params(), gpu.target.params(), strict=True):
        twin = y.update_rule._fp32_param
        assert twin.dtype == np.float32 and y.dtype == np.float16
        testing.assert_allclose(twin.array, x.array, rtol=1e-4, atol=1e-5)
        testing.assert_allclose(y.array, x.array, rtol=1e-3, atol=1e-3)
        assert twin.grad is None


@pytest.mark.parametrize('fp32', [False, True])
@pytest.mark.parametrize('n_params', [1, 100, 250])
@pytest.mark.parametrize('name,kwargs', RULES)
def test_launches(name, kwargs, n_params, fp32):
    _, gpu = make_pair(
        name, kwargs, [(5,)] * n_params, 'float16' if fp32 else 'float32', fp32=fp32)
    set_grads([gpu.target], 0)
    gpu.update()    # makes states
    with ledger.record() as counts:
        gpu.update()
    # Updates of AMSGrad in single precision have arrays too many for a hundred.
    assert len(counts.launches) <= -(-n_params // (88 if fp32 else 100))
    assert not counts.synchronisations
    assert not counts.to_device


HOOKS = [
    lambda: optimizer_hooks.WeightDecay(.1), lambda: optimizer_hooks.Lasso(.1),
    lambda: optimizer_hooks.GradientHardClipping(-.5, .4)]


@pytest.mark.parametrize('loss_scale', [None, 8.])
@pytest.mark.parametrize('n_hooks', [1, 3])
@pytest.mark.parametrize('name,kwargs', [RULES[0], RULES[1], RULES[-1]])
def test_hooks_are_part_of_an_update(name, kwargs, n_hooks, loss_scale):
    pair = make_pair(name, kwargs, SHAPES[:4] * 30, 'float32')
    for optimizer in pair:
        for hook in HOOKS[:n_hooks]:
            optimizer.add_hook(hook())
        for param in optimizer.target.params():
            param._loss_scale = loss_scale
    for step in range(3):
        set_grads([optimizer.target for optimizer in pair], step)
        pair[0].update()
        with ledger.record() as counts:
            pair[1].update()
    assert len(counts.launches) <= 2
    assert not counts.synchronisations
    assert_equal_links(pair[0].target, pair[1].target, 'float32')


@pytest.mark.parametrize('dtype', ['float16', 'float32', 'float64'])
@pytest.mark.parametrize('make_hook', [
    *HOOKS, lambda: optimizer_hooks.GradientClipping(.5),
    lambda: optimizer_hooks.GradientClipping(1e4),
    lambda: optimizer_hooks.GradientLARS(),
    lambda: optimizer_hooks.GradientLARS(threshold=.9, weight_decay=.1)])
def test_hooks(make_hook, dtype):
    pair = make_pair('SGD', {}, SHAPES + [(2,)] * 9, dtype)
    set_grads([optimizer.target for optimizer in pair], 0)
    for optimizer in pair:
        optimizer.add_hook(make_hook())
    pair[0].call_hooks()
    with ledger.record() as counts:
        pair[1].call_hooks()
    assert len(counts.launches) <= 4
    assert not counts.synchronisations
    assert not counts.to_device
    assert_equal_links(pair[0].target, pair[1].target, dtype)


@pytest.mark.parametrize('value', [np.nan, np.inf, 0])
def test_clipping_of_norms_that_are_no_numbers(value):
    pair = make_pair('SGD', {}, [(2,), (3,)], 'float32')
    for optimizer in pair:
        for param in optimizer.target.params():
            param.grad = param.xp.full_like(param.array, 0)
            param.grad[:1] = value
        optimizer.add_hook(optimizer_hooks.GradientClipping(.5))
        with np.errstate(all='ignore'):
            optimizer.call_hooks()
    assert_equal_grads(*pair)


def assert_equal_grads(cpu, gpu):
    for x, y in zip(cpu.target.params(), gpu.target.params(), strict=True):
        testing.assert_allclose(y.grad, x.grad)


@pytest.mark.parametrize('make_hook', [
    *HOOKS, lambda: optimizer_hooks.GradientLARS(weight_decay=.1)])
def test_hooks_of_a_rule(make_hook):
    pair = make_pair('MomentumSGD', {}, [(2, 3), (4,)], 'float32')
    for optimizer in pair:
        for param in optimizer.target.params():
            param.update_rule.add_hook(make_hook())
    for step in range(3):
        set_grads([optimizer.target for optimizer in pair], step)
        pair[0].update()
        with ledger.record() as counts:
            pair[1].update()
        assert not counts.synchronisations
    assert_equal_links(pair[0].target, pair[1].target, 'float32')


def test_strides():
    pair = make_pair('Adam', {}, [(3, 5), (4, 2)], 'float32')
    for optimizer in pair:
        for param in optimizer.target.params():
            xp = param.xp
            wide = xp.zeros((param.shape[1], param.shape[0] * 2), param.dtype)
            view = wide[:, ::2].T
            view[...] = param.array
            param.array = view
        optimizer.add_hook(optimizer_hooks.WeightDecay(.1))
    for step in range(3):
        set_grads([optimizer.target for optimizer in pair], step)
        for optimizer in pair:
            for param in optimizer.target.params():
                param.grad = param.xp.asfortranarray(param.grad)
            optimizer.update()
    assert not pair[1].target.p000.array.flags.c_contiguous
    assert_equal_links(pair[0].target, pair[1].target, 'float32')


def test_arrays_that_two_parameters_share():
    pair = make_pair('MomentumSGD', {}, [(6,), (6,), (3,)], 'float32')
    for optimizer in pair:
        link = optimizer.target
        link.p001.array = link.p000.array
        link.p002.array = link.p000.array[1:4]
        optimizer.add_hook(optimizer_hooks.WeightDecay(.5))
    set_grads([optimizer.target for optimizer in pair], 0)
    for optimizer in pair:
        optimizer.target.p001.grad = optimizer.target.p000.grad
    for _ in range(3):
        for optimizer in pair:
            optimizer.update()
    assert_equal_links(pair[0].target, pair[1].target, 'float32')


def test_mixed_dtypes():
    pair = make_pair('Adam', {}, [(3,)] * 6, 'float32')
    for optimizer in pair:
        for param, dtype in zip(
                optimizer.target.params(), ['d', 'f', 'e', 'd', 'f', 'e'], strict=True):
            param.array = param.array.astype(dtype)
        optimizer.target.p001.update_rule.hyperparam.alpha = .5
        optimizer.target.p002.update_rule.enabled = False
        optimizer.target.p004.update_rule = None
    for step in range(3):
        set_grads([optimizer.target for optimizer in pair], step)
        for optimizer in pair:
            optimizer.add_hook(optimizer_hooks.WeightDecay(.5), name=str(step))
            optimizer.update()
    for (name, x), (_, y) in zip(
            pair[0].target.namedparams(), pair[1].target.namedparams(), strict=True):
        tolerance = 1e-2 if x.dtype == np.float16 else 1e-5
        testing.assert_allclose(y.array, x.array, rtol=tolerance, atol=tolerance)
        testing.assert_allclose(y.grad, x.grad, rtol=tolerance, atol=tolerance)
        if x.update_rule is not None:
            assert x.update_rule.t == y.update_rule.t, name


def test_rules_of_users():
    class Rule(optimizers.sgd.SGDRule):
        def update_core_gpu(self, param):
            seen.append(param.name)
            assert all(np.allclose(other.grad.get(), 1.5) for other in link.params())
            param.array -= 1

    seen = []
    link = make_params([(2,), (3,), (4,)], 'float32').to_device(on_gpu())
    optimizer = optimizers.SGD(.5).setup(link)
    optimizer.add_hook(optimizer_hooks.GradientHardClipping(-2, 1.5))
    link.p001.update_rule = Rule(optimizer.hyperparam)
    before = [param.array.get() for param in link.params()]
    for param in link.params():
        param.grad = param.xp.full_like(param.array, 3)
    optimizer.update()
    assert seen == ['p001']
    for param, old, step in zip(link.params(), before, [.75, 1, .75], strict=True):
        testing.assert_allclose(param.array, old - step)


def test_update_of_one_parameter():
    pair = make_pair('AMSGrad', {}, [(3,)], 'float32')
    for step in range(3):
        set_grads([optimizer.target for optimizer in pair], step)
        for optimizer in pair:
            optimizer.target.p000.update_rule.update(optimizer.target.p000)
    assert_equal_links(pair[0].target, pair[1].target, 'float32')


def test_hyperparameters_that_are_arrays():
    cpu, gpu = make_pair('RMSprop', {'lr': .5}, [(3,)], 'float32')
    gpu.lr = on_gpu().xp.array(.5, 'float32')
    for step in range(3):
        set_grads([cpu.target, gpu.target], step)
        cpu.update()
        gpu.update()
    assert_equal_links(cpu.target, gpu.target, 'float32')


def test_eps_too_small():
    _, gpu = make_pair('RMSprop', {'eps': 1e-50}, [(3,), (4,)], 'float16')
    set_grads([gpu.target], 0)
    with pytest.raises(ValueError, match='too small for float32'):
        gpu.update()


def test_uninitialized_parameter():
    link = chainer.links.Linear(None, 3).to_device(on_gpu())
    optimizer = optimizers.MomentumSGD(.5).setup(link)
    link.cleargrads()
    link.b.grad = link.xp.ones_like(link.b.array)
    optimizer.update()
    testing.assert_allclose(link.b.array, np.full(3, -.5))


def test_norm_of_as_many_gradients_as_a_launch_takes():
    pair = make_pair('SGD', {}, [(1,)] * 290, 'float32')
    set_grads([optimizer.target for optimizer in pair], 0)
    for optimizer in pair:
        optimizer.add_hook(optimizer_hooks.GradientClipping(.5))
        optimizer.call_hooks()
    assert_equal_grads(*pair)


@pytest.mark.parametrize('n_params', [3, 250])
def test_dynamic_loss_scaling(n_params):
    pair = make_pair('SGD', {}, [(3,)] * n_params, 'float32')
    for optimizer in pair:
        optimizer.loss_scaling(interval=2)
    for step, bad in enumerate([None, [1], [0, 2], None, None]):
        set_grads([optimizer.target for optimizer in pair], step)
        for i in bad or ():
            for optimizer in pair:
                param = getattr(optimizer.target, 'p%03d' % i)
                param.grad[1] = [np.nan, np.inf, -np.inf][i]
        messages = []
        for optimizer in pair:
            with warnings.catch_warnings(record=True) as caught, (
                    ledger.record()) as counts:
                warnings.simplefilter('always')
                optimizer.update()
            messages.append([str(each.message) for each in caught])
        assert messages[0] == messages[1]
        assert len(messages[0]) == len(bad or ())
        assert len(counts.synchronisations) <= 1
        assert pair[0]._loss_scale == pair[1]._loss_scale
        assert pair[0].is_safe_to_update() == pair[1].is_safe_to_update() == (not bad)
        assert pair[0].t == pair[1].t
    assert_equal_links(pair[0].target, pair[1].target, 'float32')


@pytest.mark.parametrize('devices', [
    ('@cupy:0', '@cupy:1'), ('@numpy', '@cupy:1'), ('@cupy:0', '@numpy')])
def test_parameters_on_several_devices(devices):
    cpu, other = make_pair('Adam', {}, [(3,), (4,)], 'float32')
    for param, device in zip(other.target.params(), devices, strict=True):
        param.to_device(device)
    for optimizer in cpu, other:
        optimizer.loss_scaling()
        optimizer.add_hook(optimizer_hooks.WeightDecay(.1))
        optimizer.add_hook(optimizer_hooks.GradientClipping(.1))
        optimizer.add_hook(optimizer_hooks.Lasso(.1))
    for step in range(3):
        set_grads([cpu.target], step)
        for param, source in zip(
                other.target.params(), cpu.target.params(), strict=True):
            param.grad = param.device.send(source.grad.copy())
        cpu.update()
        other.update()
    for x, y in zip(cpu.target.params(), other.target.params(), strict=True):
        testing.assert_allclose(y.array, x.array, rtol=1e-5)
        testing.assert_allclose(y.grad, x.grad, rtol=1e-5)
    assert str(other.target.p000.device) == devices[0]
    assert str(other.target.p001.device) == devices[1]


def test_copies_in_single_precision_on_the_second_device():
    cpu, gpu = make_pair('SGD', {}, [(3,), (4,)], 'float16', fp32=True)
    gpu.target.to_device('@cupy:1')
    for _ in range(3):
        for optimizer in cpu, gpu:
            for param in optimizer.target.params():
                param.grad = param.device.send(np.ones(param.shape, param.dtype))
                param._loss_scale = 2.
            optimizer.update()
    for x, y in zip(cpu.target.params(), gpu.target.params(), strict=True):
        assert str(y.update_rule._fp32_param.device) == '@cupy:1'
        testing.assert_allclose(y.array, x.array, rtol=1e-3)
