import io

import numpy as np
import pytest

from chainer_fast import chainerx
from chainer_fast.chainerx.testing import assert_array_equal_ex

pytestmark = pytest.mark.usefixtures('place')


def test_fromfile(tmp_path):
    path = tmp_path / 'numbers'
    data = np.arange(4, dtype='float32')
    data.tofile(path)
    assert_array_equal_ex(chainerx.fromfile(path), data)
    assert_array_equal_ex(
        chainerx.fromfile(path, 'int16', 2, offset=4), data.view('int16')[2:4])
    path.write_text('0,1,2,3')
    assert_array_equal_ex(chainerx.fromfile(path, 'int8', sep=','), data.astype('int8'))


def test_texts_and_iterators():
    expected = np.array([1, 2, 3], 'int16')
    for found in (
            chainerx.fromstring('1 2 3', 'int16'),
            chainerx.fromstring('1,2,3,4', 'int16', 3, ','),
            chainerx.fromiter(iter([1, 2, 3]), 'int16'),
            chainerx.fromiter(range(1, 9), 'int16', 3),
            chainerx.loadtxt(io.StringIO('# a\n1 2 3'), 'int16')):
        assert found.device is chainerx.get_default_device()
        assert_array_equal_ex(found, expected)


def test_fromfunction():
    found = chainerx.fromfunction(
        lambda i, j, factor: i * factor + j, (2, 3), 'int32', factor=10)
    assert_array_equal_ex(found, np.array([[0, 1, 2], [10, 11, 12]], 'int32'))
