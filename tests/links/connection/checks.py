"""Checks for links of every kind."""
import numpy as np

import chainer_fast
from chainer_fast import gradient_check
from chainer_fast.serializers import DictionarySerializer, NpzDeserializer
from tests import compare
from tests.functions import gradients


def normal(fan_in, *shape):
    """Return what a weight is drawn as, in the order of the calls."""
    return np.random.normal(0, fan_in ** -.5, shape).astype('f')


def check_gradients(device, make, *xs, **options):
    """Compares the gradients by inputs and parameters with differences."""
    with chainer_fast.using_config('dtype', np.dtype('d')):
        link, xs = device.send((make(), xs))
        y = link(*xs)
    for i, param in enumerate(link.params()):
        param.array[...] = device.send(gradients.uniform(param.shape, 30 + i))
    link.cleargrads()
    gradient_check.check_backward(
        link, xs, device.send(gradients.uniform(y.shape, 9)), tuple(link.params()),
        **{'rtol': 1e-4, 'atol': 1e-4, **options})


def check_snapshot(device, make, *xs):
    """Loads the parameters of a link into another one, which has not been called."""
    link, xs = device.send((make(), xs))
    y = link(*xs)
    saver = DictionarySerializer()
    link.serialize(saver)
    assert sorted(saver.target) == sorted(
        name.lstrip('/') for name, _ in link.namedparams())
    loaded = device.send(make())
    loaded.serialize(NpzDeserializer(saver.target))
    compare.assert_array_equal(loaded(*xs).array, y.array)
