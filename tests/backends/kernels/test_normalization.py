import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from chainer_fast.backends import cuda
from chainer_fast.backends.kernels import normalization as kernels
from chainer_fast.backends.kernels.reduction import steps
from tests import devices
from tests.backends.kernels import forms
from tests.functions import gradients

uniform = gradients.uniform

# Shapes and axes: columns, short and long runs, more than one block of them.
BATCHES = [
    ((5, 3), (0,)), ((9, 1300), (0,)), ((6, 3, 4), (0, 2)), ((2, 200, 21), (0, 2)),
    ((2, 3, 40), (0, 2)), ((3, 90, 7, 9), (0, 2, 3)), ((2, 2, 70, 70), (0, 2, 3)),
    ((4, 3, 2), (0,)), ((4, 3, 2), (0, 1)), ((4, 3), (1,)), ((7,), (0,)), ((7,), ()),
    ((4, 3, 2), (1,)), ((1, 2), (0,)), ((2, 3, 35), (0, 1, 2))]
GROUPS = [
    ((3, 5), 1), ((70, 37), 1), ((4, 6), 3), ((4, 6, 5), 2), ((2, 4, 7, 9), 1),
    ((2, 3, 1), 3), ((40, 4, 1), 2), ((3, 2, 0), 1), ((0, 4, 3), 2)]
OPTIONS = {'f': {'rtol': 2e-4, 'atol': 2e-4}, 'd': {'rtol': 1e-11, 'atol': 1e-11}}


def laid_out(x, layout):
    """The same values, in another order in memory."""
    if layout == 'F':
        return np.asfortranarray(x)
    if layout == 'steps':
        wide = np.zeros((*x.shape[:-1], 2 * x.shape[-1]), x.dtype)
        wide[..., ::2] = x
        return wide[..., ::2]
    return x


def assert_same(kernel, dtype, *args, form='compiled'):
    """Compare a form of a kernel with the reference; return the result."""
    expected = kernel.reference(*args)
    found = getattr(kernel, form)(*args)
    if found is NotImplemented:
        return None
    several = isinstance(expected, tuple)
    for x, y in zip(found if several else [found],
                    expected if several else [expected], strict=True):
        assert (x.dtype, x.shape) == (dtype, y.shape) == (y.dtype, y.shape)
        np.testing.assert_allclose(x, y, **OPTIONS[dtype])
    return expected


@settings(max_examples=120, deadline=None)
@given(case=st.sampled_from(BATCHES), dtype=st.sampled_from('fd'),
       layout=st.sampled_from(['C', 'F', 'steps']), seed=st.integers(0, 99),
       offset=st.sampled_from([0, 3]), fixed=st.booleans())
def test_batches(case, dtype, layout, seed, offset, fixed):
    shape, axis = case
    keys = tuple(n for i, n in enumerate(shape) if i not in axis)
    x = laid_out(uniform(shape, seed, dtype) + np.array(offset, dtype), layout)
    gy = laid_out(uniform(shape, seed + 1, dtype), layout)
    gamma, beta = uniform(keys, seed + 2, dtype), uniform(keys, seed + 3, dtype)
    assert_same(kernels.moments, dtype, x, axis)
    results = assert_same(kernels.batch_forward, dtype, x, gamma, beta, axis, .1)
    if results is None:
        # Only where the axes of the channels are apart.
        assert (shape, axis) == ((4, 3, 2), (1,))
        return
    _, mean, _, inv_std = results
    assert_same(kernels.batch_apply, dtype, x, gamma, beta, mean, inv_std, axis)
    assert_same(
        kernels.batch_backward, dtype, x, gamma, gy, mean, inv_std, axis, fixed)


@settings(max_examples=60, deadline=None)
@given(case=st.sampled_from(GROUPS), dtype=st.sampled_from('fd'),
       layout=st.sampled_from(['C', 'F', 'steps']), seed=st.integers(0, 99))
def test_groups(case, dtype, layout, seed):
    shape, groups = case
    x, gy = [laid_out(uniform(shape, seed + i, dtype), layout) for i in (0, 1)]
    gamma, beta = [uniform(shape[1:2], seed + i, dtype) for i in (2, 3)]
    results = assert_same(kernels.group_forward, dtype, x, gamma, beta, groups, .1)
    assert (results is None) == (x.size == 0)
    _, mean, inv_std = kernels.group_forward(x, gamma, beta, groups, .1)
    assert_same(kernels.group_backward, dtype, x, gamma, gy, mean, inv_std, groups)
    gx, ggamma, gbeta = kernels.group_backward(x, gamma, gy, mean, inv_std, groups)
    assert gx.shape == shape
    assert ggamma.shape == gbeta.shape == gamma.shape


