import warnings

import numpy as np
import pytest

from chainer_fast import functions as F
from chainer_fast import grad, memory_layouts, using_config
from chainer_fast.functions.normalization import batch_normalization as module
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable
from tests import compare
from tests.devices import to_cpu
from tests.functions import gradients

uniform = gradients.uniform

CASES = [
    ((5, 3), None, 1), ((4, 3, 2), None, 1), ((4, 3, 2), None, 2), ((4, 3, 2), (1,), 2),
    ((2, 3, 4), (0, 1), 1), ((3, 4), 1, 1), ((2, 2, 3, 40), None, 1), ((6,), 0, 0)]
EPS = {'rtol': 2e-3, 'atol': 2e-3}


def params(shape, axis, ndim, count=2, dtype='d'):
    axes = (axis,) if isinstance(axis, int) else axis
    keys = shape[1:1 + ndim] if axes is None else [
        n for i, n in enumerate(shape) if i not in axes]
    return [uniform(keys, 5 + i, dtype, .5, 1.5) for i in range(count)]


def expand(v, shape, axis, ndim):
    axes = (axis,) if isinstance(axis, int) else axis
    if axes is None:
        axes = (0, *range(1 + ndim, len(shape)))
    return v.reshape([1 if i in axes else n for i, n in enumerate(shape)]), axes


def expected_of(x, gamma, beta, axis, ndim, eps):
    x = x.astype('d')
    axes = expand(gamma, x.shape, axis, ndim)[1]
    gamma, beta = [expand(v.astype('d'), x.shape, axis, ndim)[0] for v in (gamma, beta)]
    mean, var = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    return (x - mean) / np.sqrt(var + eps) * gamma + beta


@pytest.mark.parametrize('shape, axis, ndim', CASES)
def test_values_and_gradients(device, shape, axis, ndim):
    x = uniform(shape)
    gamma, beta = params(shape, axis, ndim)

    def f(*xs):
        return F.batch_normalization(*xs, eps=.1, axis=axis)

    compare.assert_allclose(
        f(*device.send((x, gamma, beta))).array,
        expected_of(x, gamma, beta, axis, ndim, .1))
    gradients.check(device, f, x, gamma, beta, **EPS)


@pytest.mark.parametrize('shape, axis, ndim', CASES)
def test_given_statistics(device, shape, axis, ndim):
    x = uniform(shape)
    gamma, beta, mean, var = params(shape, axis, ndim, 4)

    def f(*xs):
        return F.fixed_batch_normalization(*xs, eps=.1, axis=axis)

    e_gamma, e_beta, e_mean, e_var = [
        expand(v, shape, axis, ndim)[0] for v in (gamma, beta, mean, var)]
    compare.assert_allclose(
        f(*device.send((x, gamma, beta, mean, var))).array,
        (x - e_mean) / np.sqrt(e_var + .1) * e_gamma + e_beta)
    gradients.check(device, f, x, gamma, beta, mean, var, **EPS)


@pytest.mark.parametrize('dtypes', ['ee', 'ef', 'fe', 'ed', 'ff', 'df', 'fd'])
@pytest.mark.parametrize('fixed', [False, True])
def test_dtypes(device, dtypes, fixed):
    x = Variable(device.send(uniform((6, 3, 2), 0, dtypes[0])))
    statistics = params(x.shape, None, 1, 4, dtypes[1])
    vs = [Variable(device.send(v)) for v in statistics[:4 if fixed else 2]]
    f = F.fixed_batch_normalization if fixed else F.batch_normalization
    y = f(x, *vs)
    assert y.dtype == x.dtype
    gs = grad([F.sum(y * y)], [x, *vs], enable_double_backprop=True)
    ggs = grad([F.sum(gs[0] * gs[0])], [x, *vs])
    for v, g, gg in zip([x, *vs], gs, ggs, strict=True):
        assert g.dtype == v.dtype
        assert gg is None or gg.dtype == v.dtype

    doubles = [Variable(v.array.astype('d')) for v in (x, *vs)]
    y64 = f(*doubles)
    gs64 = grad([F.sum(y64 * y64)], doubles)
    atol = 2e-2 if 'e' in dtypes else 1e-4
    compare.assert_allclose(y.array, y64.array, atol=atol, rtol=1e-2)
    for g, g64 in zip(gs, gs64, strict=True):
        compare.assert_allclose(g.array, g64.array, atol=5 * atol, rtol=1e-2)


