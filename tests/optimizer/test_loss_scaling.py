"""With and without a loss scale, updates are the same, whichever hooks there are."""
import contextlib
import inspect

import numpy as np
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
from chainer_fast import optimizer_hooks, optimizers
from chainer_fast.graph_optimizations.static_graph import static_graph
from tests import compare, devices
from tests.devices import to_cpu

OPTIMIZERS = sorted(
    name for name, cls in vars(optimizers).items()
    if inspect.isclass(cls) and issubclass(cls, chainer.Optimizer))


class Halving:
    """Hook of a user, called once for each parameter."""

    name = 'Halving'
    call_for_each_param = True

    def __init__(self, timing='pre'):
        self.timing = timing

    def __call__(self, rule, param):
        if self.timing == 'pre':
            param.grad[...] *= 0.5
            param.grad += param.device.xp.sign(param.array) * 0.25
        else:
            self.seen = to_cpu(param.grad).copy()


class Replacing(Halving):
    """Another, which makes arrays anew."""

    def __call__(self, rule, param):
        param.grad = param.grad * 0.5


class Of:
    """Hook that is called with the optimizer, or the rule."""

    name = 'Of'
    timing = 'pre'

    def __call__(self, owner, param=None):
        for each in [param] if param is not None else owner.target.params():
            if each.grad is not None:
                each.grad = abs(each.grad) + 0.125


HOOKS = {
    'WeightDecay': (0.25,), 'Lasso': (0.25,), 'GradientHardClipping': (-0.5, 0.75),
    'GradientNoise': (0.25,), 'GradientLARS': (0.01, 0.25), 'GradientClipping': (0.5,),
}
FACTORIES = {
    **{name: lambda name=name: getattr(optimizer_hooks, name)(*HOOKS[name])
       for name in HOOKS},
    'Halving': Halving, 'Replacing': Replacing, 'Of': Of,
    'several': lambda: [FACTORIES[name]() for name in (
        'WeightDecay', 'Of', 'GradientClipping', 'Lasso', 'GradientHardClipping')],
}


def test_all_hooks_are_tried():
    assert set(HOOKS) == {
        name for name, cls in vars(optimizer_hooks).items() if inspect.isclass(cls)}


class Model(chainer.Chain):
    def __init__(self, dtype):
        super().__init__()
        rng = np.random.RandomState(0)
        with self.init_scope():
            self.w = chainer.Parameter(rng.uniform(-1, 1, (3, 4)).astype(dtype))
            self.v = chainer.Parameter(rng.uniform(-1, 1, 5).astype(dtype))
            self.unused = chainer.Parameter(np.ones(2, dtype))

    def forward(self, x, y):
        return F.sum(self.w * x) + F.sum(self.v * y)


def train(device, optimizer, dtype, scale, hook, level='optimizer', fp32=False,
          how='update', n_steps=4):
    """Return the parameters and gradients after some steps."""
    model = Model(dtype)
    model.to_device(device.name)
    if fp32:
        optimizer.use_fp32_update()
    optimizer.setup(model)
    if scale == 'dynamic':
        optimizer.loss_scaling(interval=2)
    elif scale is not None and how == 'update':
        optimizer.set_loss_scale(scale)
    hooks = hook() if hook is not None else []
    for each in hooks if isinstance(hooks, list) else [hooks]:
        if level == 'optimizer':
            optimizer.add_hook(each)
            continue
        if isinstance(each, optimizer_hooks.GradientClipping):
            continue    # is called with the optimizer alone
        for param in model.params():
            param.update_rule.add_hook(each)
    rng = np.random.RandomState(1)
    np.random.seed(2)
    device.xp.random.seed(2)
    found = []
    for _ in range(n_steps):
        # Sixteenths, so that gradients in float16 are exact.
        x, y = (device.send((rng.randint(-20, 20, shape) / 16).astype(dtype))
                for shape in [(3, 4), 5])
        if how == 'update':
            optimizer.update(model, x, y)
        else:
            model.cleargrads()
            model(x, y).backward(loss_scale=scale)
            optimizer.update()
        found.append([to_cpu(param.array).copy() for param in model.params()])
    for param in model.params():
        assert param.dtype == param.grad.dtype == dtype
        found.append([to_cpu(param.grad) / to_cpu(param._loss_scale or 1)])
    return found