@settings(max_examples=60, deadline=None)
@given(shape=st.sampled_from([(2, 7), (1, 1, 3), (2, 6, 3, 2), (1, 5, 300)]),
       dtype=st.sampled_from('fd'), half=st.integers(0, 8),
       beta=st.sampled_from([.75, .5, 1., .6]), seed=st.integers(0, 99))
def test_responses(shape, dtype, half, beta, seed):
    x, gy = uniform(shape, seed, dtype), uniform(shape, seed + 1, dtype)
    assert_same(kernels.response_forward, dtype, x, half, 2., .3, beta)
    _, unit_scale, scale = kernels.response_forward(x, half, 2., .3, beta)
    assert_same(
        kernels.response_backward, dtype, x, gy, unit_scale, scale, half, .3, beta)
    window = sum(np.square(np.eye(shape[1], k=i)) for i in range(-half, half + 1))
    np.testing.assert_allclose(
        unit_scale, 2 + .3 * np.einsum('ij,nj...->ni...', window, np.square(x)),
        rtol=1e-5)


@pytest.mark.parametrize('dtype', 'fd')
def test_running_statistics(dtype):
    mean, var = uniform((4,), 0, dtype), uniform((4,), 1, dtype)
    results = []
    for form in kernels.update_running.compiled, kernels.update_running.reference:
        running = uniform((4,), 2, dtype), uniform((4,), 3, dtype)
        assert form(*running, mean, var, .9, 4 / 3) is None
        results.append(running)
    np.testing.assert_array_equal(*results)


@settings(max_examples=100, deadline=None)
@given(rows=st.integers(1, 3000), columns=st.integers(2, 90),
       dtype=st.sampled_from('fd'), offset=st.sampled_from([0, 3, 4096]),
       seed=st.integers(0, 99))
@example(rows=70, columns=1100, dtype='f', offset=3, seed=0)
@example(rows=40, columns=3000, dtype='f', offset=3, seed=0)
def test_rows_are_added_up_in_the_order_of_numpy(rows, columns, dtype, offset, seed):
    """The same bits, of matrices and of images that lie channels last."""
    x = (np.random.RandomState(seed).uniform(-1, 1, (rows, columns)) + offset).astype(
        dtype)
    expected = x.mean(axis=0), x.var(axis=0)
    by_hand = np.zeros(columns, dtype)
    for row in x:
        by_hand += row
    np.testing.assert_array_equal(expected[0], by_hand / np.array(rows, dtype))
    images = x.reshape(rows, 1, 1, columns).transpose(0, 3, 1, 2)
    for found in (
            kernels.moments.compiled(x, (0,)),
            kernels.moments.compiled(images, (0, 2, 3)),
            kernels.moments.reference(x, (0,))):
        for moment, of_numpy in zip(found, expected, strict=True):
            np.testing.assert_array_equal(moment, of_numpy)


@pytest.mark.parametrize('of_x, of_gy', ['FC', 'CF', 'FF'])
def test_sums_that_numpy_makes_in_pairs_are_as_accurate(of_x, of_gy):
    """Those along the nearest elements in memory; x is copied into rows."""
    x = np.array(uniform((3000, 5), 0) + 4096, 'f', order=of_x)
    gy = np.array(uniform((3000, 5), 1) + 1, 'f', order=of_gy)
    mean, var = kernels.moments.compiled(x, (0,))
    if of_x == 'F':
        np.testing.assert_allclose(mean, x.astype('d').mean(0), 1e-7)
        np.testing.assert_allclose(var, x.astype('d').var(0), 1e-5)
    _, ggamma, gbeta = kernels.batch_backward.compiled(
        x, var, gy, mean, var, (0,), False)
    x_hat = (x.astype('d') - mean) * var
    np.testing.assert_allclose(gbeta, gy.astype('d').sum(0), 2e-7)
    np.testing.assert_allclose(ggamma, (gy * x_hat).sum(0), 1e-6, 1e-4)