@pytest.mark.parametrize('dtype', 'efd')
def test_running_statistics(device, dtype):
    x = uniform((5, 3, 2), 0, 'f')
    gamma, beta, mean, var = params(x.shape, None, 1, 4, 'f')
    mean, var = device.send((mean.astype(dtype), var.astype(dtype)))
    f = module.BatchNormalization(mean=mean, var=var, decay=.7)
    before = mean.copy(), var.copy()
    f.apply(device.send((x, gamma, beta)))
    assert f.running_mean is mean
    assert f.running_var is var
    rtol = 3e-3 if dtype == 'e' else 1e-6
    before = to_cpu(before)
    compare.assert_allclose(mean, .7 * before[0] + .3 * x.mean((0, 2)), rtol)
    compare.assert_allclose(
        var, .7 * before[1] + .3 * x.var((0, 2)) * 10 / 9, rtol)
    compare.assert_allclose(f.mean, x.mean((0, 2)), 1e-5)
    compare.assert_allclose(f.inv_std, (x.var((0, 2)) + 2e-5) ** -.5, 1e-5)
    assert (f.axis, f.key_axis) == ((0, 2), (1,))
    assert f.expander == (None, slice(None), None)


def test_running_statistics_come_together(device):
    x, v = uniform((5, 3)), np.ones(3)
    with pytest.raises(TypeError, match='running_var'):
        F.batch_normalization(
            *device.send((x, v, v)), running_mean=device.send(np.zeros(3)))
    F.batch_normalization(*device.send((x, v, v)), running_var=device.send(v))
    compare.assert_array_equal(v, 1)


def test_statistics_of_halves(device):
    # The squares of these exceed the largest half, and so do their sums.
    x = (uniform((4000, 2), low=300, high=900)).astype('e')
    y = F.batch_normalization(
        *device.send((x, np.ones(2, 'e'), np.zeros(2, 'e')))).array
    compare.assert_allclose(y.astype('d').mean(0), 0, atol=1e-3)
    compare.assert_allclose(y.astype('d').std(0), 1, atol=1e-3)


def test_what_is_constant(device):
    x = Variable(device.send(np.full((7, 3), .1, 'f')))
    y = F.batch_normalization(
        x, device.send(np.ones(3, 'f')), device.send(np.full(3, 5, 'f')))
    # The mean of seven floats is rounded.
    compare.assert_allclose(y.array, 5, rtol=5e-7)
    y.grad = device.send(uniform((7, 3), 0, 'f'))
    y.backward()
    assert np.isfinite(x.grad).all()


@pytest.mark.parametrize('shape', [(0, 3), (2, 3, 0), (2, 0)])
@pytest.mark.parametrize('fixed', [False, True])
def test_empty(device, shape, fixed):
    vs = [
        Variable(device.send(v)) for v in params(shape, None, 1, 4 if fixed
        else 2, 'f')]
    x = Variable(device.send(np.empty(shape, 'f')))
    mean, var = np.full(shape[1:2], 2, 'f'), np.full(shape[1:2], 3, 'f')
    y = F.fixed_batch_normalization(x, *vs) if fixed else F.batch_normalization(
        x, *vs, running_mean=device.send(mean), running_var=device.send(var))
    y.grad = device.send(np.empty(shape, 'f'))
    y.backward()
    assert y.shape == x.grad.shape == shape
    for v in vs:
        compare.assert_array_equal(v.grad, np.zeros_like(v.array))
    # Nothing is known of an empty batch.
    compare.assert_array_equal(mean, 2)
    compare.assert_array_equal(var, 3)


def test_single_second_gradients(device):
    x, gamma, beta = [Variable(device.send(v)) for v in (
        uniform((4, 3)), *params((4, 3), None, 1))]
    y = F.batch_normalization(x, gamma, beta) ** 2
    for v in x, gamma, beta:
        g, = grad([y], [v], enable_double_backprop=True)
        for u, h in zip((x, gamma, beta), grad([g], [x, gamma, beta]), strict=True):
            assert h.shape == u.shape


def test_third_gradients(device):
    x = uniform((4, 2))

    def f(x):
        x = x if isinstance(x, Variable) else Variable(x)
        y = F.batch_normalization(
            x, device.send(np.array([2., 3.])), device.send(np.array([1., 2.])), eps=.1)
        g, = grad([y * y * y], [x], enable_double_backprop=True)
        return g

    gradients.check(device, f, x, **EPS)


@pytest.mark.parametrize('shape, axis, warned', [
    ((1, 3), None, True), ((1, 3, 1), None, True), ((3, 1), 1, True),
    ((1, 3, 2), None, False), ((2, 3, 1), None, False)])
