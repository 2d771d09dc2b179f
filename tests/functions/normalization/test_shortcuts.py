"""The compiled shortcuts against the functions' own methods."""
import numpy as np
import pytest

from chainer_fast import FunctionHook
from chainer_fast import functions as F
from chainer_fast.functions.normalization import (
    batch_normalization,
)
from chainer_fast.variable import Variable
from tests import compare
from tests.functions import gradients

uniform = gradients.uniform

FUNCTIONS = {
    'batch': (lambda *xs, **k: F.batch_normalization(*xs, **k), 3),
    'fixed': (F.fixed_batch_normalization, 5),
    'layer': (F.layer_normalization, 3),
    'group': (lambda x, g, b: F.group_normalization(x, 3, g, b), 3),
    'response': (F.local_response_normalization, 1),
    'length': (F.normalize, 1)}


class Watch(FunctionHook):
    """With a hook, functions go the general way."""

    def __init__(self):
        self.seen = []

    def forward_postprocess(self, function, in_data):
        self.seen.append(function.label)


def results_of(f, arrays, general, **options):
    xs = [Variable(x) for x in arrays]

    def run():
        y = f(*xs, **options)
        y.grad = uniform(y.shape, 9, y.dtype)
        y.backward()
        return y

    if general:
        with Watch() as hook:
            y = run()
        assert hook.seen
    else:
        y = run()
    return y, [y.array, *[x.grad for x in xs]]


@pytest.mark.parametrize('dtype', 'fd')
@pytest.mark.parametrize('shape', [(5, 3), (4, 6, 2), (2, 3, 5, 8)])
@pytest.mark.parametrize('name', FUNCTIONS)
def test_same_results_and_attributes(name, shape, dtype):
    if name == 'layer' and len(shape) > 2:
        shape = (7, 30)
    f, count = FUNCTIONS[name]
    arrays = [uniform(shape, 0, dtype)] + [
        uniform(shape[1:2], i, dtype, .5, 1.5) for i in range(1, count)]
    y, short = results_of(f, arrays, False)
    z, general = results_of(f, arrays, True)
    for a, b in zip(short, general, strict=True):
        assert a.dtype == b.dtype == dtype
        compare.assert_array_equal(a, b)
    a, b = [vars(v.creator) for v in (y, z)]
    for key in ('axis', 'key_axis', 'expander', 'forward_data'):
        assert a.get(key) == b.get(key)
    for key in ('mean', 'var', 'inv_std', 'inv_var', 'scale', 'unit_scale'):
        assert (key in a) == (key in b)
        compare.assert_array_equal(a.get(key), b.get(key))


@pytest.mark.parametrize('running_dtype', 'efd')
def test_running_statistics(running_dtype):
    arrays = [uniform((5, 3), 0, 'f'), np.ones(3, 'f'), np.ones(3, 'f')]
    results = []
    for general in False, True:
        mean, var = np.zeros(3, running_dtype), np.ones(3, running_dtype)
        results_of(FUNCTIONS['batch'][0], arrays, general, running_mean=mean,
                   running_var=var, decay=.75)
        results.append((mean, var))
        assert mean[0] != 0
    compare.assert_array_equal(*results)


def test_own_implementations_are_called():
    class Impl(batch_normalization.GeneralBatchNormalizationImpl):
        calls = 0

        def get_mean_and_var(self, *args):
            self.calls += 1
            return super().get_mean_and_var(*args)

    impl = Impl()
    results_of(FUNCTIONS['batch'][0], [np.eye(3), np.ones(3), np.ones(3)], False,
               impl_selector=lambda function, inputs: impl)
    assert impl.calls == 1


def test_own_statistics_of_an_instance_are_called():
    impl = batch_normalization.GeneralBatchNormalizationImpl()
    impl.get_mean_and_var = lambda axis, gamma, x, xp, dtype: (
        np.zeros(3), np.ones(3))
    y = F.batch_normalization(
        np.eye(3), np.ones(3), np.ones(3), eps=2 ** -30,
        impl_selector=lambda function, inputs: impl)
    compare.assert_allclose(y.array, np.eye(3) + 1)


def test_functions_that_share_an_input(device):
    # The gradient of the parameters, which are one variable, is a sum.
    x, v = Variable(device.send(uniform((4, 3)))), Variable(device.send(uniform((3,))))
    y = F.batch_normalization(x, v, v)
    y.grad = device.send(np.ones((4, 3)))
    y.backward()
    compare.assert_allclose(v.grad, 4, atol=1e-6)
