"""The built-in rules: figures, dtypes, layouts, and what is particular to each."""
import pickle

import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import links as L
from chainer_fast import optimizers
from chainer_fast._core.updates import update as _update
from tests import compare

# Bits of a parameter after three updates, as Chainer 7.8.1 computes them. Those of
# float16 are of its updates in float32, with the parameter rounded after each.
FIGURES = [
    ('SGD', dict(lr=0.37), {
        'float32': [0x3d199998, 0xbffeb852, 0x40411eb8, 0xbe23851e],
        'float16': [0x28ce, 0xbff6, 0x4209, 0xb11c],
    }),
    ('MomentumSGD', dict(lr=0.37, momentum=0.77), {
        'float32': [0xbeca8545, 0xbfeb0718, 0x40234ede, 0xbe33a820],
        'float16': [0xb654, 0xbf58, 0x411b, 0xb19e],
    }),
    ('CorrectedMomentumSGD', dict(lr=0.37, momentum=0.77), {
        'float32': [0xbeca8544, 0xbfeb0718, 0x40234ede, 0xbe33a820],
        'float16': [0xb654, 0xbf58, 0x411b, 0xb19e],
    }),
    ('NesterovAG', dict(lr=0.37, momentum=0.77), {
        'float32': [0xbf597f16, 0xc03a11b5, 0x40841928, 0xbe5d7f68],
        'float16': [0xbacc, 0xc1d0, 0x4421, 0xb2ec],
    }),
    ('RMSprop', dict(lr=0.03), {
        'float32': [0x3e1086b9, 0xbfa3ecf2, 0x3fdf128c, 0xbf31a0f7],
        'float16': [0x3083, 0xbd20, 0x3ef9, 0xb98d],
    }),
    ('RMSprop', dict(lr=0.03, eps=0.001, eps_inside_sqrt=True), {
        'float32': [0x3e207212, 0xbfa43ca4, 0x3fe6b788, 0xbe598075],
        'float16': [0x3104, 0xbd22, 0x3f35, 0xb2cc],
    }),
    ('RMSpropGraves', dict(lr=0.03), {
        'float32': [0x3e03d686, 0xbf907583, 0x3fc4bbd1, 0xbee14737],
        'float16': [0x301f, 0xbc84, 0x3e26, 0xb70a],
    }),
    ('AdaGrad', dict(lr=0.3), {
        'float32': [0x3e113bdf, 0xbfa3d046, 0x3fdf1c23, 0xbf317df2],
        'float16': [0x3089, 0xbd1f, 0x3ef9, 0xb98c],
    }),
    ('AdaDelta', dict(rho=0.9, eps=0.001), {
        'float32': [0x3ebd16b8, 0xbfa923aa, 0x3ffaf68a, 0xbe55684c],
        'float16': [0x35e8, 0xbd49, 0x3fd9, 0xb2ab],
    }),
    ('SMORMS3', dict(lr=0.03), {
        'float32': [0x3ee30c0b, 0xbfa1d46c, 0x3ffb48f2, 0xbe5d646f],
        'float16': [0x3718, 0xbd0f, 0x3fdb, 0xb2ec],
    }),
    ('MSVAG', dict(lr=0.3, beta=0.8), {
        'float32': [0x3df4f28b, 0xbf3e73e1, 0x3fe7041e, 0xbe134af6],
        'float16': [0x2fa8, 0xb9f4, 0x3f38, 0xb09b],
    }),
    ('MSVAG', dict(eta=0.7, weight_decay_rate=0.1), {
        'float32': [0x3ea44b2c, 0xbf662683, 0x3fc8036c, 0xbdd637af],
        'float16': [0x3522, 0xbb31, 0x3e41, 0xaeb1],
    }),
    ('Adam', dict(alpha=0.3), {
        'float32': [0xbdfad816, 0xbf90c1b0, 0x3fc505d3, 0xbf5decb1],
        'float16': [0xafd8, 0xbc86, 0x3e29, 0xbaef],
    }),
    ('AdamW', dict(alpha=0.3, eta=0.7, weight_decay_rate=0.1), {
        'float32': [0x3ae08580, 0xbf726262, 0x3faa208b, 0xbf14e6f6],
        'float16': [0x1681, 0xbb93, 0x3d52, 0xb8a7],
    }),
    ('AMSGrad', dict(alpha=0.3, beta2=0.7), {
        'float32': [0xbde47b08, 0xbf8f80a8, 0x3fc3d84a, 0xbf53d911],
        'float16': [0xaf24, 0xbc7d, 0x3e1f, 0xba9f],
    }),
    ('AdaBound', dict(alpha=0.3, final_lr=0.01, gamma=0.1), {
        'float32': [0x3ef5f6c5, 0xbf9f4262, 0x3ffffe79, 0xbe00ea1a],
        'float16': [0x37b0, 0xbcf9, 0x4000, 0xb007],
    }),
    ('AMSBound', dict(alpha=0.3, beta2=0.7, final_lr=0.01, gamma=0.1), {
        'float32': [0x3ef5f6c5, 0xbf9f4262, 0x3ffffe79, 0xbe00ea1a],
        'float16': [0x37b0, 0xbcf9, 0x4000, 0xb007],
    }),
]