@pytest.mark.parametrize('step', [(1, 2), (2, 1), (-1, 1)])
def test_rows_with_gaps_are_added_up_in_the_order_of_numpy(step):
    x = (uniform((3000, 20), 0, 'f') + np.float32(3))[::step[0], ::step[1]]
    for found, expected in zip(
            kernels.moments.compiled(x, (0,)), (x.mean(0), x.var(0)), strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize('dtype', 'fd')
@pytest.mark.parametrize('shape', [(3, 5), (50, 40), (3000, 9), (70, 1100)])
def test_gradients_over_rows_are_added_up_in_the_order_of_numpy(dtype, shape):
    x, gy = uniform(shape, 0, dtype) + np.array(3, dtype), uniform(shape, 1, dtype)
    mean, inv_std = uniform(shape[1:], 2, dtype), uniform(shape[1:], 3, dtype)
    _, ggamma, gbeta = kernels.batch_backward.compiled(
        x, inv_std, gy, mean, inv_std, (0,), False)
    np.testing.assert_array_equal(gbeta, gy.sum(axis=0))
    np.testing.assert_array_equal(ggamma, (gy * ((x - mean) * inv_std)).sum(axis=0))


@pytest.mark.parametrize('dtype', 'fd')
@pytest.mark.parametrize('value', [0.1, 1e4 / 3, -7e-9])
def test_moments_of_images_that_are_constant(dtype, value):
    mean, var = kernels.moments.compiled(np.full((9, 3, 35), value, dtype), (0, 2))
    np.testing.assert_array_equal(mean, np.full(3, value, dtype))
    np.testing.assert_array_equal(var, np.zeros(3, dtype))


def test_moments_of_images_far_from_zero():
    x = (uniform((50, 2, 64)) + 4096).astype('f')
    mean, var = kernels.moments.compiled(x, (0, 2))
    np.testing.assert_allclose(mean, x.astype('d').mean((0, 2)), rtol=1e-7)
    np.testing.assert_allclose(var, x.astype('d').var((0, 2)), rtol=1e-5)


def test_no_code_for_these():
    x, v = np.ones((3, 2)), np.ones(2)
    for other in (x.astype('e'), x.astype('>f8'), x[:0]):
        assert kernels.batch_forward.compiled(other, v, v, (0,), 1.) is NotImplemented
        assert kernels.group_forward.compiled(other, v, v, 1, 1.) is NotImplemented
    for other in (v.astype('f'), np.ones(3)):
        assert kernels.batch_forward.compiled(x, other, v, (0,), 1.) is NotImplemented
        assert kernels.group_forward.compiled(x, v, other, 1, 1.) is NotImplemented
        assert kernels.update_running.compiled(v, v, v, other, .9, 1) is NotImplemented
    with pytest.raises(ValueError, match='read-only'):
        fixed = np.ones(2)
        fixed.flags.writeable = False
        kernels.update_running(fixed, v, v, v, .9, 1)


@pytest.mark.parametrize('eps, message', [(-9, 'invalid'), (0, 'divide by zero')])
def test_warnings_are_those_of_numpy(eps, message):
    x, v = np.ones((3, 2)), np.ones(2)
    # A constant over zero would be another warning.
    with pytest.warns(RuntimeWarning, match=message), np.errstate(
            invalid='warn' if eps else 'ignore'):
        kernels.batch_forward(x, v, v, (0,), eps)
    with pytest.warns(RuntimeWarning, match=message), np.errstate(
            invalid='warn' if eps else 'ignore'):
        kernels.group_forward(x, v, v, 1, eps)


@settings(max_examples=30, deadline=None)
@given(case=st.sampled_from(BATCHES), dtype=st.sampled_from('fd'),
       seed=st.integers(0, 99))
def test_given_statistics(case, dtype, seed):
    shape, axis = case
    keys = tuple(n for i, n in enumerate(shape) if i not in axis)
    x, gy = uniform(shape, seed, dtype), uniform(shape, seed + 1, dtype)
    gamma, mean = uniform(keys, seed + 2, dtype), uniform(keys, seed + 3, dtype)
    inv_std, inv_var = assert_same(
        kernels.inverses, dtype, uniform(keys, seed + 4, dtype, .1, 2), .3)
    assert_same(
        kernels.fixed_backward, dtype, x, gamma, gy, mean, inv_std, inv_var, axis)


@settings(max_examples=60, deadline=None)
@given(case=st.sampled_from([
           ((4,), (0,)), ((3, 50), (1,)), ((3, 50), (-1,)), ((5, 3), (0,)),
           ((2, 5, 300), (1,)), ((2, 3, 4, 2), (1, 2)), ((2, 3), (0, 1)), ((), ()),
           ((2, 3, 4), (0, 2)), ((2, 3), ())]),
       dtype=st.sampled_from('fd'), layout=st.sampled_from(['C', 'F']),
       zero=st.booleans(), seed=st.integers(0, 99))
def test_lengths(case, dtype, layout, zero, seed):
    shape, axis = case
    x = laid_out(uniform(shape, seed, dtype), layout)
    if zero and shape:
        x[:1] = 0
    gy = uniform(shape, seed + 1, dtype)
    found = assert_same(kernels.length_forward, dtype, x, axis, .1)
    # Only where the axes of a vector are apart, or not in order in memory.
    assert (found is None) == (axis == (0, 2) or layout == 'F' and len(axis) > 1)
    assert_same(kernels.length_backward, dtype, x, gy, axis, .1)


def test_axes_that_come_twice_are_left_to_numpy():
    for axis in (1, 1), (1, -1), (2,), [1]:
        assert kernels.length_forward.compiled(np.ones((2, 3)), axis, .1) is (
            NotImplemented)


# --------------------------------------------------------------------------- on a GPU

# Dtypes of values and of parameters, and a layout. Every one is compiled anew.
ON_GPU = [('ee', 'C'), ('ef', 'F'), ('ff', 'C'), ('fd', 'steps'), ('dd', 'F')]


@pytest.mark.gpu
@pytest.mark.parametrize('dtypes, layout', ON_GPU)
@pytest.mark.parametrize('shape, axis', [
    ((2, 3, 40), (0, 2)), ((4, 3, 2), (1,)), ((7,), (0,)), ((0, 3), (0,)),
    ((3, 0), (0,))])
def test_batches_on_gpu(shape, axis, dtypes, layout):
    keys = tuple(n for i, n in enumerate(shape) if i not in axis)
    x, gy = [laid_out(uniform(shape, i, dtypes[0]), layout) for i in (0, 1)]
    gamma, beta = [uniform(keys, i, dtypes[1]) for i in (2, 3)]
    forms.check(kernels.moments, x, axis)
    _, mean, var, inv_std = forms.check(
        kernels.batch_forward, x, gamma, beta, axis, .1)
    forms.check(kernels.batch_apply, x, gamma, beta, mean, inv_std, axis)
    for fixed in False, True:
        forms.check(
            kernels.batch_backward, x, gamma, gy, mean, inv_std, axis, fixed)
    _, inv_var = forms.check(kernels.inverses, var, .1)
    forms.check(
        kernels.fixed_backward, x, gamma, gy, mean, inv_std, inv_var, axis)
    running = mean.astype('e'), np.asarray(var + 1, dtypes[1])
    forms.check(kernels.update_running, *running, mean, var, .9, 1.5, changed=2)
    x_sent, *rest = devices.Device('@cupy:0').send([x, gamma, beta, *running])
    updated = [each.copy() for each in running]
    expected = kernels.batch_forward_running(
        x, gamma, beta, axis, .1, *updated, .9, 1.5)
    results = kernels.batch_forward_running(
        x_sent, *rest[:2], axis, .1, *rest[2:], .9, 1.5)
    for found, wanted in zip((*results, *rest[2:]), (*expected, *updated), strict=True):
        forms.assert_close(found, wanted)
    forms.check(
        kernels.corrections, gamma, beta, mean, var, *running, .1, 1.05, .2)


@pytest.mark.gpu
@pytest.mark.parametrize('dtypes, layout', [('ef', 'C'), ('ff', 'F'), ('dd', 'steps')])
@pytest.mark.parametrize('shape, axis', [
    ((3, 2, 5, 7), (0, 2, 3)), ((1, 2, 9), (0, 2)), ((4, 3, 2), (0, 1))])
def test_many_terms_on_gpu(monkeypatch, shape, axis, dtypes, layout):
    for name, value in ('LEAST', 0), ('_FEW', 0), ('_WORTH', 2):
        monkeypatch.setattr(steps, name, value)
    keys = tuple(n for i, n in enumerate(shape) if i not in axis)
    x, gy = [laid_out(uniform(shape, i, dtypes[0]) + 9, layout) for i in (0, 1)]
    gamma, beta = [uniform(keys, i, dtypes[1]) for i in (2, 3)]
    _, mean, _, inv_std = forms.check(
        kernels.batch_forward, x, gamma, beta, axis, .1)
    forms.check(kernels.batch_backward, x, gamma, gy, mean, inv_std, axis, False)
    running = mean.astype('e'), (1 / inv_std).astype(dtypes[1])
    x_sent, *rest = devices.Device('@cupy:0').send([x, gamma, beta, *running])
    kernels.batch_forward_running(x, gamma, beta, axis, .1, *running, .9, 1.5)
    kernels.batch_forward_running(x_sent, *rest[:2], axis, .1, *rest[2:], .9, 1.5)
    for found, wanted in zip(rest[2:], running, strict=True):
        forms.assert_close(found, wanted)
    if len(keys) == 1 and len(shape) > 3:
        _, mean, inv_std = forms.check(kernels.group_forward, x, gamma, beta, 2, .1)
        forms.check(kernels.group_backward, x, gamma, gy, mean, inv_std, 2)


@pytest.mark.gpu
@pytest.mark.parametrize('dtypes, layout', ON_GPU)
@pytest.mark.parametrize('shape, groups', [
    ((3, 5), 1), ((2, 4, 7, 9), 2), ((3, 2, 0), 1), ((0, 4, 3), 2)])
def test_groups_on_gpu(shape, groups, dtypes, layout):
    x, gy = [laid_out(uniform(shape, i, dtypes[0]), layout) for i in (0, 1)]
    gamma, beta = [uniform(shape[1:2], i, dtypes[1]) for i in (2, 3)]
    _, mean, inv_std = forms.check(
        kernels.group_forward, x, gamma, beta, groups, .1)
    forms.check(kernels.group_backward, x, gamma, gy, mean, inv_std, groups)


@pytest.mark.gpu
@pytest.mark.parametrize('dtypes, layout', ON_GPU)
@pytest.mark.parametrize('shape, half', [((2, 6, 3, 2), 2), ((2, 7), 9), ((0, 3), 1)])
def test_responses_on_gpu(shape, half, dtypes, layout):
    x, gy = [laid_out(uniform(shape, i, dtypes[0]), layout) for i in (0, 1)]
    for beta in .75, 1.:
        _, unit_scale, scale = forms.check(
            kernels.response_forward, x, half, 2., .3, beta)
        forms.check(
            kernels.response_backward, x, gy, unit_scale, scale, half, .3, beta)


@pytest.mark.gpu
@pytest.mark.parametrize('dtypes, layout', ON_GPU)
@pytest.mark.parametrize('shape, axis', [
    ((3, 50), (-1,)), ((2, 3, 4), (0, 1)), ((0, 3), (0,)), ((3, 0), (0,))])
def test_lengths_on_gpu(shape, axis, dtypes, layout):
    x, gy = [laid_out(uniform(shape, i, dtypes[0]), layout) for i in (0, 1)]
    x[1:2] = 0
    forms.check(kernels.length_forward, x, axis, 1e-3)
    forms.check(kernels.length_backward, x, gy, axis, 1e-3)


@pytest.mark.gpu
def test_axes_that_do_not_fit_are_left_to_cupy():
    x = cuda.cupy.ones((2, 3), 'f')
    for axis in (1, 1), (1, -1), (2,):
        assert kernels.length_forward.device(x, axis, .1) is NotImplemented
        assert kernels.length_backward.device(x, x, axis, .1) is NotImplemented


@pytest.mark.gpu
@pytest.mark.parametrize('value', [0.1, 1e4 / 3, -7e-9])
def test_moments_on_gpu_of_what_is_constant(value):
    mean, var = kernels.moments(cuda.cupy.full((99, 3), value, 'f'), (0,))
    np.testing.assert_array_equal(mean.get(), np.full(3, value, 'f'))
    np.testing.assert_array_equal(var.get(), np.zeros(3, 'f'))


@pytest.mark.gpu
def test_moments_on_gpu_far_from_zero():
    x = (uniform((3000, 2)) + 4096).astype('f')
    mean, var = kernels.moments(cuda.cupy.asarray(x), (0,))
    np.testing.assert_allclose(mean.get(), x.astype('d').mean(0), rtol=2e-7)
    np.testing.assert_allclose(var.get(), x.astype('d').var(0), rtol=1e-4)
