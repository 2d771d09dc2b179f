"""Networks whose images lie channels last, as ``config.cudnn_channels_last`` asks."""
import numpy as np
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
import chainer_fast.links as L
from chainer_fast import testing
from chainer_fast.backends import _image_orders, cuda
from tests.backends._cudnn.orders import (
    Residual,
    Small,
    check_both_ways,
    count,
    made,
    numbers,
    switched,
    train,
)
from tests.doubles.host_cupy import ledger

pytestmark = pytest.mark.gpu


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
    assert _image_orders.channels_last(model.a.W.grad)
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
        assert _image_orders.channels_last(param.array) == (
            name in ('/a/W', '/c/W', '/up/W')), name
        if not _image_orders.channels_last(param.array):
            assert param.array is arrays[name]
        testing.assert_allclose(param.array, arrays[name], 0, 0)


def test_filters_of_states_and_gradients(frontend):
    with switched():
        model = made(Small)
        optimizer = chainer.optimizers.Adam().setup(model)
        optimizer.update(lambda: F.sum(model(cuda.to_gpu(numbers(2, 3, 8, 8)))))
    W = model.a.W
    for array in W.grad, W.update_rule.state['m'], W.update_rule.state['v']:
        assert _image_orders.channels_last(array)


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
        assert _image_orders.channels_last(other.a.W.array)
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
    """Their results keep the order, too, as no copies show."""
    frontend.refused = {'batchnorm', 'batchnorm_backward'}
    check_both_ways(lambda: train(Residual), 1e-3)
    plain, found = count(Residual, False), count(Residual, True)
    for before, after in zip(plain, found, strict=True):
        assert len(after) <= len(before) + 1