def assert_same(found, expected, dtype):
    tolerance = 4e-3 if dtype == 'float16' else 1e-5
    for a, b in zip(found, expected, strict=True):
        for x, y in zip(a, b, strict=True):
            np.testing.assert_allclose(x, y, rtol=tolerance, atol=tolerance)


DTYPES = [('float32', False), ('float64', True), ('float16', False), ('float16', True)]


@pytest.mark.parametrize('scale', [8., 3., 1024])
@pytest.mark.parametrize('dtype,fp32', DTYPES)
@pytest.mark.parametrize('level', ['optimizer', 'rule'])
@pytest.mark.parametrize('name', FACTORIES)
def test_hooks(device, name, level, dtype, fp32, scale):
    args = dtype, FACTORIES[name], level, fp32
    expected, found = (
        train(device, optimizers.MomentumSGD(0.1), args[0], each, *args[1:])
        for each in (None, scale))
    # The gradients in float16 of a fused update on a GPU lack what hooks changed.
    n = -3 if fp32 and dtype == 'float16' else None
    assert_same(found[:n], expected[:n], dtype)


@pytest.mark.parametrize('dtype,fp32', DTYPES)
@pytest.mark.parametrize('name', ['several', 'GradientClipping', 'Replacing'])
@pytest.mark.parametrize('how,scale', [
    ('backward', 8.), ('update', 'dynamic'), ('update', 65504)])
def test_ways_to_scale(device, how, scale, name, dtype, fp32):
    hook = FACTORIES[name]
    expected = train(device, optimizers.SGD(0.1), dtype, None, hook, 'optimizer', fp32)
    scaled = 1 if scale == 65504 else 4     # SGD of larger sums is infinite in float16
    if dtype == 'float16' and scale == 65504:
        scale = 4096
    found = train(
        device, optimizers.SGD(0.1), dtype, scale, hook, 'optimizer', fp32, how)
    assert_same(found[:scaled], expected[:scaled], dtype)


@pytest.mark.parametrize('dtype,fp32', DTYPES)
@pytest.mark.parametrize('level', ['optimizer', 'rule'])
@pytest.mark.parametrize('name', OPTIMIZERS)
def test_optimizers(device, name, level, dtype, fp32):
    make = getattr(optimizers, name)
    args = dtype, FACTORIES['several'], level, fp32
    expected, found = (
        train(device, make(), args[0], each, *args[1:]) for each in (None, 8.))
    assert_same(found[:4], expected[:4], dtype)


@pytest.mark.parametrize('dtype,fp32', DTYPES)
@pytest.mark.parametrize('level', ['optimizer', 'rule'])
def test_hooks_after_the_update(device, level, dtype, fp32):
    seen = []
    for scale in (None, 8.):
        hook = Halving('post')
        train(device, optimizers.SGD(0.1), dtype, scale, lambda hook=hook: hook, level,
              fp32)
        seen.append(hook.seen)
    np.testing.assert_array_equal(*seen)


def test_small_gradients_are_not_lost(device):
    # They are none in float16, but their product with the scale is one.
    for hook in (Halving(), optimizer_hooks.GradientClipping(1),
                 optimizer_hooks.WeightDecay(1e-9)):
        param = chainer.Parameter(device.send(np.zeros(3, 'float16')))
        link = chainer.Link()
        with link.init_scope():
            link.w = param
        sgd = optimizers.SGD(1024.)
        sgd.use_fp32_update()
        sgd.setup(link).add_hook(hook)
        for _ in range(2):
            param.grad = device.send(np.full(3, 2. ** -18, 'float16'))
            param._loss_scale = 1024.
            sgd.update()
        factor = 0.5 if isinstance(hook, Halving) else 1
        expected = -2 * factor * 2. ** -18
        if isinstance(hook, Halving):
            expected += 1024 * .25      # that of the second step, for the sign
        compare.assert_allclose(param.array, np.full(3, expected), rtol=1e-2)


