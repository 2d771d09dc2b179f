"""Images with their channels last in memory, as ``config.cudnn_channels_last`` asks."""
import numpy as np
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
import chainer_fast.links as L
from chainer_fast import testing
from chainer_fast.backends import cuda
from chainer_fast.backends._cudnn import layouts
from tests.doubles.host_cupy import ledger

pytestmark = pytest.mark.gpu

TOLERANCE = {'e': 1e-2, 'f': 1e-5}


def numbers(*shape, seed=0, dtype='f'):
    return np.random.RandomState(seed).uniform(-1, 1, shape).astype(dtype)


def last(array):
    return layouts.dense(cuda.to_gpu(array), True)


def switched(value=True):
    return chainer.using_config('cudnn_channels_last', value)


def check_both_ways(compute, tolerance=1e-5):
    """Compare arrays of a computation without the switch and with it; return the last.
    """
    with switched(False):
        expected = compute()
    with switched():
        found = compute()
    assert len(found) == len(expected)
    for a, b in zip(found, expected, strict=True):
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        scale = max(1, abs(cuda.to_cpu(b)).max())
        testing.assert_allclose(a, b, tolerance * scale, tolerance)
    return found


# -- functions between convolutions

SHAPE = 2, 3, 6, 4

FUNCTIONS = {
    'relu': F.relu, 'tanh': F.tanh, 'leaky_relu': F.leaky_relu, 'elu': F.elu,
    'clipped_relu': F.clipped_relu, 'sigmoid': F.sigmoid, 'square': F.square,
    'x + x': lambda x: x + x, 'x * 2': lambda x: x * 2, '-x': lambda x: -x,
    'x * tanh': lambda x: x * F.tanh(x), 'x - relu': lambda x: x - F.relu(x),
    'x / y': lambda x: x / (2 + F.relu(x)),
    'max_pooling_2d': lambda x: F.max_pooling_2d(x, 3, 2, 1),
    'average_pooling_2d': lambda x: F.average_pooling_2d(x, (3, 2), 2, 1),
    'average_pooling_nd': lambda x: F.average_pooling_nd(x, 3, 2, 1, pad_value=None),
    'unpooling_2d': lambda x: F.unpooling_2d(x, 2, cover_all=False),
    'concat': lambda x: F.concat([x, F.relu(x), x], axis=1),
    'dropout': lambda x: seeded(F.dropout, x),
    'sin': F.sin, 'sqrt': lambda x: F.sqrt(2 + x),
    'batch_normalization': lambda x: F.batch_normalization(
        x, np_like(x, [1, 2, 3]), np_like(x, [3, 2, 1])),
}

PASS_ON = 'x + x', 'x * 2', '-x', 'unpooling_2d'


def seeded(function, x):
    x.xp.random.seed(0)
    return function(x)


def np_like(x, values):
    return x.xp.asarray(np.array(values, x.dtype))


def apply(function, x, gy_is_last):
    """Return output and gradient of a function of images that lie channels last."""
    x = chainer.Variable(last(x))
    y = function(x)
    gy = numbers(*y.shape, seed=1, dtype=x.dtype)
    y.grad = last(gy) if gy_is_last else cuda.to_gpu(gy)
    y.backward()
    return y.array, x.grad


@pytest.mark.parametrize('use_cudnn', ['auto', 'never'])
@pytest.mark.parametrize('gy_is_last', [True, False])
@pytest.mark.parametrize('dtype', 'fe')
@pytest.mark.parametrize('name', FUNCTIONS)
def test_functions_keep_the_order(frontend, name, dtype, gy_is_last, use_cudnn):
    x = numbers(*SHAPE, dtype=dtype)
    with chainer.using_config('use_cudnn', use_cudnn):
        y, gx = check_both_ways(
            lambda: apply(FUNCTIONS[name], x, gy_is_last), TOLERANCE[dtype])
    assert layouts.channels_last(y)
    # Those of sums and the like are gradients of the result as they are.
    assert layouts.channels_last(gx) or not gy_is_last and name in PASS_ON


@pytest.mark.parametrize('ndim', [1, 3])
def test_pooling_of_other_dimensions(frontend, ndim):
    x = numbers(2, 3, *[6, 5, 4][:ndim])
    for function in F.max_pooling_nd, F.average_pooling_nd:
        y, gx = check_both_ways(lambda f=function: apply(
            lambda x: f(x, 3, 2, 1), x, True))
        assert layouts.channels_last(y)
        assert layouts.channels_last(gx)


