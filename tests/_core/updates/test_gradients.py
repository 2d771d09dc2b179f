"""Compiled hooks and sums, against the hooks themselves and NumPy."""
import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import chainer_fast as chainer
from chainer_fast import optimizer_hooks
from chainer_fast._core.updates import update
from tests._core.update_cases import LAYOUTS, Subarray, assert_same_bits

HOOKS = [
    ('WeightDecay', (0.3,)), ('WeightDecay', (2,)), ('Lasso', (0.3,)),
    ('GradientHardClipping', (-0.5, 0.7)), ('GradientHardClipping', (1, -1)),
]


def make(data, grad, rule='rule'):
    param = chainer.Parameter(data)
    param.grad = grad
    param.update_rule = rule
    return param


@st.composite
def pairs(draw):
    dtype = draw(st.sampled_from(['float16', 'float32', 'float64']))
    shape = draw(hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=9))
    width = int(dtype[5:])
    numbers = st.one_of(st.floats(width=width), st.floats(-2, 2, width=width))
    return [draw(hnp.arrays(dtype, shape, elements=numbers)) for _ in range(2)]


@pytest.fixture
def calls(monkeypatch):
    """Calls of hooks: none as long as the compiled form serves."""
    calls = []
    for name in {name for name, _ in HOOKS}:
        cls = getattr(optimizer_hooks, name)
        change = cls._change

        def spied(self, grad, param, rule, xp, change=change):
            calls.append((self, param))
            change(self, grad, param, rule, xp)

        monkeypatch.setattr(cls, '_change', spied)
        update.register_hook(cls, cls._recipe)
    yield calls
    monkeypatch.undo()
    for name, _ in HOOKS:
        cls = getattr(optimizer_hooks, name)
        update.register_hook(cls, cls._recipe)


@pytest.mark.parametrize('name,args', HOOKS)
@given(arrays=pairs(), scale=st.sampled_from([None, 4.]))
def test_same_bits_as_the_hook(name, args, arrays, scale):
    hook = getattr(optimizer_hooks, name)(*args)
    # The hook is asked with dimensions: NumPy 1 computes in float64 without them.
    shapes = arrays[0].shape, arrays[0].shape or (1,)
    params = [make(*[x.reshape(shape).copy() for x in arrays]) for shape in shapes]
    compiled, expected = [param.grad for param in params]
    for param in params:
        param._loss_scale = scale
    with np.errstate(all='ignore'):
        update.call_hook(hook, params[:1])
        hook(None, params[1])
    assert params[0].grad is compiled
    # Which zero is the larger one NumPy leaves to the width of its vectors.
    zeros = 0 if name == 'GradientHardClipping' else -0.
    assert_same_bits(compiled.ravel() + zeros, expected.ravel() + zeros)
    assert_same_bits(params[0].array, arrays[0])


@pytest.mark.parametrize('how', LAYOUTS)
def test_layouts(how, calls):
    data = np.random.RandomState(0).uniform(-1, 1, (50, 60)).astype('f4')
    grad = LAYOUTS[how](data)
    param = make(data.astype(grad.dtype), grad)
    update.call_hook(optimizer_hooks.WeightDecay(.5), [param])
    assert not calls
    np.testing.assert_array_equal(grad, data + np.float32(.5) * data)


def test_what_is_left_to_the_hook(calls):
    ones = np.ones(2, np.float32)
    usual, late = make(ones, ones.copy()), chainer.Parameter()
    late.cleargrad()
    cleared, subclass = make(ones, None), make(ones, ones.copy().view(Subarray))
    clip = optimizer_hooks.GradientHardClipping(None, .5)
    decay, array = optimizer_hooks.WeightDecay(.5), optimizer_hooks.Lasso(ones)
    update.call_hook(decay, [usual, late, cleared, subclass])
    update.call_hook(clip, [usual])
    update.call_hook(array, [usual])
    assert calls == [(decay, subclass), (clip, usual), (array, usual)]
    np.testing.assert_array_equal(usual.grad, [1.5, 1.5])
    np.testing.assert_array_equal(subclass.grad, [1.5, 1.5])
    frozen = make(ones, np.broadcast_to(ones[:1], 2))
    with pytest.raises(ValueError, match='read-only'):
        update.call_hook(decay, [frozen])


