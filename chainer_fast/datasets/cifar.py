"""CIFAR-10 and CIFAR-100: small photographs of objects and animals."""
from __future__ import annotations

import os
import pickle
import tarfile

import numpy

from chainer_fast.backends.dtypes import get_dtype
from chainer_fast.dataset import download
from chainer_fast.datasets import _pixels
from chainer_fast.datasets.tuple_dataset import TupleDataset
from chainer_fast.types import DTypeSpec, NdArray

# The author's page, at its current and its former address. The digests are those that
# Keras verifies.
_MIRRORS = ('https://cave.cs.toronto.edu/kriz/', 'https://www.cs.toronto.edu/~kriz/')
_SHA256 = {
    'cifar-10': '6d958be074577803d12ecdefd02955f39262c83c16fe9348329d7fe0b5c001ce',
    'cifar-100': '85cd44d02ba6437773c5bbd22e183051d648de2e7d6b014e1ef29b855ba677a7',
}


def get_cifar10(
        withlabel: bool = True, ndim: int = 3, scale: float = 1.,
        dtype: DTypeSpec = None) -> tuple[TupleDataset | NdArray, ...]:
    """Get CIFAR-10: 50,000 and 10,000 colour images of 10 classes, 32x32.

    The archive is downloaded at the first call, checked, and kept in the folder
    ``pfnet/chainer/cifar`` below :func:`chainer_fast.dataset.get_dataset_root`.

    Parameters
    ----------
    withlabel : bool
        Whether examples are pairs of image and label (int32), or images alone.
    ndim : {1, 3}
        Shape of an image: ``(3072,)`` or ``(3, 32, 32)``; red, green, blue.
    scale : float
        Value of the brightest pixel; the darkest is 0.
    dtype : dtype, optional
        dtype of the images; by default ``chainer_fast.config.dtype``.

    Returns
    -------
    train, test : TupleDataset or numpy.ndarray
        Pairs of image and label, or arrays of images if ``withlabel`` is false.

    Raises
    ------
    ValueError
        If ``ndim`` is neither 1 nor 3.
    urllib.error.URLError
        If no mirror delivers the archive.

    Examples
    --------
    ::

        train, test = chainer.datasets.get_cifar10()
        image, label = train[0]                         # of shape (3, 32, 32), and ()
    """
    batches = ['data_batch_%d' % i for i in range(1, 6)]
    return _load('cifar-10', 'cifar-10-batches-py/', batches, 'test_batch', 'labels',
                 withlabel, ndim, scale, dtype)


def get_cifar100(
        withlabel: bool = True, ndim: int = 3, scale: float = 1.,
        dtype: DTypeSpec = None) -> tuple[TupleDataset | NdArray, ...]:
    """Get CIFAR-100: 50,000 and 10,000 colour images of 100 classes, 32x32.

    Labels are the fine ones. Everything else is as in :func:`get_cifar10`.

    Parameters
    ----------
    withlabel, ndim, scale, dtype :
        As in :func:`get_cifar10`.

    Returns
    -------
    train, test : TupleDataset or numpy.ndarray
        Pairs of image and label, or arrays of images if ``withlabel`` is false.

    Raises
    ------
    ValueError
        If ``ndim`` is neither 1 nor 3.
    urllib.error.URLError
        If no mirror delivers the archive.

    Examples
    --------
    ::

        train, test = chainer.datasets.get_cifar100()
        image, label = train[0]                         # of shape (3, 32, 32), and ()
    """
    return _load('cifar-100', 'cifar-100-python/', ['train'], 'test', 'fine_labels',
                 withlabel, ndim, scale, dtype)


def _load(name, folder, train, test, label_key, withlabel, ndim, scale, dtype):
    shape = {1: (3072,), 3: (3, 32, 32)}.get(ndim)
    if shape is None:
        raise ValueError('invalid ndim for CIFAR dataset: %r, expected 1 or 3'
                         % (ndim,))

    def create(path):
        archive = download._verified_download(
            [f'{mirror}{name}-python.tar.gz' for mirror in _MIRRORS], _SHA256[name])
        with tarfile.open(archive, 'r:gz') as tar:
            data = {}
            for part, members in ('train', train), ('test', [test]):
                batches = [_read_batch(tar.extractfile(folder + member), label_key)
                           for member in members]
                x, y = zip(*batches, strict=True)
                data[part + '_x'] = numpy.concatenate(x)
                data[part + '_y'] = numpy.concatenate(y)
        numpy.savez_compressed(path, **data)
        return data

    directory = download.get_dataset_directory('pfnet/chainer/cifar')
    raw = download.cache_or_load_file(
        os.path.join(directory, name + '.npz'), create,
        lambda path: _pixels.load_npz(path, ('train_x', 'train_y', 'test_x', 'test_y')))
    dtype = get_dtype(dtype)

    def part(which):
        images = _pixels.scaled(raw[which + '_x'].reshape(-1, *shape), dtype, scale)
        if not withlabel:
            return images
        return TupleDataset(
            images, raw[which + '_y'].astype(numpy.int32))

    return part('train'), part('test')


class _BatchUnpickler(pickle.Unpickler):
    """Reads the pickles of Python 2 in the archives: arrays and plain values only."""

    def find_class(self, module, name: str):
        if (module, name) == ('numpy', 'dtype'):
            # The flags are integers written by an old NumPy, about which a new one
            # warns.
            return lambda code, align, copy: numpy.dtype(code, bool(align), bool(copy))
        if name in ('ndarray', '_reconstruct') and module in (
                'numpy', 'numpy.core.multiarray', 'numpy._core.multiarray'):
            return super().find_class(module, name)
        raise pickle.UnpicklingError(
            'not part of a CIFAR batch: %s.%s' % (module, name))


def _read_batch(file, label_key):
    with file:
        batch = _BatchUnpickler(file, encoding='latin1').load()
    return batch['data'], numpy.asarray(batch[label_key], numpy.uint8)