def test_warning_of_one_element(device, shape, axis, warned):
    v = np.ones(3)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        F.batch_normalization(*device.send((uniform(shape), v, v)), axis=axis)
    assert [w.category for w in caught] == [UserWarning] * warned


@pytest.mark.parametrize('axis, error', [
    ((0, 0), RuntimeError), ((2, 0), RuntimeError), (0., RuntimeError),
    ((0.,), TypeError), ((0, -.5), RuntimeError), ('a', TypeError),
    ((-1,), type_check.InvalidType), (5, type_check.InvalidType),
    ((0, 1), type_check.InvalidType)])
def test_axis_is_checked(device, axis, error):
    x, v = uniform((4, 3, 2)), np.ones(3)
    with pytest.raises(error):
        F.batch_normalization(*device.send((x, v, v)), axis=axis)
    with pytest.raises(error):
        F.fixed_batch_normalization(*device.send((x, v, v, v, v)), axis=axis)


@pytest.mark.parametrize('i, spoilt', [
    (0, np.ones((4, 3), int)), (0, np.ones(4)), (0, np.ones((4, 2))),
    (1, np.ones(3, 'f')), (1, np.ones(3, int)), (2, np.ones(4)), (2, np.ones((3, 1))),
    (3, np.ones(3, 'f')), (4, np.ones((1, 3)))])
def test_types_are_checked(device, i, spoilt):
    xs = [uniform((4, 3)), *[np.ones(3)] * 4]
    xs[i] = spoilt
    with pytest.raises(type_check.InvalidType):
        F.fixed_batch_normalization(*device.send(xs))
    if i < 3:
        with pytest.raises(type_check.InvalidType):
            F.batch_normalization(*device.send(xs[:3]))


def test_retired_and_unknown_arguments(device):
    xs = device.send((uniform((4, 3)), np.ones(3), np.ones(3)))
    with pytest.raises(ValueError, match='using_config'):
        F.batch_normalization(*xs, train=True)
    with pytest.raises(TypeError, match='batch_normalization.*other'):
        F.batch_normalization(*xs, other=1)
    with pytest.raises(TypeError):
        F.batch_normalization(*xs, 1e-5)


class OverTwoMachines(module.GeneralBatchNormalizationImpl):
    """Statistics as if another machine had the same batch, shifted by two."""

    def get_mean_and_var(self, axis, gamma, x, xp, interm_dtype):
        mean, var = super().get_mean_and_var(axis, gamma, x, xp, interm_dtype)
        return mean + 1, var + 1

    def get_ggamma_and_gbeta(self, axis, gamma, gy, x_hat, xp):
        self.seen = gbeta, ggamma = super().get_ggamma_and_gbeta(
            axis, gamma, gy, x_hat, xp)
        return gbeta, ggamma


def test_statistics_of_an_extension(device):
    impl = OverTwoMachines()
    x, gy = uniform((4, 3)), uniform((4, 3), 1)
    g, b = params((4, 3), None, 1)
    gamma, beta = Variable(device.send(g)), Variable(device.send(b))
    v = Variable(device.send(x))
    y = F.batch_normalization(
        v, gamma, beta, impl_selector=lambda function, inputs: impl)
    assert isinstance(y.creator, module.BatchNormalization)
    x_hat = (x - x.mean(0) - 1) / np.sqrt(x.var(0) + 1 + 2e-5)
    compare.assert_allclose(y.array, x_hat * g + b)
    y.grad = device.send(gy)
    y.backward()
    gbeta, ggamma = to_cpu(impl.seen)
    compare.assert_allclose(gbeta, gy.sum(0))
    compare.assert_allclose(ggamma, (gy * x_hat).sum(0))
    compare.assert_allclose(
        v.grad, g / np.sqrt(x.var(0) + 1 + 2e-5) * (
            gy - (gbeta + x_hat * ggamma) / 4))


def test_an_implementation_by_steps_is_the_same(device):
    class BySteps(module.GeneralBatchNormalizationImpl):
        def get_mean_and_var(self, *args):
            return super().get_mean_and_var(*args)

    results = []
    for impl in module.GeneralBatchNormalizationImpl(), BySteps():
        x = Variable(device.send(uniform((4, 3, 2))))
        gamma, beta = [Variable(device.send(v)) for v in params(x.shape, None, 1)]
        y = F.batch_normalization(
            x, gamma, beta, impl_selector=lambda function, inputs, impl=impl: impl)
        y.grad = device.send(uniform(y.shape, 1))
        y.backward()
        results.append((y.array, x.grad, gamma.grad, beta.grad))
    for a, b in zip(*results, strict=True):
        compare.assert_allclose(a, b)


