"""Float16 parameters without float32 twins: they move as those of float32 do."""
import inspect

import numpy as np
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
from chainer_fast import optimizers, serializers
from tests.devices import to_cpu

OPTIMIZERS = sorted(
    name for name, cls in vars(optimizers).items()
    if inspect.isclass(cls) and issubclass(cls, chainer.GradientMethod))


def link_of(array):
    link = chainer.Link()
    with link.init_scope():
        link.w = chainer.Parameter(array)
    return link


def moved(device, name, dtype, grad, n_steps=3, together=True):
    link = device.send(link_of(np.zeros(70, dtype)))
    optimizer = getattr(optimizers, name)().setup(link)
    for _ in range(n_steps):
        link.w.grad = device.send(np.full(70, grad, 'e').astype(dtype))
        if together:
            optimizer.update()
        else:
            link.w.update()
    return to_cpu(link.w.array)


@pytest.mark.parametrize('together', [False, True])
@pytest.mark.parametrize('name', OPTIMIZERS)
@pytest.mark.host
def test_either_byte_order(device, name, together):
    swapped, native = (
        moved(device, name, dtype, 1e-3, together=together) for dtype in ('>f2', '<f2'))
    np.testing.assert_array_equal(swapped, native)


@pytest.mark.parametrize('together', [False, True])
@pytest.mark.parametrize('grad', [0, 6e-8, 1e-4, -1e-3, 1, 300, -60000])
@pytest.mark.parametrize('name', OPTIMIZERS)
def test_steps(device, name, grad, together):
    single, half = (
        moved(device, name, dtype, grad, together=together) for dtype in 'fe')
    assert half.dtype == 'e'
    np.testing.assert_allclose(half, single, rtol=3e-3, atol=1.2e-7)


@pytest.mark.parametrize('name', OPTIMIZERS)
def test_snapshots_with_states_in_float16(device, name, tmp_path):
    # Chainer writes such states, and reads those of float32.
    first = link_of(np.linspace(-1, 1, 5).astype('e'))
    device.send(first)
    one = getattr(optimizers, name)().setup(first)
    first.w.grad = device.send(np.linspace(-2, 2, 5).astype('e'))
    one.update()
    for state, value in first.w.update_rule.state.items():
        assert value.dtype == 'f'
        first.w.update_rule.state[state] = value.astype('e')
    serializers.save_npz(str(tmp_path / 'one'), one)
    for is_new in (True, False):
        second = device.send(link_of(to_cpu(first.w.array).copy()))
        other = getattr(optimizers, name)().setup(second)
        if not is_new:
            second.w.grad = device.send(np.ones(5, 'e'))
            other.update()
            second.w.array[...] = first.w.array
        serializers.load_npz(str(tmp_path / 'one'), other)
        second.w.grad = device.send(np.linspace(-2, 2, 5).astype('e'))
        other.update()
        assert {state.dtype.char for state in second.w.update_rule.state.values()} <= {
            'f'}
        if is_new:
            expected = to_cpu(second.w.array)
        elif name != 'MSVAG':       # which does not save all
            np.testing.assert_array_equal(to_cpu(second.w.array), expected)


def test_training_in_half_precision():
    # Its loss was NaN within an epoch.
    rng = np.random.RandomState(0)
    t = rng.randint(0, 4, 512).astype('i')
    x = (rng.randn(4, 20)[t] + rng.randn(512, 20) * .5)

    def train(dtype):
        np.random.seed(0)
        with chainer.using_config('dtype', dtype):
            model = chainer.Sequential(
                chainer.links.Linear(20, 50), chainer.links.BatchNormalization(50),
                F.relu, F.dropout, chainer.links.Linear(50, 4))
            optimizer = optimizers.Adam().setup(model)
            losses = []
            for _ in range(3):
                for i in range(0, 512, 32):
                    batch = x[i:i + 32].astype(chainer.get_dtype())

                    def loss(batch=batch, i=i):
                        return F.softmax_cross_entropy(model(batch), t[i:i + 32])

                    losses.append(float(loss().array))
                    optimizer.update(loss)
        return losses

    single, mixed = train(np.float32), train(chainer.mixed16)
    np.testing.assert_allclose(mixed[-10:], single[-10:], atol=.1)
    assert mixed[-1] < .5 * mixed[0]


@pytest.mark.parametrize('size', [100., 3e-5])
@pytest.mark.parametrize('name,args', [
    ('GradientClipping', (1.,)), ('GradientClipping', (1e-3,)),
    ('GradientLARS', ()), ('GradientLARS', (1e-2, 1e-6)), ('WeightDecay', (1e-8,)),
    ('Lasso', (1e-8,)), ('GradientHardClipping', (-1e5, 50.))])
def test_hooks(device, name, args, size):
    found = []
    for dtype in 'fe':
        rng = np.random.RandomState(0)
        link = device.send(link_of((rng.randn(3000) * size).astype('e').astype(dtype)))
        optimizer = optimizers.SGD(.5).setup(link)
        link.w.grad = device.send((rng.randn(3000) * size).astype('e').astype(dtype))
        optimizer.add_hook(getattr(chainer.optimizer_hooks, name)(*args))
        optimizer.call_hooks()
        found.append(to_cpu(link.w.grad))
    np.testing.assert_allclose(found[1], found[0], rtol=2e-3, atol=6e-8)
