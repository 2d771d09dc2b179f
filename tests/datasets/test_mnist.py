import gzip
import hashlib
import os
import struct
from urllib import error

import numpy
import pytest

import chainer_fast
from chainer_fast import datasets
from chainer_fast.datasets import _mnist_helper, fashion_mnist, kuzushiji_mnist, mnist


def idx(array):
    header = struct.pack('>4B%dI' % array.ndim, 0, 0, 8, array.ndim, *array.shape)
    return gzip.compress(header + array.tobytes(), mtime=0)


@pytest.fixture(params=['mnist', 'fashion_mnist', 'kuzushiji_mnist'])
def family(request):
    """The module of a data set, its function, and its folder."""
    module = getattr(datasets, request.param)
    folder = request.param.replace('fashion_', 'fashion-')
    return module, getattr(datasets, 'get_' + request.param), folder


@pytest.fixture
def get(family):
    return family[1]


@pytest.fixture
def small_mnist(family, served, monkeypatch):
    """A data set of 3 and 2 images on a mirror."""
    images = numpy.arange(5 * 28 * 28).reshape(5, 28, 28).astype('u1')
    labels = numpy.arange(5, dtype='u1')
    contents = [idx(kind) for kind in (images[:3], labels[:3], images[3:], labels[3:])]
    files = _mnist_helper.sources(
        ['https://mirror/'], *[hashlib.sha256(c).hexdigest() for c in contents])
    served.update(zip(
        [urls[0] for part in files.values() for urls, _ in part], contents,
        strict=True))
    monkeypatch.setattr(family[0], '_FILES', files)
    return images, labels


def test_default(small_mnist, get, family, root):
    images, labels = small_mnist
    train, test = get()
    assert (len(train), len(test)) == (3, 2)
    image, label = test[1]
    assert image.dtype == numpy.float32
    assert image.shape == (784,)
    numpy.testing.assert_array_equal(
        image, images[4].ravel() * numpy.float32(1 / 255))
    assert label == 4
    assert label.dtype == numpy.int32
    with numpy.load(root / 'pfnet/chainer' / family[2] / 'test.npz') as raw:
        numpy.testing.assert_array_equal(raw['x'], images[3:].reshape(2, 784))
        numpy.testing.assert_array_equal(raw['y'], labels[3:])


def test_raw_parts(small_mnist, get, family, monkeypatch):
    images, labels = small_mnist
    name = '_retrieve_%s_test' % family[0].__name__.rpartition('.')[2]
    raw = getattr(family[0], name)()
    numpy.testing.assert_array_equal(raw['x'], images[3:].reshape(2, 784))
    numpy.testing.assert_array_equal(raw['y'], labels[3:])
    monkeypatch.setattr(family[0], name, lambda: {'x': raw['x'][:1], 'y': raw['y'][:1]})
    assert [len(part) for part in get()] == [3, 1]


def test_second_call_reads_the_cache(small_mnist, get):
    first, _ = get(withlabel=False)
    second, _ = get(withlabel=False)
    numpy.testing.assert_array_equal(first, second)


@pytest.mark.parametrize('options, shape', [
    ({'ndim': 1}, (3, 784)), ({'ndim': 2}, (3, 28, 28)), ({'ndim': 3}, (3, 1, 28, 28)),
    ({'ndim': 3, 'rgb_format': True}, (3, 3, 28, 28)),
    ({'ndim': 2, 'rgb_format': True}, (3, 28, 28))])
def test_shapes(small_mnist, get, options, shape):
    train, _ = get(withlabel=False, scale=255., **options)
    assert train.shape == shape
    assert train.max() == 255
    with pytest.raises(ValueError, match='invalid ndim'):
        get(ndim=4)


def test_dtypes(small_mnist, get):
    with chainer_fast.using_config('dtype', numpy.float16):
        train, _ = get(label_dtype='i8')
    assert [array.dtype for array in train._datasets] == ['f2', 'i8']
    train, _ = get(withlabel=False, dtype='f8')
    assert train.dtype == 'f8'


def test_files_are_checked(small_mnist, get, family, monkeypatch, root):
    module, _, folder = family
    (urls, digest), labels = module._FILES['train.npz']
    monkeypatch.setitem(
        module._FILES, 'train.npz', [(urls, digest[::-1]), labels])
    with pytest.raises(error.URLError, match='SHA-256'):
        get()
    assert os.listdir(root / 'pfnet/chainer' / folder) == []


def test_offline(served, get, family, root):
    with pytest.raises(error.URLError, match='https.*train-images.*: unreachable'):
        get()
    assert os.listdir(root / 'pfnet/chainer' / family[2]) == []


def test_other_files_are_refused(tmp_path):
    path = str(tmp_path / 'x.gz')
    with gzip.open(path, 'wb') as f:
        f.write(b'<html>')
    with pytest.raises(ValueError, match='not an IDX file.*<ht'):
        _mnist_helper._read_idx(path)


@pytest.mark.parametrize('module', [mnist, fashion_mnist, kuzushiji_mnist])
def test_sources_are_https_with_digests(module):
    for part in module._FILES.values():
        for mirrors, digest in part:
            assert all(url.startswith('https://') for url in mirrors)
            assert len(bytes.fromhex(digest)) == 32


def test_names_of_classes():
    names = datasets.get_fashion_mnist_labels()
    assert len(names) == 10
    assert (names[0], names[9]) == ('T-shirt/top', 'Ankle boot')
    names = datasets.get_kuzushiji_mnist_labels()
    assert len(names) == 10
    assert names[9] == ('wo', '\N{HIRAGANA LETTER WO}')


@pytest.mark.parametrize('scale', [
    numpy.float64(3), numpy.float32(3), numpy.float16(3), numpy.uint8(3)])
def test_scalar_of_numpy_as_scale(small_mnist, get, scale):
    """Its own dtype has no influence on the precision of the pixels."""
    scaled, _ = get(withlabel=False, scale=scale)
    expected, _ = get(withlabel=False, scale=3.)
    numpy.testing.assert_array_equal(scaled, expected)
