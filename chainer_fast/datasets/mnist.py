"""MNIST: handwritten digits."""
from __future__ import annotations

import numpy

from chainer_fast.backends.dtypes import get_dtype
from chainer_fast.datasets import _mnist_helper
from chainer_fast.datasets._mnist_helper import make_npz, preprocess_mnist  # noqa: F401
from chainer_fast.datasets.tuple_dataset import TupleDataset
from chainer_fast.types import DTypeSpec, NdArray

# The site of the authors no longer serves the files; these two do. The digests are
# those of the original files.
_FILES = _mnist_helper.sources(
    ['https://storage.googleapis.com/cvdf-datasets/mnist/',
     'https://ossci-datasets.s3.amazonaws.com/mnist/'],
    '440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609',
    '3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c',
    '8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6',
    'f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6')


def _retrieve_mnist_training():
    return _mnist_helper.retrieve('pfnet/chainer/mnist', _FILES, 'train.npz')


def _retrieve_mnist_test():
    return _mnist_helper.retrieve('pfnet/chainer/mnist', _FILES, 'test.npz')


def get_mnist(
        withlabel: bool = True, ndim: int = 1, scale: float = 1.,
        dtype: DTypeSpec = None, label_dtype: DTypeSpec = numpy.int32,
        rgb_format: bool = False) -> tuple[TupleDataset | NdArray, ...]:
    """Get the MNIST data set: 60,000 and 10,000 grey images of digits, 28x28.

    The files are downloaded at the first call, checked, and kept in the folder
    ``pfnet/chainer/mnist`` below :func:`chainer_fast.dataset.get_dataset_root`.

    Parameters
    ----------
    withlabel : bool
        Whether examples are pairs of image and label, or images alone.
    ndim : {1, 2, 3}
        Shape of an image: ``(784,)``, ``(28, 28)``, or ``(1, 28, 28)``.
    scale : float
        Value of a white pixel; black is 0.
    dtype : dtype, optional
        dtype of the images; by default ``chainer_fast.config.dtype``.
    label_dtype : dtype
        dtype of the labels.
    rgb_format : bool
        With ``ndim=3``, whether images have three equal channels: ``(3, 28, 28)``.

    Returns
    -------
    train, test : TupleDataset or numpy.ndarray
        Pairs of image and label, or arrays of images if ``withlabel`` is false.

    Raises
    ------
    ValueError
        If ``ndim`` is not 1, 2 or 3.
    urllib.error.URLError
        If no mirror delivers the files.

    Examples
    --------
    ::

        train, test = chainer.datasets.get_mnist()
        image, label = train[0]                         # of shape (784,), and ()
        train, test = chainer.datasets.get_mnist(withlabel=False, ndim=3)
        train.shape                                     # (60000, 1, 28, 28)
    """
    return _mnist_helper.load(
        (_retrieve_mnist_training, _retrieve_mnist_test),
        withlabel, ndim, scale, get_dtype(dtype), label_dtype, rgb_format)
