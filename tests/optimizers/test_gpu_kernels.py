"""Updates of many parameters on a GPU: numbers as on the processor, few launches."""
import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import optimizer_hooks, optimizers

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
            grad = np.asarray(rng.choice([-1, 1], param.shape) * size, param.dtype)
            if seed > 2:
                grad[...] *= rng.uniform(0, 1, param.shape) > .3
            param.grad = link.device.send(grad)


def make_pair(name, kwargs, shapes, dtype, **options):
    """Return the same optimizer, set up with equal links, on the processor and the GPU."""
    made = []
    for _ in range(2):
        link = make_params(shapes, dtype)
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
        for key in x.update_rule.state:
            u, v = x.update_rule.state[key], y.update_rule.state[key].get()
            assert u.dtype == v.dtype
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
