"""Labels that do not count: any number, None for none at all, and arrays."""
import decimal
import fractions

import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import functions as F
from chainer_fast.backends.kernels.common import ignored
from tests import compare

T = np.array([0, 2, -1, 1], 'i')
NOBODY = [None, 2 ** 31, 2 ** 63, 2 ** 64, -2 ** 63 - 1, 10 ** 400, np.nan, np.inf,
          -np.inf, .5, np.float16(.5), np.float32(1e30), np.uint64(2 ** 64 - 1),
          np.int64(-2 ** 63)]
MINUS_ONE = [-1, -1., np.int8(-1), np.int64(-1), np.float16(-1), np.float64(-1)]
ARRAYS = [np.array(-1), np.array([-1]), np.array([-1.]), [-1],
          fractions.Fraction(-1), decimal.Decimal(-1)]


def _outcome(device, call, hooks=False):
    """Return the results and gradients of a call, and its class if it fails."""
    x = chainer.Variable(device.send(np.linspace(-1, 1, 12, dtype='f').reshape(4, 3)))
    try:
        with chainer.using_config('debug', hooks):
            y = call(x, device.send(T))
        y.grad = device.xp.ones_like(y.array)
        y.backward()
    except Exception as error:
        return type(error)
    return y.array, x.grad


CALLS = {
    'softmax_cross_entropy': lambda label: lambda x, t: F.softmax_cross_entropy(
        x, t, ignore_label=label),
    'each': lambda label: lambda x, t: F.softmax_cross_entropy(
        x, t, ignore_label=label, reduce='no'),
    'double': lambda label: lambda x, t: F.softmax_cross_entropy(
        x, t, ignore_label=label, enable_double_backprop=True),
    'weighted': lambda label: lambda x, t: F.softmax_cross_entropy(
        x, t, ignore_label=label, class_weight=x.xp.ones(3, 'f')),
    'embed_id': lambda label: lambda x, t: F.embed_id(t, x, ignore_label=label)}


def _alike(found, expected):
    if isinstance(expected, type):
        assert found is expected
        return
    for a, b in zip(found, expected, strict=True):
        compare.assert_allclose(a, b, 1e-6)


@pytest.mark.filterwarnings('ignore')
@pytest.mark.parametrize('name', CALLS)
@pytest.mark.parametrize('label', NOBODY, ids=lambda label: repr(label)[:20])
def test_no_label_is_ignored(device, name, label):
    _alike(_outcome(device, CALLS[name](label)), _outcome(device, CALLS[name](7)))


@pytest.mark.parametrize('name', CALLS)
@pytest.mark.parametrize('label', MINUS_ONE, ids=repr)
def test_the_label_minus_one(device, name, label):
    _alike(_outcome(device, CALLS[name](label)), _outcome(device, CALLS[name](-1)))


@pytest.mark.host
@pytest.mark.parametrize('name', CALLS)
@pytest.mark.parametrize('label', ARRAYS, ids=repr)
def test_what_only_a_comparison_tells(device, name, label):
    _alike(_outcome(device, CALLS[name](label)), _outcome(device, CALLS[name](-1)))


@pytest.mark.filterwarnings('ignore')
@pytest.mark.parametrize('label', [True, np.bool_(True), 1., np.uint8(1)], ids=repr)
def test_true_is_one(device, label):
    for name, call in CALLS.items():
        if name != 'embed_id' or device.xp is np:
            _alike(_outcome(device, call(label)), _outcome(device, call(1)))


@pytest.mark.parametrize('f', [F.accuracy, F.f1_score], ids=['accuracy', 'f1_score'])
@pytest.mark.parametrize(
    'label', [*NOBODY, 0, 0., False, np.int8(0), np.bool_(False)],
    ids=lambda label: repr(label)[:20])
def test_evaluation(device, f, label):
    y = device.send(np.linspace(-1, 1, 12, dtype='f').reshape(4, 3))
    t = device.send(np.array([0, 2, 0, 1], 'i'))
    other = 7 if any(label is each for each in NOBODY) else 0
    found, expected = [f(y, t, ignore_label=each) for each in (label, other)]
    if f is F.accuracy:
        found, expected = [found], [expected]
    for a, b in zip(found, expected, strict=True):
        compare.assert_array_equal(a.array, b.array)


def test_debug_mode_names_a_label_of_any_kind():
    x = np.zeros((2, 3), 'f')
    for label in (None, 2 ** 64, np.nan):
        with chainer.using_config('debug', True), pytest.raises(
                ValueError, match='t == %s' % label):
            F.softmax_cross_entropy(x, np.array([0, 3], 'i'), ignore_label=label)


@pytest.mark.parametrize('given,expected', [
    (None, None), (-1, -1), (True, 1), (2 ** 63, None), (-2 ** 63, -2 ** 63),
    (2. ** 53, 2 ** 53), (2. ** 60, NotImplemented), (1e300, None), (.5, None),
    (np.nan, None), (np.uint64(2 ** 63), None), ('a', NotImplemented),
    (np.array(1), NotImplemented), (1j, NotImplemented)], ids=repr)
def test_as_an_integer(given, expected):
    assert ignored.as_integer(given) is expected or (
        ignored.as_integer(given) == expected)
