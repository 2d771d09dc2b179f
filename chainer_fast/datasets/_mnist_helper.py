"""Data sets in the format of MNIST: downloading, decoding and presentation."""
import gzip
import os

import numpy

from chainer_fast.dataset import download
from chainer_fast.datasets import _pixels
from chainer_fast.datasets.tuple_dataset import TupleDataset


def sources(mirrors, train_images, train_labels, test_images, test_labels):
    """Return the locations of the files of a data set.

    Parameters
    ----------
    mirrors : sequence of str
        Addresses of folders with the four files under their names in MNIST.
    train_images, train_labels, test_images, test_labels : str
        SHA-256 digests of the files.

    Returns
    -------
    dict
        The argument ``files`` of :func:`load`.
    """
    def source(name, sha256):
        return [mirror + name + '-ubyte.gz' for mirror in mirrors], sha256

    return {
        'train.npz': [source('train-images-idx3', train_images),
                      source('train-labels-idx1', train_labels)],
        'test.npz': [source('t10k-images-idx3', test_images),
                     source('t10k-labels-idx1', test_labels)],
    }


def make_npz(path, urls):
    """Download an image file and a label file and store them in one archive.

    Parameters
    ----------
    path : str
        The ``.npz`` file to write.
    urls : sequence of two
        The images and the labels, each as an address, or as a pair of a list of mirrors
        and a SHA-256 digest.

    Returns
    -------
    dict
        ``'x'``: uint8 array of shape ``(n, 784)``; ``'y'``: uint8 array of shape
        ``(n,)``.
    """
    x, y = [_read_idx(_fetch(url)) for url in urls]
    data = {'x': x.reshape(len(x), -1), 'y': y}
    numpy.savez_compressed(path, **data)
    return data


def _fetch(url):
    if isinstance(url, str):
        return download.cached_download(url)
    return download._verified_download(*url)


def _read_idx(path):
    """Read a gzipped IDX file of unsigned bytes.

    The header has two zero bytes, the type (8), the number of axes, and the length of
    each axis as a big-endian 32-bit integer.
    """
    with gzip.open(path, 'rb') as file:
        raw = file.read()
    if raw[:3] != b'\0\0\x08':
        raise ValueError('%s is not an IDX file of unsigned bytes: it begins with %r'
                         % (path, raw[:3]))
    ndim = raw[3]
    shape = numpy.frombuffer(raw, '>u4', ndim, 4)
    size = int(numpy.prod(shape, dtype=numpy.int64))
    return numpy.frombuffer(raw, numpy.uint8, size, 4 + 4 * ndim).reshape(shape)


def preprocess_mnist(raw, withlabel, ndim, scale, image_dtype, label_dtype,
                     rgb_format):
    """Convert images and labels to the requested form.

    Parameters
    ----------
    raw : mapping
        ``'x'`` and ``'y'`` as in :func:`make_npz`.
    withlabel : bool
        Whether to return labels, too.
    ndim : int
        1: a row of 784 pixels; 2: 28 rows of 28; 3: with a channel axis in front.
    scale : float
        Value of a white pixel.
    image_dtype, label_dtype :
        Dtypes of the results.
    rgb_format : bool
        Whether images have three equal channels instead of one, for ``ndim=3``.

    Returns
    -------
    TupleDataset or numpy.ndarray
        Pairs of image and label, or the images alone.
    """
    shape = {1: (784,), 2: (28, 28), 3: (1, 28, 28)}.get(ndim)
    if shape is None:
        raise ValueError('invalid ndim for MNIST dataset: %r, expected 1, 2 or 3'
                         % (ndim,))
    images = _pixels.scaled(raw['x'], image_dtype, scale).reshape(-1, *shape)
    if rgb_format and ndim == 3:
        images = images.repeat(3, axis=1)
    if not withlabel:
        return images
    return TupleDataset(images, raw['y'].astype(label_dtype))


def retrieve(directory, files, name):
    """Return a part of a data set, downloading it if it is missing.

    Parameters
    ----------
    directory : str
        Name of the folder below the folder of all data sets.
    files : dict
        The ``urls`` of :func:`make_npz` for each part.
    name : {'train.npz', 'test.npz'}
        The part.

    Returns
    -------
    mapping
        As returned by :func:`make_npz`.
    """
    folder = download.get_dataset_directory(directory)
    return download.cache_or_load_file(
        os.path.join(folder, name), lambda path: make_npz(path, files[name]),
        _pixels.load_npz)


def load(retrieve_parts, withlabel, ndim, scale, image_dtype, label_dtype, rgb_format):
    """Load both parts of a data set.

    Parameters
    ----------
    retrieve_parts : sequence of two callable
        They return the training set and the test set, like :func:`retrieve`.
    withlabel, ndim, scale, image_dtype, label_dtype, rgb_format :
        As in :func:`preprocess_mnist`.

    Returns
    -------
    tuple of two
        The training set and the test set.
    """
    return tuple([
        preprocess_mnist(
            retrieve(), withlabel=withlabel, ndim=ndim, scale=scale,
            image_dtype=image_dtype, label_dtype=label_dtype, rgb_format=rgb_format)
        for retrieve in retrieve_parts])
