"""Fashion-MNIST: articles of clothing in the format of MNIST."""
from __future__ import annotations

import numpy

from chainer_fast.backends.dtypes import get_dtype
from chainer_fast.datasets import _mnist_helper
from chainer_fast.datasets._mnist_helper import make_npz, preprocess_mnist  # noqa: F401
from chainer_fast.datasets.tuple_dataset import TupleDataset
from chainer_fast.types import DTypeSpec, NdArray

# The authors' bucket (its website endpoint, which they link to, lacks https), the copy
# that Keras downloads, and the authors' repository. The digests are from url_checksums
# of TensorFlow Datasets.
_FILES = _mnist_helper.sources(
    ['https://fashion-mnist.s3.eu-central-1.amazonaws.com/',
     'https://storage.googleapis.com/tensorflow/tf-keras-datasets/',
     'https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/'
     'fashion/'],
    '3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84',
    'a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845',
    '346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073',
    '67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5')

_LABELS = ('T-shirt/top Trouser Pullover Dress Coat Sandal Shirt Sneaker Bag '
           'Ankle_boot')


def _retrieve_fashion_mnist_training():
    return _mnist_helper.retrieve('pfnet/chainer/fashion-mnist', _FILES, 'train.npz')


def _retrieve_fashion_mnist_test():
    return _mnist_helper.retrieve('pfnet/chainer/fashion-mnist', _FILES, 'test.npz')


def get_fashion_mnist_labels() -> list[str]:
    """Return the names of the ten classes.

    Returns
    -------
    list of str
        The name of label ``i`` at position ``i``.

    Examples
    --------
    >>> chainer.datasets.get_fashion_mnist_labels()[:3]
    ['T-shirt/top', 'Trouser', 'Pullover']
    """
    return [name.replace('_', ' ') for name in _LABELS.split()]


def get_fashion_mnist(
        withlabel: bool = True, ndim: int = 1, scale: float = 1.,
        dtype: DTypeSpec = None, label_dtype: DTypeSpec = numpy.int32,
        rgb_format: bool = False) -> tuple[TupleDataset | NdArray, ...]:
    """Get Fashion-MNIST: 60,000 and 10,000 grey images of clothing, 28x28.

    The files are downloaded at the first call, checked, and kept in the folder
    ``pfnet/chainer/fashion-mnist`` below
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
        If no mirror delivers the files.

    Examples
    --------
    ::

        train, test = chainer.datasets.get_fashion_mnist(ndim=3)
        image, label = train[0]                         # of shape (1, 28, 28), and ()
    """
    return _mnist_helper.load(
        (_retrieve_fashion_mnist_training, _retrieve_fashion_mnist_test),
        withlabel, ndim, scale, get_dtype(dtype), label_dtype, rgb_format)
