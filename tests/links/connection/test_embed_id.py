import numpy as np
import pytest

import chainer_fast
from chainer_fast import links
from tests import compare


def test_looks_vectors_up(device):
    link = device.send(links.EmbedID(4, 2, initialW=np.arange(8.).reshape(4, 2)))
    y = link(device.send(np.array([[3, 0]], 'i')))
    compare.assert_array_equal(y.array, [[[6, 7], [0, 1]]])
    assert link.W.dtype == np.float32


def test_known_values():
    # What Chainer 7.8.1 draws.
    np.random.seed(0)
    compare.assert_array_equal(links.EmbedID(2, 2).W.array, np.array(
        [[1.7640524, 0.4001572], [0.978738, 2.2408931]], 'f'))


def test_ignored_label(device):
    link = device.send(links.EmbedID(2, 3, ignore_label=-1))
    y = link(device.send(np.array([-1, 1], 'i')))
    compare.assert_array_equal(y.array, [np.zeros(3), link.W.array[1]])
    assert links.EmbedID.ignore_label is None


@pytest.mark.parametrize('wrap', [np.asarray, chainer_fast.Variable])
def test_from_params(wrap):
    W = np.arange(6.).reshape(2, 3)
    link = links.EmbedID.from_params(wrap(W), 1)
    compare.assert_array_equal(link.W.array, W)
    assert link.ignore_label == 1
