import hashlib
import io
import os
import tarfile
from urllib import error

import numpy
import pytest

from chainer_fast import datasets
from chainer_fast.datasets import cifar


def batch_of_python_2(data, key, labels):
    """Pickle a batch like the Python 2 and the NumPy that made the archives."""
    string = "'%s'" % ''.join('\\x%02x' % byte for byte in data.tobytes())
    return ("(dS'data'\n"
            "cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntS'b'\ntR"
            "(I1\n(I%d\nI%d\ntcnumpy\ndtype\n(S'u1'\nI0\nI1\ntR"
            "(I3\nS'|'\nNNNI-1\nI-1\nI0\ntbI00\nS%s\ntbs"
            "S'%s'\n(l%ss."
            % (*data.shape, string, key, ''.join('I%d\na' % i for i in labels))
            ).encode()


def serve(served, monkeypatch, name, folder, key, parts):
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode='w:gz') as tar:
        for part, (data, labels) in parts.items():
            content = batch_of_python_2(data, key, labels)
            info = tarfile.TarInfo(f'{folder}/{part}')
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    content = archive.getvalue()
    served[f'https://www.cs.toronto.edu/~kriz/{name}-python.tar.gz'] = content
    monkeypatch.setitem(cifar._SHA256, name, hashlib.sha256(content).hexdigest())


def images(n, seed):
    return numpy.random.RandomState(seed).randint(0, 256, (n, 3072)).astype('u1')


@pytest.fixture
def cifar10(served, monkeypatch):
    parts = {'data_batch_%d' % i: (images(2, i), [i, i + 1]) for i in range(1, 6)}
    parts['test_batch'] = images(3, 0), [0, 9, 5]
    serve(served, monkeypatch, 'cifar-10', 'cifar-10-batches-py', 'labels', parts)
    return parts


def test_cifar10(cifar10, root):
    train, test = datasets.get_cifar10()
    assert (len(train), len(test)) == (10, 3)
    image, label = train[3]  # of the second batch
    assert (image.dtype, image.shape) == ('f4', (3, 32, 32))
    numpy.testing.assert_array_equal(
        image.ravel(), cifar10['data_batch_2'][0][1] * numpy.float32(1 / 255))
    assert label == 3
    assert label.dtype == 'i4'
    with numpy.load(root / 'pfnet/chainer/cifar/cifar-10.npz') as raw:
        assert sorted(raw) == ['test_x', 'test_y', 'train_x', 'train_y']
        numpy.testing.assert_array_equal(raw['test_x'], cifar10['test_batch'][0])
        numpy.testing.assert_array_equal(raw['test_y'], [0, 9, 5])
    again, _ = datasets.get_cifar10(withlabel=False, ndim=1, scale=255., dtype='f8')
    assert (again.dtype, again.shape) == ('f8', (10, 3072))
    numpy.testing.assert_allclose(again[:2], cifar10['data_batch_1'][0])


def test_cifar100(served, monkeypatch):
    parts = {'train': (images(4, 0), [99, 0, 50, 1]), 'test': (images(2, 1), [7, 8])}
    serve(served, monkeypatch, 'cifar-100', 'cifar-100-python', 'fine_labels', parts)
    train, test = datasets.get_cifar100()
    assert [label for _, label in train] == [99, 0, 50, 1]
    assert [label for _, label in test] == [7, 8]


def test_errors(served, root):
    with pytest.raises(ValueError, match='invalid ndim'):
        datasets.get_cifar10(ndim=2)
    with pytest.raises(error.URLError, match='cs.toronto.edu.*unreachable'):
        datasets.get_cifar10()
    assert os.listdir(root / 'pfnet/chainer/cifar') == []


def test_batches_cannot_run_code():
    with pytest.raises(Exception, match='not part of a CIFAR batch: os.system'):
        cifar._read_batch(io.BytesIO(b"cos\nsystem\n(S'true'\ntR."), 'labels')