def test_hooks_that_make_scaled_gradients_too_large(device):
    # The gradient in float16 gets a smaller scale.
    param = chainer.Parameter(device.send(np.ones(2, 'float16')))
    link = chainer.Link()
    with link.init_scope():
        link.w = param
    sgd = optimizers.SGD(1.)
    sgd.use_fp32_update()
    sgd.setup(link)
    sgd.add_hook(Of())
    sgd.add_hook(optimizer_hooks.WeightDecay(10.), timing='pre')
    param.grad = device.send(np.full(2, 1024., 'float16'))
    param._loss_scale = 32768.
    sgd.update()
    compare.assert_allclose(param.array, np.full(2, -9.15625), rtol=1e-3)


@pytest.mark.parametrize('fp32', [False, True])
@pytest.mark.parametrize('dtype', ['float16', 'float32'])
def test_a_second_update_divides_no_more(device, dtype, fp32):
    moved = []
    for scale in (None, 4.):
        model = Model(dtype)
        model.to_device(device.name)
        sgd = optimizers.SGD(0.25)
        if fp32:
            sgd.use_fp32_update()
        sgd.setup(model)
        ones = [device.send(np.ones(shape, dtype)) for shape in [(3, 4), 5]]
        model(*ones).backward(loss_scale=scale)
        for _ in range(2):
            sgd.update()
        moved.append(to_cpu(model.w.array))
    np.testing.assert_array_equal(*moved)


class Own(chainer.Optimizer):
    """An optimizer of a user, with its own steps."""

    def update(self, lossfun=None, *args, **kwds):
        self.call_hooks('pre')
        for param in self.target.params():
            param.update()


def test_optimizers_of_users(device):
    results = []
    for scale in (None, 8.):
        model = Model('float32')
        model.to_device(device.name)
        own = Own().setup(model)
        for param in model.params():
            param.update_rule = optimizers.SGD(0.5).create_update_rule()
        own.add_hook(optimizer_hooks.GradientClipping(0.5))
        own.add_hook(optimizer_hooks.Lasso(0.25))
        ones = [device.send(np.ones(shape, 'float32')) for shape in [(3, 4), 5]]
        model.cleargrads()
        model(*ones).backward(loss_scale=scale)
        own.update()
        results.append(to_cpu(model.w.array))
    np.testing.assert_allclose(*results, rtol=1e-6)


def test_arrays_are_put_back_when_a_hook_fails(device):
    model = Model('float16')
    model.to_device(device.name)
    sgd = optimizers.SGD(0.5)
    sgd.use_fp32_update()
    sgd.setup(model)

    def fail(optimizer):
        assert model.w.dtype == np.float32
        raise KeyError

    sgd.add_hook(fail, 'fail')
    sgd.set_loss_scale(8.)
    array = model.w.array
    ones = [device.send(np.ones(shape, 'float16')) for shape in [(3, 4), 5]]
    with contextlib.suppress(KeyError):
        sgd.update(model, *ones)
    assert model.w.array is array
    assert model.w.grad.dtype == np.float16
    compare.assert_array_equal(model.w.grad, np.full((3, 4), 8))
    assert float(model.w._loss_scale) == 8


@pytest.mark.parametrize('name', FACTORIES)
def test_chainerx(name):
    chainerx = devices.Device('native:0')
    expected, found = (
        train(chainerx, optimizers.MomentumSGD(0.1), 'float32', scale, FACTORIES[name])
        for scale in (None, 8.))
    assert_same(found, expected, 'float32')


class Static(Model):
    @static_graph
    def forward(self, x, y):
        return super().forward(x, y)


@pytest.mark.parametrize('name', ['several', 'Of'])
def test_static_chains(device, name, monkeypatch):
    monkeypatch.setitem(globals(), 'Model', Static)
    with chainer.using_config('use_static_graph', True):
        expected, found = (
            train(device, optimizers.MomentumSGD(0.1), 'float32', scale,
                  FACTORIES[name], n_steps=6) for scale in (None, 8.))
    assert_same(found, expected, 'float32')
