"""Changes of arrays on GPUs: which are made by few kernels, and which otherwise."""
import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import optimizer_hooks, optimizers
from chainer_fast._core.updates import update
from chainer_fast.backends import cuda
from chainer_fast.backends.kernels.update_rules import cuda as kernels
from tests.layouts import channels_last

pytestmark = pytest.mark.gpu


@pytest.fixture
def batches():
    """Batches that have been made for what is not plain."""
    made = []

    class Batch(kernels.Batch):
        def __init__(self):
            super().__init__()
            made.append(self)

    update.bind_devices(batch=Batch, make_kernel=kernels.make_kernel)
    yield made
    update.bind_devices(batch=kernels.Batch, make_kernel=kernels.make_kernel)


def make(device, shapes, dtype='f', fp32=False):
    link = chainer.Link()
    random = np.random.RandomState(0)
    with link.init_scope():
        for i, shape in enumerate(shapes):
            setattr(link, 'p%d' % i, chainer.Parameter(
                random.uniform(-1, 1, shape).astype(dtype)))
    link.to_device(device)
    optimizer = optimizers.Adam(amsgrad=True)
    if fp32:
        optimizer.use_fp32_update()
    return optimizer.setup(link)


def run(device, shapes, spoil=None, steps=2, hooks=(), **options):
    """Return the parameters after some updates, on the host."""
    optimizer = make(device, shapes, **options)
    for hook in hooks:
        optimizer.add_hook(hook)
    for step in range(steps):
        random = np.random.RandomState(step)
        for param in optimizer.target.params(False):
            param.grad = param.device.send(
                random.uniform(-1, 1, param.shape).astype(param.dtype))
            if spoil is not None:
                spoil(param)
        optimizer.update()
    return [chainer.backends.cuda.to_cpu(p.array) for p in optimizer.target.params()]


def compare(found, expected, tolerance=1e-5):
    for a, b in zip(found, expected, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b, tolerance, tolerance)


@pytest.mark.parametrize('dtype, fp32', [('f', False), ('d', False), ('e', True)])
def test_plain_arrays_need_no_batch(device, batches, dtype, fp32):
    shapes = [(3,), (5, 4097), (), (1, 1)]
    hooks = [optimizer_hooks.WeightDecay(.1)]
    found = run('@cupy:0', shapes, dtype=dtype, fp32=fp32, hooks=hooks)
    assert not batches
    compare(found, run('@numpy', shapes, dtype=dtype, fp32=fp32, hooks=hooks),
            2e-3 if dtype == 'e' else 1e-5)


def fortran(x):
    return cuda.cupy.asfortranarray(x)


def strided(param):
    if param.ndim == 2:
        param.grad = fortran(param.grad)


def test_arrays_that_are_not_contiguous(device, batches):
    shapes = [(3,), (4, 5)]
    found = run('@cupy:0', shapes, strided)
    assert batches
    compare(found, run('@numpy', shapes))


def in_order(arrange, grads_too=True):
    """Return what puts a parameter and its gradient in another order in memory."""
    def spoil(param):
        if param.ndim == 4:
            grad = param.grad
            if param.array.flags.c_contiguous:
                param.array = arrange(param.array)
            param.grad = arrange(grad) if grads_too else grad
    return spoil


def apart(x):
    return cuda.cupy.stack([x, x], axis=-1)[..., 0]


@pytest.mark.parametrize('dtype, fp32', [('f', False), ('d', False), ('e', True)])
@pytest.mark.parametrize('arrange, plain', [
    (fortran, True), (channels_last, True), (apart, False)])
def test_arrays_of_another_order(device, batches, arrange, plain, dtype, fp32):
    shapes, options = [(3,), (4, 3, 2, 1), (5, 4, 3, 2)], {'dtype': dtype, 'fp32': fp32}
    hooks = [optimizer_hooks.WeightDecay(.1)]
    expected = run('@numpy', shapes, hooks=hooks, **options)
    tolerance = 2e-3 if dtype == 'e' else 1e-5
    compare(run('@cupy:0', shapes, in_order(arrange), hooks=hooks, **options),
            expected, tolerance)
    assert bool(batches) != plain
    # Gradients alone in C order are of another order.
    compare(run('@cupy:0', shapes, in_order(arrange, False), hooks=hooks, **options),
            expected, tolerance)
    assert batches


def test_arrays_that_overlap(device, batches):
    optimizer = make('@cupy:0', [(4,), (4,)])
    memory = cuda.cupy.arange(6, dtype='f')
    params = list(optimizer.target.params())
    for i, param in enumerate(params):
        param.array = memory[i * 2:i * 2 + 4]
        param.grad = cuda.cupy.ones(4, 'f')
    optimizer.update()      # makes the states
    assert not batches
    optimizer.update()
    assert batches
    expected = np.arange(6, dtype='f')
    expected[:4] -= .002
    expected[2:] -= .002
    np.testing.assert_allclose(memory.get(), expected, 1e-5, 1e-6)


def test_rules_of_several_kinds(device, batches):
    def differ(optimizer):
        for i, param in enumerate(optimizer.target.params()):
            param.update_rule.hyperparam.alpha = .1 * (i % 3 + 1)

    results = []
    for name in '@cupy:0', '@numpy':
        optimizer = make(name, [(3,)] * 7)
        differ(optimizer)
        for param in optimizer.target.params():
            param.grad = param.device.xp.ones_like(param.array)
        optimizer.update()
        results.append([cuda.to_cpu(p.array) for p in optimizer.target.params()])
    compare(*results)
    assert not batches


def test_more_parameters_than_a_kernel_takes(device, batches):
    from tests.doubles.host_cupy import array, ledger
    shapes = [(2,)] * 250
    compare(run('@cupy:0', shapes), run('@numpy', shapes))
    assert not batches
    if cuda.ndarray is array.ndarray:
        optimizer = make('@cupy:0', shapes)
        for param in optimizer.target.params():
            param.grad = cuda.cupy.ones(2, 'f')
        optimizer.update()
        with ledger.record() as counts:
            optimizer.update()
        # Five arrays each, and 4096 bytes of arguments.
        assert counts.launches == ['change_many'] * 3