ALL = sorted({name for name, _, _ in FIGURES})

STATES = {
    'SGD': [], 'MomentumSGD': ['v'], 'CorrectedMomentumSGD': ['v'], 'NesterovAG': ['v'],
    'RMSprop': ['ms'], 'RMSpropGraves': ['n', 'g', 'delta'], 'AdaGrad': ['h'],
    'AdaDelta': ['msg', 'msdx'], 'SMORMS3': ['mem', 'g', 'g2'], 'MSVAG': ['m', 'v'],
    'Adam': ['m', 'v'], 'AdamW': ['m', 'v'], 'AMSGrad': ['m', 'v', 'vhat'],
    'AdaBound': ['m', 'v'], 'AMSBound': ['m', 'v', 'vhat'],
}

GRADS = ([1, -2, .5, .03125], [-.25, 3, .75, 0], [.5, 1, -4, .0625])


def strided(array):
    """Return a copy that is contiguous in no order."""
    spread = np.zeros(tuple(2 * n for n in array.shape), array.dtype)
    view = spread[tuple(slice(None, None, 2) for _ in array.shape)]
    view[...] = array
    return view


def make(device, name, dtype='float32', shape=(3,), **kwargs):
    data = np.linspace(-1, 2, int(np.prod(shape)), dtype=dtype).reshape(shape)
    param = chainer.Parameter(device.send(data))
    param.grad = device.xp.full(shape, 0.25, dtype)
    rule = getattr(optimizers, name)(**kwargs).create_update_rule()
    param.update_rule = rule
    return param, rule


@pytest.mark.parametrize('layout', [np.array, strided])
@pytest.mark.parametrize('together', [False, True])
@pytest.mark.parametrize('name,kwargs,dtype,expected', [
    (name, kwargs, dtype, expected) for name, kwargs, figures in FIGURES
    for dtype, expected in figures.items()])
def test_figures(name, kwargs, dtype, expected, together, layout):
    param = chainer.Parameter(layout(np.array([.5, -1.25, 2, -.125], dtype)))
    param.update_rule = getattr(optimizers, name)(**kwargs).create_update_rule()
    for grad in GRADS:
        param.grad = layout(np.array(grad, dtype))
        if together:
            _update.update_params([param])
        else:
            param.update()
    bits = np.ascontiguousarray(param.array).view('u%d' % param.dtype.itemsize)
    assert [hex(x) for x in bits.tolist()] == [hex(x) for x in expected]


