import hashlib
import io
import os
import sys
from urllib import error

import numpy
import pytest
from scipy.io import savemat

from chainer_fast import datasets
from chainer_fast.datasets import svhn


@pytest.fixture
def small_svhn(served, monkeypatch):
    random = numpy.random.RandomState(0)
    parts = {}
    for name, n in ('train', 4), ('test', 3), ('extra', 2):
        x = random.randint(0, 256, (32, 32, 3, n)).astype('u1')
        y = numpy.arange(10, 10 - n, -1, dtype='u1')[:, None]
        file = io.BytesIO()
        savemat(file, {'X': x, 'y': y})
        content = file.getvalue()
        served[svhn._URL % name] = content
        monkeypatch.setitem(svhn._SHA256, name, hashlib.sha256(content).hexdigest())
        parts[name] = x, y
    return parts


def test_default(small_svhn, root):
    train, test = datasets.get_svhn()
    x, y = small_svhn['train']
    assert (len(train), len(test)) == (4, 3)
    image, label = train[1]
    assert (image.dtype, image.shape) == ('f4', (3, 32, 32))
    numpy.testing.assert_array_equal(
        image[2, 5, 7], x[5, 7, 2, 1] * numpy.float32(1 / 255))
    assert [label for _, label in train] == [0, 9, 8, 7]  # class 10 is the digit 0
    assert label.dtype == 'i4'
    with numpy.load(root / 'pfnet/chainer/svhn/train.npz') as raw:
        numpy.testing.assert_array_equal(raw['x'], x)
        numpy.testing.assert_array_equal(raw['y'], y)


def test_options(small_svhn):
    datasets.get_svhn()
    train, test, extra = datasets.get_svhn(
        withlabel=False, scale=255., dtype='f8', add_extra=True)
    numpy.testing.assert_allclose(
        extra, small_svhn['extra'][0].transpose(3, 2, 0, 1))
    assert train.dtype == 'f8'
    train, _ = datasets.get_svhn(label_dtype='f4')  # cached
    assert train[0][1].dtype == 'f4'


def test_offline(served, root):
    with pytest.raises(error.URLError, match='https://.*train_32x32.mat: unreachable'):
        datasets.get_svhn()
    assert os.listdir(root / 'pfnet/chainer/svhn') == []


def test_without_scipy(small_svhn, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, 'scipy', None)
        with pytest.raises(RuntimeError, match='SciPy'):
            datasets.get_svhn()
    datasets.get_svhn(add_extra=True)
    monkeypatch.setitem(sys.modules, 'scipy', None)
    assert len(datasets.get_svhn()[0]) == 4  # cached