def test_upsampling(frontend):
    x = numbers(*SHAPE)

    def compute():
        v = chainer.Variable(last(x))
        y, indexes = F.max_pooling_2d(v, 2, return_indices=True)
        z = F.upsampling_2d(y, indexes, 2, outsize=SHAPE[2:])
        z.grad = z.array * z.array
        z.backward()
        return z.array, v.grad

    assert all(map(layouts.channels_last, check_both_ways(compute)))


@pytest.mark.parametrize('function', [F.relu, F.tanh, lambda x: x * x, lambda x: x + x])
def test_mixed_operands_and_gaps(frontend, function):
    """Gradients in another order, and parts of images, as the gradients of concat are.
    """
    wide = last(numbers(2, 7, 6, 4))

    def compute():
        x = chainer.Variable(last(numbers(*SHAPE)))
        y = function(x)
        y.grad = wide[:, 2:5]
        y.backward()
        return y.array, x.grad

    check_both_ways(compute)


def test_without_the_switch_results_are_in_c_order(frontend):
    for name in 'relu', 'x + x', 'max_pooling_2d', 'average_pooling_2d', 'concat':
        y, gx = apply(FUNCTIONS[name], numbers(*SHAPE), True)
        assert y.flags.c_contiguous, name
        assert gx.flags.c_contiguous, name


@pytest.mark.parametrize('shape', [(2, 3), (2, 1, 3, 3), (2, 3, 1, 1), (0, 3, 4, 4)])
def test_arrays_that_lie_both_ways(frontend, shape):
    x = cuda.to_gpu(numbers(*shape))

    def compute():
        v = chainer.Variable(x)
        y = F.relu(v) * 2
        y.grad = x
        y.backward()
        return y.array, v.grad

    if 0 in shape:
        with switched():
            assert compute()[0].shape == shape
        return
    for each in check_both_ways(compute):
        assert each.flags.c_contiguous


# -- networks


class Small(chainer.Chain):
    """Convolutions of some kinds, and what stands between them."""

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.a = L.Convolution2D(3, 8, 3, pad=1)
            self.bn = L.BatchNormalization(8)
            self.b = L.Convolution2D(8, 6, 1, nobias=True)
            self.c = L.Convolution2D(8, 6, 3, pad=1, groups=2)
            self.up = L.Deconvolution2D(12, 4, 2, stride=2)
            self.fc = L.Linear(None, 5)

    def forward(self, x):
        h = F.max_pooling_2d(F.relu(self.bn(self.a(x))), 3, 2, 1)
        h = F.concat([F.relu(self.b(h)), F.tanh(self.c(h))], axis=1)
        h = F.average_pooling_2d(self.up(h), 2)
        return self.fc(h)


