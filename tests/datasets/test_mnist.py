import gzip
import hashlib
import struct
from urllib import request

import numpy
import pytest

import chainer_fast
from chainer_fast import dataset, datasets
from chainer_fast.datasets import _mnist_helper, mnist


def idx(array):
    header = struct.pack('>4B%dI' % array.ndim, 0, 0, 8, array.ndim, *array.shape)
    return gzip.compress(header + array.tobytes(), mtime=0)


@pytest.fixture
def small_mnist(tmp_path, monkeypatch):
    """A data set of 3 and 2 images on a mirror in the file system."""
    saved = dataset.get_dataset_root()
    dataset.set_dataset_root(str(tmp_path / 'root'))
    images = numpy.arange(5 * 28 * 28).reshape(5, 28, 28).astype('u1')
    labels = numpy.arange(5, dtype='u1')
    served = {}
    files = {}
    for part, sl in ('train.npz', slice(0, 3)), ('test.npz', slice(3, 5)):
        files[part] = []
        for kind in images[sl], labels[sl]:
            data = idx(kind)
            url = 'https://mirror/%s/%d' % (part, kind.ndim)
            served[url] = data
            files[part].append(([url], hashlib.sha256(data).hexdigest()))
    monkeypatch.setattr(mnist, '_FILES', files)

    def urlretrieve(url, path):
        with open(path, 'wb') as f:
            f.write(served.pop(url))  # nothing may be read twice

    monkeypatch.setattr(request, 'urlretrieve', urlretrieve)
    yield images, labels
    dataset.set_dataset_root(saved)


def test_default(small_mnist, tmp_path):
    images, labels = small_mnist
    train, test = datasets.get_mnist()
    assert (len(train), len(test)) == (3, 2)
    image, label = test[1]
    assert image.dtype == numpy.float32
    assert image.shape == (784,)
    numpy.testing.assert_array_equal(
        image, images[4].ravel() * numpy.float32(1 / 255))
    assert label == 4
    assert label.dtype == numpy.int32
    with numpy.load(tmp_path / 'root/pfnet/chainer/mnist/test.npz') as raw:
        numpy.testing.assert_array_equal(raw['x'], images[3:].reshape(2, 784))
        numpy.testing.assert_array_equal(raw['y'], labels[3:])


def test_second_call_reads_the_cache(small_mnist):
    first, _ = datasets.get_mnist(withlabel=False)
    second, _ = datasets.get_mnist(withlabel=False)
    numpy.testing.assert_array_equal(first, second)


@pytest.mark.parametrize('options, shape', [
    ({'ndim': 1}, (3, 784)), ({'ndim': 2}, (3, 28, 28)), ({'ndim': 3}, (3, 1, 28, 28)),
    ({'ndim': 3, 'rgb_format': True}, (3, 3, 28, 28)),
    ({'ndim': 2, 'rgb_format': True}, (3, 28, 28))])
def test_shapes(small_mnist, options, shape):
    train, _ = datasets.get_mnist(withlabel=False, scale=255., **options)
    assert train.shape == shape
    assert train.max() == 255
    with pytest.raises(ValueError, match='invalid ndim'):
        datasets.get_mnist(ndim=4)


def test_dtypes(small_mnist):
    with chainer_fast.using_config('dtype', numpy.float16):
        train, _ = datasets.get_mnist(label_dtype='i8')
    assert [array.dtype for array in train._datasets] == ['f2', 'i8']
    train, _ = datasets.get_mnist(withlabel=False, dtype='f8')
    assert train.dtype == 'f8'


def test_files_are_checked(small_mnist, monkeypatch):
    (urls, digest), labels = mnist._FILES['train.npz']
    monkeypatch.setitem(
        mnist._FILES, 'train.npz', [(urls, digest[::-1]), labels])
    with pytest.raises(RuntimeError, match='SHA-256'):
        datasets.get_mnist()


def test_other_files_are_refused(tmp_path):
    path = str(tmp_path / 'x.gz')
    with gzip.open(path, 'wb') as f:
        f.write(b'<html>')
    with pytest.raises(ValueError, match='no IDX file.*<ht'):
        _mnist_helper._read_idx(path)


def test_sources_are_https_with_digests():
    for part in mnist._FILES.values():
        for mirrors, digest in part:
            assert all(url.startswith('https://') for url in mirrors)
            assert len(bytes.fromhex(digest)) == 32