def test_inputs_in_other_orders_of_memory(device):
    x, gamma, beta = uniform((4, 3, 2)), *params((4, 3, 2), None, 2)
    expected = F.batch_normalization(*device.send((x, gamma, beta))).array
    for order in np.asfortranarray, lambda a: a[..., ::-1].copy()[..., ::-1]:
        y = F.batch_normalization(*device.send(list(map(order, (x, gamma, beta)))))
        compare.assert_allclose(y.array, expected)


def test_without_a_graph(device):
    with using_config('enable_backprop', False):
        y = F.batch_normalization(
            *device.send((uniform((4, 3)), np.ones(3), np.ones(3))))
    assert y.creator is None


def test_channels_last_in_memory(device):
    layout = memory_layouts.CUDNN_CHANNEL_LAST_X
    results = []
    for order in None, layout:
        x = Variable(device.send(uniform((2, 3, 4, 5))))
        gamma, beta = [Variable(device.send(v)) for v in params(x.shape, None, 1)]
        y = F.batch_normalization(x.as_layout(order), gamma, beta)
        assert y.layout == order
        assert y.shape == x.shape
        y = y.as_layout(None)
        gs = grad([y * y * y], [x, gamma, beta], enable_double_backprop=True)
        # Gradients of several ways are not summed in a layout of their own.
        ggs = grad([gs[0] * gs[0]], [gamma])
        results.append([v.array for v in (y, *gs, *ggs)])
    for a, b in zip(*results, strict=True):
        compare.assert_allclose(a, b, rtol=1e-6, atol=1e-9)


def test_replaced_normalization_is_called(monkeypatch):
    """Programs wrap this function, to count or to silence what it does."""
    plain, calls = module._x_hat, []

    def wrapped(*args):
        calls.append(args)
        return plain(*args)

    monkeypatch.setattr(module, '_x_hat', wrapped)
    x, gamma, beta, mean, var = [
        Variable(uniform(shape, 3, 'd', .5, 1.5))
        for shape in [(4, 3), 3, 3, 3, 3]]
    y = F.fixed_batch_normalization(x, gamma, beta, mean, var)
    gx, = grad([y], [x], [y], enable_double_backprop=True)
    grad([F.sum(gx * gx)], [x, gamma, mean])
    assert calls


class ScaledBatch(module.BatchNormalization):
    """A function of a program, which makes the gradients itself, and scales them."""

    def backward(self, indexes, grad_outputs):
        x, gamma = self.get_retained_inputs()
        var = None
        if isinstance(self._impl, module._IDeepBatchNormalizationImpl):
            var = self.var
        function = module.BatchNormalizationGrad(
            self.eps, self.expander, self.axis, self.mean, var, self.inv_std,
            self.key_axis, self._impl, self.forward_data)
        return [2 * g for g in function.apply((x, gamma, grad_outputs[0]))]


class ScaledFixed(module.FixedBatchNormalization):

    def backward(self, indexes, grad_outputs):
        function = module.FixedBatchNormalizationGrad(
            self.eps, self.expander, self.axis, self.inv_std, self.inv_var)
        inputs = *self.get_retained_inputs(), *grad_outputs
        return [2 * g for g in function.apply(inputs)]


@pytest.mark.parametrize('scaled, plain, n_params', [
    (ScaledBatch, module.BatchNormalization, 2),
    (ScaledFixed, module.FixedBatchNormalization, 4)])
def test_subclass_with_its_own_gradients(scaled, plain, n_params):
    inputs = [Variable(uniform(shape, 3 + i, 'd', .5, 1.5))
              for i, shape in enumerate([(4, 3), *n_params * [3]])]
    gy = Variable(uniform((4, 3), 9, 'd'))
    found, expected = [
        grad(make().apply(inputs), inputs, [gy]) for make in (scaled, plain)]
    for g, h in zip(found, expected, strict=True):
        np.testing.assert_allclose(g.array, 2 * h.array, rtol=1e-12)


@pytest.mark.parametrize('axis', [None, 0, (0,)])
def test_a_number_is_no_batch(axis):
    x, size = np.ones((), 'f'), np.ones((), 'f')
    with pytest.raises(type_check.InvalidType):
        F.batch_normalization(x, size, size, axis=axis)
    with pytest.raises(type_check.InvalidType):
        F.fixed_batch_normalization(x, size, size, size, size, axis=axis)