@pytest.mark.parametrize('name,kwargs,figures', FIGURES)
def test_float64_agrees_with_float32(device, name, kwargs, figures):
    param = chainer.Parameter(device.send(np.array([.5, -1.25, 2, -.125])))
    rule = getattr(optimizers, name)(**kwargs).create_update_rule()
    for grad in GRADS:
        param.grad = device.send(np.array(grad))
        rule.update(param)
    expected = np.array(figures['float32'], np.uint32).view(np.float32)
    compare.assert_allclose(param.array, expected, rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize('dtype', ['float16', 'float32', 'float64'])
@pytest.mark.parametrize('shape', [(), (2, 3), (1, 0, 2)])
@pytest.mark.parametrize('name', ALL)
def test_dtypes_and_names_of_states(device, name, shape, dtype):
    param, rule = make(device, name, dtype, shape)
    data, grad = param.array, param.grad.copy()
    for _ in range(2):
        param.update()
    assert param.array is data
    assert data.dtype == dtype
    compare.assert_array_equal(param.grad, grad)
    assert list(rule.state) == STATES[name]
    for state in rule.state.values():
        assert isinstance(state, device.xp.ndarray)
        kept = 'float32' if dtype == 'float16' else dtype
        assert (state.shape, state.dtype) == (shape, kept)


@pytest.mark.parametrize('name', ALL)
def test_no_gradient_no_step(device, name):
    param, rule = make(device, name)
    before = param.array.copy()
    param.cleargrad()
    param.update()
    compare.assert_array_equal(param.array, before)
    assert rule.t == 1


@pytest.mark.parametrize('name', ALL)
def test_zero_gradient_warns_of_nothing(device, name):
    param, _ = make(device, name, eps=1e-8) if name == 'SMORMS3' else make(device, name)
    param.grad[...] = 0
    before = param.array.copy()
    param.update()
    compare.assert_array_equal(param.array, before)


@pytest.mark.parametrize('name', ALL)
def test_numpy_scalars_as_hyperparameters(device, name):
    # A numpy.float64 must not have float32 arrays computed in float64.
    plain, _ = make(device, name, shape=(300,))
    other, _ = make(device, name, shape=(300,))
    for param in (plain, other):
        param.grad = device.send(np.sin(np.arange(1, 301, dtype=np.float32)))
    optimizer = getattr(optimizers, name)()
    for key, value in optimizer.hyperparam.get_dict().items():
        if isinstance(value, float):
            setattr(optimizer.hyperparam, key, np.float64(value))
    other.update_rule = rule = optimizer.create_update_rule()
    rule._init_states(other)
    for _ in range(3):
        plain.update()
        rule.t += 1
        rule._move(other.device.xp, other.array, other.grad)
    compare.assert_array_equal(plain.array, other.array)


@pytest.mark.parametrize('name', ALL)
def test_hyperparameters(name):
    optimizer = getattr(optimizers, name)()
    values = optimizer.hyperparam.get_dict()
    rule = optimizer.create_update_rule()
    assert rule.is_elementwise
    assert rule.hyperparam.parent is optimizer.hyperparam
    for key, value in values.items():
        assert getattr(optimizer, key) == value
        setattr(optimizer, key, value + 0.5)
        assert getattr(rule.hyperparam, key) == value + 0.5
    rule_class = type(rule)
    for key in values:
        own = rule_class(optimizer.hyperparam, **{key: 7}).hyperparam
        assert getattr(own, key) == 7
        assert vars(own).keys() == {'_parent', key}
    # Defaults of a rule on its own are those of its optimizer.
    bare = rule_class().hyperparam.get_dict()
    default = getattr(optimizers, rule_class.__name__[:-4])().hyperparam.get_dict()
    assert bare == default


@pytest.mark.parametrize('name', ALL)
def test_pickle_goes_on_alike(device, name):
    param, _ = make(device, name)
    param.update()
    copied = pickle.loads(pickle.dumps(param))
    for each in (param, copied):
        each.grad = device.send(np.array([.5, -1, 2], np.float32))
        each.update()
    compare.assert_array_equal(param.array, copied.array)


def test_array_as_learning_rate(device):
    param, _ = make(device, 'SGD', lr=device.send(np.array([1, 0, 2], np.float32)))
    before = param.array.copy()
    param.update()
    compare.assert_array_equal(before - param.array, [.25, 0, .5])


@pytest.mark.parametrize('name,dtype', [
    ('RMSprop', 'float32'), ('RMSprop', 'float16'), ('Adam', 'float32'),
    ('Adam', 'float16')])
def test_eps_that_vanishes(device, name, dtype):
    param, _ = make(device, name, dtype, eps=1e-50)
    with pytest.raises(ValueError, match='eps of %s .* float32' % name):
        param.update()
    param, _ = make(device, name, dtype, eps=0)
    param.update()


def test_adam_learning_rate():
    optimizer = optimizers.Adam(alpha=0.5, beta1=0.5, beta2=0.75)
    rule = optimizer.create_update_rule()
    for holder in (optimizer, rule):
        with pytest.raises(RuntimeError, match='not been started'):
            holder.alpha_t  # noqa: B018
        holder.t = 2
        assert holder.alpha_t == pytest.approx(0.5 * (7 / 16) ** .5 / (3 / 4))
        with pytest.warns(DeprecationWarning, match='alpha_t'):
            assert holder.lr == holder.alpha_t


def test_adabound_bounds_follow_alpha():
    optimizer = optimizers.AdaBound(alpha=0.5, final_lr=2, gamma=0.25)
    rule = optimizer.create_update_rule()
    with pytest.raises(RuntimeError, match='not been started'):
        rule.bounds  # noqa: B018
    rule.t = 4
    assert rule.bounds == (1.0, 4.0)
    optimizer.alpha = 0.25
    assert rule.initial_alpha == 0.5
    assert rule.bounds == (0.5, 2.0)
    rule.initial_alpha = np.float64(0.5)
    assert [type(bound) for bound in rule.bounds] == [float, float]


def test_adam_without_learning_rate(device):
    param, _ = make(device, 'Adam', beta1=1.0)
    with pytest.raises(ZeroDivisionError):
        param.update()


def test_corrected_momentum_takes_a_new_rate_at_once(device):
    old, _ = make(device, 'MomentumSGD', lr=1.)
    new, rule = make(device, 'CorrectedMomentumSGD', lr=1.)
    for param in (old, new):
        param.update()
    compare.assert_allclose(old.array, new.array)
    before = new.array.copy()
    rule.hyperparam.lr = 0.
    new.update()
    compare.assert_array_equal(new.array, before)


_WITH_VALUES = sorted(
    (name, value) for name in (
        'AdaDelta', 'AdaGrad', 'Adam', 'AdamW', 'AMSGrad', 'AdaBound', 'AMSBound',
        'CorrectedMomentumSGD', 'MomentumSGD', 'MSVAG', 'NesterovAG', 'RMSprop',
        'RMSpropGraves', 'SGD', 'SMORMS3')
    for value, given in getattr(optimizers, name)().hyperparam.get_dict().items()
    if not isinstance(given, bool))


@pytest.mark.parametrize('name,value', _WITH_VALUES)
@pytest.mark.parametrize('dtype', ['f', 'd'])
def test_nan_among_hyperparameters_is_no_invalid_operation(name, value, dtype):
    link = L.Linear(3, 2)
    link.W.array, link.b.array = (x.array.astype(dtype) for x in (link.W, link.b))
    optimizer = getattr(optimizers, name)().setup(link)
    setattr(optimizer, value, float('nan'))
    with np.errstate(all='raise'):
        for _ in range(2):
            for param in link.params():
                param.grad = np.ones_like(param.array)
            optimizer.update()


@pytest.mark.parametrize('name', ['AdaDelta', 'AdaGrad', 'RMSprop', 'SMORMS3'])
def test_zero_divided_by_zero(name):
    param = chainer.Parameter(np.ones(2, 'f'))
    param.update_rule = getattr(optimizers, name)().create_update_rule()
    param.update_rule.hyperparam.eps = 0.
    param.grad = np.zeros(2, 'f')
    with pytest.warns(RuntimeWarning, match='invalid value encountered in divide'):
        param.update()
    assert np.isnan(param.array).all()


@pytest.mark.host
def test_an_update_that_is_left_to_the_formula_counts_once():
    param = chainer.Parameter(np.ones(3, 'f'))
    param.update_rule = rule = chainer.optimizers.msvag.MSVAGRule()
    for _ in range(2):
        param.grad = np.ones(3, 'f')
        param.update()
        rule.state['m'] = rule.state['m'].astype('d')     # which no loop takes
    assert rule.t == 2
    assert rule.beta_power == pytest.approx(rule.hyperparam.beta ** 3)
