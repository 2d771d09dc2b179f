"""Kuzushiji-MNIST: cursive Japanese characters in the format of MNIST."""
from __future__ import annotations

import numpy

from chainer_fast.backends.dtypes import get_dtype
from chainer_fast.datasets import _mnist_helper
from chainer_fast.datasets._mnist_helper import make_npz, preprocess_mnist  # noqa: F401
from chainer_fast.datasets.tuple_dataset import TupleDataset
from chainer_fast.types import DTypeSpec, NdArray

# The digests are from url_checksums of TensorFlow Datasets.
_FILES = _mnist_helper.sources(
    ['https://codh.rois.ac.jp/kmnist/dataset/kmnist/'],
    '51467d22d8cc72929e2a028a0428f2086b092bb31cfb79c69cc0a90ce135fde4',
    'e38f9ebcd0f3ebcdec7fc8eabdcdaef93bb0df8ea12bee65224341c8183d8e17',
    'edd7a857845ad6bb1d0ba43fe7e794d164fe2dce499a1694695a792adfac43c5',
    '20bb9a0ef54c7db3efc55a92eef5582c109615df22683c380526788f98e42a1c')

_ROMAN = 'o ki su tsu na ha ma ya re wo'
_HIRAGANA = 'おきすつなはまやれを'


def _retrieve_kuzushiji_mnist_training():
    return _mnist_helper.retrieve('pfnet/chainer/kuzushiji_mnist', _FILES, 'train.npz')


def _retrieve_kuzushiji_mnist_test():
    return _mnist_helper.retrieve('pfnet/chainer/kuzushiji_mnist', _FILES, 'test.npz')


def get_kuzushiji_mnist_labels() -> list[tuple[str, ...]]:
    """Return the names of the ten classes.

    Returns
    -------
    list of tuple of str
        For each label its transcription and its modern hiragana, e.g. ``('ki', 'き')``.

    Examples
    --------
    >>> chainer.datasets.get_kuzushiji_mnist_labels()[:2]
    [('o', 'お'), ('ki', 'き')]
    """
    return list(zip(_ROMAN.split(), _HIRAGANA, strict=True))


def get_kuzushiji_mnist(
        withlabel: bool = True, ndim: int = 1, scale: float = 1.,
        dtype: DTypeSpec = None, label_dtype: DTypeSpec = numpy.int32,
        rgb_format: bool = False) -> tuple[TupleDataset | NdArray, ...]:
    """Get Kuzushiji-MNIST: 60,000 and 10,000 grey images of characters, 28x28.

    The files are downloaded at the first call, checked, and kept in the folder
    ``pfnet/chainer/kuzushiji_mnist`` below
    :func:`chainer_fast.dataset.get_dataset_root`.

    Parameters
    ----------
    withlabel, ndim, scale, dtype, label_dtype, rgb_format :
        As in :func:`chainer_fast.datasets.get_mnist`.

    Returns
    -------
    train, test : TupleDataset or numpy.ndarray
        Pairs of image and label, or arrays of images if ``withlabel`` is false.

    Raises
    ------
    ValueError
        If ``ndim`` is not 1, 2 or 3.
    urllib.error.URLError
        If the files cannot be downloaded.

    Examples
    --------
    ::

        train, test = chainer.datasets.get_kuzushiji_mnist(ndim=3)
        image, label = train[0]                         # of shape (1, 28, 28), and ()
    """
    return _mnist_helper.load(
        (_retrieve_kuzushiji_mnist_training, _retrieve_kuzushiji_mnist_test),
        withlabel, ndim, scale, get_dtype(dtype), label_dtype, rgb_format)