class Residual(chainer.Chain):
    """A block of ResNet with another way around it, twice, and the mean of all pixels.
    """

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.first = L.Convolution2D(3, 8, 3, pad=1, nobias=True)
            for i in range(2):
                for name, ksize in ('a', 1), ('b', 3), ('c', 1):
                    setattr(self, name + str(i), L.Convolution2D(
                        8, 8, ksize, pad=ksize // 2, nobias=True))
                    setattr(self, 'bn_%s%d' % (name, i), L.BatchNormalization(8))
            self.fc = L.Linear(8, 5)

    def forward(self, x):
        x = self.first(x)
        for i in range(2):
            h = x
            for name in 'abc':
                h = self['bn_%s%d' % (name, i)](self[name + str(i)](h))
                if name != 'c':
                    h = F.relu(h)
            x = F.relu(x + h)
        return self.fc(F.average_pooling_2d(x, x.shape[2:]))


def made(model_class, static=False):
    model = model_class()
    if static:
        model_class = type('Static', (model_class,), {
            'forward': chainer.static_graph(model_class.forward)})
        model = model_class()
    model(np.zeros((1, 3, 8, 8), 'f'))
    for i, param in enumerate(model.params()):
        param.array[...] = numbers(*param.shape, seed=i) / 2
    model.to_device('@cupy:0')
    model.cleargrads()
    return model


def train(model_class, optimizer_class=chainer.optimizers.MomentumSGD, static=False,
          steps=3):
    """Return losses and gradients of some steps, and the parameters after these."""
    model = made(model_class, static)
    optimizer = optimizer_class().setup(model)
    optimizer.add_hook(chainer.optimizer_hooks.WeightDecay(1e-3))
    found = []
    for step in range(steps):
        x = cuda.to_gpu(numbers(4, 3, 8, 8, seed=step))
        t = cuda.to_gpu(np.arange(4, dtype='i'))
        loss = F.softmax_cross_entropy(model(x), t)
        model.cleargrads()
        loss.backward()
        found += [loss.array, *[param.grad.copy() for param in model.params()]]
        optimizer.update()
    return found + [param.array for param in model.params()] + [
        link.avg_var for link in model.links() if hasattr(link, 'avg_var')]


@pytest.mark.parametrize('optimizer', [
    chainer.optimizers.MomentumSGD, chainer.optimizers.Adam])
@pytest.mark.parametrize('model', [Small, Residual])
def test_training(frontend, model, optimizer):
    # Steps of Adam have the size of their rate, whatever that of a gradient.
    check_both_ways(lambda: train(model, optimizer), 1e-3)


@pytest.mark.parametrize('model', [Small, Residual])
def test_training_of_static_chains(frontend, model):
    with switched(False):
        expected = train(model, steps=5)
    with switched():
        found = train(model, static=True, steps=5)
    for a, b in zip(found, expected, strict=True):
        testing.assert_allclose(a, b, 1e-3, 1e-3)


def test_gradients_of_static_chains_lie_like_parameters(frontend):
    with switched():
        model = made(Small, static=True)
        optimizer = chainer.optimizers.MomentumSGD().setup(model)
        x = cuda.to_gpu(numbers(4, 3, 8, 8))
        for _ in range(3):
            y = model(x)
            y.grad = y.array
            model.cleargrads()
            y.backward()
            with ledger.record() as update:
                optimizer.update()
        assert not model.schedule_manager.recordings.refused
    assert layouts.channels_last(model.a.W.grad)
    assert update.launches == ['change_many']


def test_training_in_half_precision(frontend):
    """With parameters in single precision beside those in half precision."""
    def compute():
        with chainer.using_config('dtype', chainer.mixed16):
            model = Residual()
        model(np.zeros((1, 3, 8, 8), 'e'))
        for i, param in enumerate(model.params()):
            param.array[...] = numbers(*param.shape, seed=i) / 2
        model.to_device('@cupy:0')
        optimizer = chainer.optimizers.MomentumSGD()
        optimizer.use_fp32_update()
        optimizer.setup(model)
        x = cuda.to_gpu(numbers(4, 3, 8, 8, dtype='e'))
        for _ in range(2):
            optimizer.update(lambda: F.sum(model(x)) / 20)
        return [param.array for param in model.params()]

    check_both_ways(compute, 3e-2)


def test_static_chains_know_the_switch(frontend):
    model = made(Small, static=True)
    x = cuda.to_gpu(numbers(2, 3, 8, 8))
    with switched(False):
        expected = [model(x).array for _ in range(3)][-1]
    with switched():
        launched = len(frontend.ran)
        found = [model(x).array for _ in range(3)][-1]
    assert len(frontend.ran) > launched     # not the graph from before
    testing.assert_allclose(found, expected, 1e-4, 1e-4)


@pytest.mark.parametrize('model_class', [Small, Residual])
def test_double_backward(frontend, model_class):
    x = numbers(4, 3, 8, 8)

    def compute():
        model = made(model_class)
        v = chainer.Variable(cuda.to_gpu(x))
        gx, = chainer.grad([F.sum(model(v) ** 2)], [v], enable_double_backprop=True)
        F.sum(gx ** 2).backward()
        return [gx.array, v.grad, *[
            p.grad for p in model.params() if p.grad is not None]]

    check_both_ways(compute, 1e-3)


def test_inference(frontend):
    x = numbers(4, 3, 8, 8)

    def compute():
        with chainer.using_config('train', False), chainer.no_backprop_mode():
            return made(Residual)(cuda.to_gpu(x)).array,

    check_both_ways(compute)


# -- launches

def count(model_class, switch):
    """Return what the third step of training launches, forward and backward."""
    with switched(switch):
        model = made(model_class)
        optimizer = chainer.optimizers.MomentumSGD().setup(model)
        x, t = cuda.to_gpu(numbers(4, 3, 8, 8)), cuda.to_gpu(np.arange(4, dtype='i'))
        for _ in range(3):
            model.cleargrads()
            with ledger.record() as forward:
                loss = F.softmax_cross_entropy(model(x), t)
            with ledger.record() as backward:
                loss.backward()
            with ledger.record() as update:
                optimizer.update()
    return [record.launches for record in (forward, backward, update)]


@pytest.mark.parametrize('model, more', [
    # The first convolution copies the user's images, forward and for the gradient of
    # its filters. The linear function and its gradient are in C order, which is free
    # for single pixels.
    (Small, (['astype', 'reshape'], ['astype', 'astype'])),
    (Residual, (['astype'], ['astype']))])
def test_launches(frontend, model, more):
    """Nothing between convolutions is copied, nor are filters, states and gradients."""
    plain, found = count(model, False), count(model, True)
    for before, after, added in zip(plain, found, (*more, []), strict=True):
        after = [name.replace('_2d_last', '_2d') for name in after]
        for name in added:
            after.remove(name)
        assert after == before


# -- filters


def test_filters_are_laid_out_once(frontend):
    model = made(Small)
    arrays = {name: param.array for name, param in model.namedparams()}
    x = cuda.to_gpu(numbers(2, 3, 8, 8))
    model(x)
    assert all(param.array is arrays[name] for name, param in model.namedparams())
    with switched():
        model(x)
        laid_out = {name: param.array for name, param in model.namedparams()}
        model(x)
    for name, param in model.namedparams():
        assert param.array is laid_out[name]
        assert layouts.channels_last(param.array) == (
            name in ('/a/W', '/c/W', '/up/W')), name
        if not layouts.channels_last(param.array):
            assert param.array is arrays[name]
        testing.assert_allclose(param.array, arrays[name], 0, 0)


def test_filters_of_states_and_gradients(frontend):
    with switched():
        model = made(Small)
        optimizer = chainer.optimizers.Adam().setup(model)
        optimizer.update(lambda: F.sum(model(cuda.to_gpu(numbers(2, 3, 8, 8)))))
    W = model.a.W
    for array in W.grad, W.update_rule.state['m'], W.update_rule.state['v']:
        assert layouts.channels_last(array)


def test_double_precision_stays(frontend):
    with chainer.using_config('dtype', np.float64), switched():
        link = L.Convolution2D(3, 4, 3)
        link.to_device('@cupy:0')
        W = link.W.array
        y = link(cuda.to_gpu(numbers(2, 3, 5, 5, dtype='d')))
    assert link.W.array is W
    assert y.array.flags.c_contiguous


def test_without_cudnn(no_frontend):
    with switched():
        model = made(Small)
        W = model.a.W.array
        model(cuda.to_gpu(numbers(2, 3, 8, 8)))
        assert model.a.W.array is W
    check_both_ways(lambda: train(Small), 1e-3)


def test_serialization(frontend, tmp_path):
    with switched():
        model = made(Small)
        model(cuda.to_gpu(numbers(2, 3, 8, 8)))
        chainer.serializers.save_npz(tmp_path / 'model.npz', model)
        other = made(Small)
        other(cuda.to_gpu(numbers(2, 3, 8, 8)))
        other.a.W.array[...] = 0
        chainer.serializers.load_npz(tmp_path / 'model.npz', other)
        assert layouts.channels_last(other.a.W.array)
        testing.assert_allclose(other.a.W.array, model.a.W.array, 0, 0)
        other.to_device('@numpy')
    testing.assert_allclose(other.a.W.array, model.a.W.array, 0, 0)


# -- where cuDNN has no engine for it


def test_the_other_order_where_there_is_no_engine(frontend, monkeypatch):
    from chainer_fast.backends._cudnn import plans
    attempt = plans._attempt

    def refuse(handle, describe, facts, settings, *rest):
        return None if settings[1] else attempt(
            handle, describe, facts, settings, *rest)

    monkeypatch.setattr(plans, '_attempt', refuse)
    with switched():
        y = L.Convolution2D(3, 4, 3).to_device('@cupy:0')(
            cuda.to_gpu(numbers(2, 3, 5, 5)))
    assert y.array.flags.c_contiguous
    assert [names for _, names, _ in frontend.ran] == [['conv_fprop', 'bias']]
    check_both_ways(lambda: train(Residual), 1e-3)


def test_own_kernels_of_batch_normalization(frontend):
    frontend.refused = {'batchnorm', 'batchnorm_backward'}
    check_both_ways(lambda: train(Residual), 1e-3)
    y, gx = check_both_ways(lambda: apply(
        FUNCTIONS['batch_normalization'], numbers(*SHAPE), True))
    assert layouts.channels_last(y)
    assert layouts.channels_last(gx)
