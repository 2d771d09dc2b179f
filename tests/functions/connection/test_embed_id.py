import numpy as np
import pytest

from chainer_fast import functions as F
from chainer_fast import using_config
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable
from tests import compare
from tests.functions import gradients


@pytest.mark.parametrize('x', [
    np.array([0, 2, 0]), np.array([[1, 1], [3, 0]], 'b'), np.zeros((0, 2), 'i')])
@pytest.mark.parametrize('ignore_label', [None, 0, -1])
def test_rows(device, x, ignore_label):
    W = gradients.uniform((4, 3))
    y = F.embed_id(device.send(x), device.send(W), ignore_label)
    expected = W[x]
    expected[x == ignore_label] = 0
    compare.assert_array_equal(y.array, expected)
    gradients.check(
        device, lambda W: F.embed_id(device.send(x), W, ignore_label) ** 2, W)


@pytest.mark.filterwarnings('ignore:x.0. is -1:UserWarning')
def test_a_word_that_is_ignored_needs_no_row(device):
    x = device.send(np.array([-1, 1, 9]))
    W = Variable(device.send(gradients.uniform((4, 3), 0, 'f')))
    if device.xp is np:     # A GPU does not look whether there is such a row.
        with pytest.raises(IndexError):
            F.embed_id(x, W, -1)
    y = F.embed_id(x, W[:2], 9)
    compare.assert_array_equal(y.array[2], 0)
    F.sum(y).backward()
    compare.assert_array_equal(W.grad[:, 0], [0, 2, 0, 0])


def test_debug_mode_finds_unknown_words(device):
    W = device.send(np.zeros((4, 3)))
    with using_config('debug', True):
        F.embed_id(device.send(np.array([-1, 3])), W, -1)
        for x, where in ([-1, 0], r'x\[0\] is -1'), ([0, 4], r'x\[1\] is 4'):
            with pytest.raises(ValueError, match=where + ', and W has 4 rows'):
                F.embed_id(device.send(np.array(x)), W)


@pytest.mark.parametrize('x, W', [
    (np.zeros(2), np.zeros((4, 3))), (np.zeros(2, 'i'), np.zeros((4, 3), 'i')),
    (np.array(0), np.zeros((4, 3))), (np.zeros(2, 'i'), np.zeros(4))])
def test_types_are_checked(device, x, W):
    with pytest.raises(type_check.InvalidType):
        F.embed_id(device.send(x), device.send(W))
