"""SVHN: digits from photographs of house numbers."""
from __future__ import annotations

import os

import numpy

from chainer_fast.backends.dtypes import get_dtype
from chainer_fast.dataset import download
from chainer_fast.datasets import _pixels
from chainer_fast.datasets.tuple_dataset import TupleDataset
from chainer_fast.types import DTypeSpec, NdArray

_URL = 'https://ufldl.stanford.edu/housenumbers/%s_32x32.mat'
# From url_checksums of TensorFlow Datasets.
_SHA256 = {
    'train': '435e94d69a87fde4fd4d7f3dd208dfc32cb6ae8af2240d066de1df7508d083b8',
    'test': 'cdce80dfb2a2c4c6160906d0bd7c68ec5a99d7ca4831afa54f09182025b6a75b',
    'extra': 'a133a4beb38a00fcdda90c9489e0c04f900b660ce8a316a5e854838379a71eb3',
}


def get_svhn(
        withlabel: bool = True, scale: float = 1., dtype: DTypeSpec = None,
        label_dtype: DTypeSpec = numpy.int32,
        add_extra: bool = False) -> tuple[TupleDataset | NdArray, ...]:
    """Get SVHN: 73,257 and 26,032 colour images of single digits, 32x32.

    The files are downloaded at the first call, checked, and kept in the folder
    ``pfnet/chainer/svhn`` below :func:`chainer_fast.dataset.get_dataset_root`.

    Parameters
    ----------
    withlabel : bool
        Whether examples are pairs of image and label, or images alone.
    scale : float
        Value of the brightest pixel; the darkest is 0.
    dtype : dtype, optional
        dtype of the images; by default ``chainer_fast.config.dtype``.
    label_dtype : dtype
        dtype of the labels, which are the digits themselves.
    add_extra : bool
        Whether to return the set of 531,131 easier images, too (a download of 1.3 GB).

    Returns
    -------
    train, test : TupleDataset or numpy.ndarray
        Images have the shape ``(3, 32, 32)``. Pairs of image and label, or arrays of
        images if ``withlabel`` is false. With ``add_extra``, the extra set follows as a
        third item.

    Raises
    ------
    urllib.error.URLError
        If the files cannot be downloaded.
    RuntimeError
        If SciPy, which is needed to read them, is not installed.

    Examples
    --------
    ::

        train, test = chainer.datasets.get_svhn()
        image, label = train[0]                         # of shape (3, 32, 32), and ()
    """
    folder = download.get_dataset_directory('pfnet/chainer/svhn')
    dtype = get_dtype(dtype)

    def part(name):
        raw = download.cache_or_load_file(
            os.path.join(folder, name + '.npz'), lambda path: _create(path, name),
            _pixels.load_npz)
        # In the files, images are along the last axis, and the digit 0 is class 10.
        pixels = numpy.ascontiguousarray(raw['x'].transpose(3, 2, 0, 1))
        images = _pixels.scaled(pixels, dtype, scale)
        if not withlabel:
            return images
        labels = raw['y'].reshape(-1).astype(label_dtype)
        labels[labels == 10] = 0
        return TupleDataset(images, labels)

    return tuple(part(name) for name in
                 (('train', 'test', 'extra') if add_extra else ('train', 'test')))


def _create(path, name):
    try:
        from scipy import io  # late, as it is slow to import and rarely needed
    except ImportError as e:
        raise RuntimeError(
            'reading the files of SVHN needs SciPy, which cannot be imported: %s' % (e,)
        ) from e

    matrices = io.loadmat(download._verified_download([_URL % name], _SHA256[name]))
    data = {'x': matrices['X'], 'y': matrices['y']}
    numpy.savez_compressed(path, **data)
    return data