def test_derived_and_changed_hooks_are_called(monkeypatch):
    seen = []

    class Decay(optimizer_hooks.WeightDecay):
        def __call__(self, rule, param):
            seen.append((self, rule))

    param = make(np.ones(2, np.float32), np.ones(2, np.float32))
    hooks = [Decay(.5), optimizer_hooks.Lasso(.5), optimizer_hooks.WeightDecay(.5)]
    monkeypatch.setattr(
        optimizer_hooks.Lasso, '__call__', lambda self, rule, param: seen.append(
            (self, rule)))
    hooks[2]._change = lambda *args: seen.append((hooks[2], 'rule'))
    hooks.append(lambda rule, param: seen.append((hooks[3], rule)))
    for hook in hooks:
        update.call_hook(hook, [param])
    assert seen == [(hook, 'rule') for hook in hooks]
    np.testing.assert_array_equal(param.grad, [1, 1])


@pytest.mark.parametrize('dtype,large', [('f2', 6e4), ('f4', 3e38), ('f8', 1.7e308)])
def test_float_errors_are_reported(dtype, large):
    param = make(np.full(3, large, dtype), np.full(3, large, dtype))
    with pytest.warns(RuntimeWarning, match='overflow'):
        update.call_hook(optimizer_hooks.WeightDecay(1.), [param])
    assert np.isinf(param.grad).all()


@pytest.mark.parametrize('dtype', ['f2', 'f4', 'f8'])
def test_nan_is_no_error(dtype):
    # Long enough that the comparisons are those of vectors.
    quiet = make(np.full(300, np.nan, dtype), np.full(300, np.nan, dtype))
    for name, args in HOOKS:
        update.call_hook(getattr(optimizer_hooks, name)(*args), [quiet])


@pytest.mark.parametrize('dtype', ['f2', 'f4', 'f8'])
@given(seed=st.integers(0, 99), sizes=st.lists(st.integers(0, 300), max_size=4))
def test_sum_of_squares(dtype, seed, sizes):
    rng = np.random.RandomState(seed)
    grads = [rng.uniform(-1, 1, n).astype(dtype) for n in sizes]
    params = [make(np.zeros_like(grad), grad) for grad in grads]
    # As many bits as NumPy's own sums have, added up one by one: the built-in sum makes
    # up for rounding from Python 3.12 on.
    total = 0.
    for grad in grads:
        total += float(
            np.square(grad, dtype='f8').sum() if dtype == 'f2' else grad.dot(grad))
    assert update.sum_of_squares(params) == (
        total if dtype != 'f2' else pytest.approx(total, rel=1e-14))


def test_sum_of_squares_that_are_no_numbers():
    for value in (np.inf, np.nan):
        param = make(np.zeros(1, 'f2'), np.array([value], 'f2'))
        np.testing.assert_equal(update.sum_of_squares([param]), abs(value))
    for value in (2. ** -24, 2. ** 15):     # whose squares are no float16
        param = make(np.zeros(9, 'f2'), np.full(9, value, 'f2'))
        assert update.sum_of_squares([param]) == 9 * value ** 2


def test_what_is_not_summed():
    square = np.ones((2, 2), np.float32)
    for grad in (np.asfortranarray(square), square.view(Subarray)):
        assert update.sum_of_squares([make(square, grad)]) is None
    assert update.sum_of_squares([chainer.Parameter(square)]) is None


@pytest.mark.parametrize('dtype', ['f2', 'f4', 'f8'])
def test_scale_grads(dtype):
    grad = np.array([1, 3, -7], dtype)
    served = make(np.zeros(3, dtype), grad.copy())
    left = make(np.zeros(3, dtype), grad.copy().view(Subarray))
    assert update.scale_grads([served, left], .3) == [left]
    expected = np.multiply(grad, .3, dtype='f4' if dtype == 'f2' else dtype)
    np.testing.assert_array_equal(served.grad, expected.astype(dtype))
    np.testing.assert_array_equal(left.grad, grad)


@pytest.mark.parametrize('dtype', ['f2', 'f4', 'f8'])
def test_are_finite(dtype):
    limit = np.finfo(dtype).max
    for size in (0, 1, 50):
        for value, expected in [
                (limit, True), (-limit, True), (0, True), (np.inf, False),
                (-np.inf, False), (np.nan, False)]:
            grad = np.zeros(size, dtype)
            grad[-1:] = value
            param = make(np.zeros(size, dtype), grad)
            assert update.are_finite([param]) is (expected or size == 0)
    strided = make(np.zeros(2, dtype), np.zeros(4, dtype)[::2])
    assert not update.are_finite([strided])      # not known


def test_has_cleared_grad():
    first, second = (make(np.ones(2), np.ones(2)) for _ in range(2))
    late = chainer.Parameter()
    late.cleargrad()
    assert not update.has_cleared_grad([])
    assert not update.has_cleared_grad([first, second, late, chainer.Parameter()])
    second.cleargrad()
    assert update.has_cleared_grad([first, second])
