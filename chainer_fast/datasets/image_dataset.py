"""Data sets of image files, single or in zip archives."""
from __future__ import annotations

import bisect
import io
import os
import threading
import zipfile
from collections.abc import Sequence
from multiprocessing import util
from typing import Any

import numpy

from chainer_fast._help import installation, mistakes
from chainer_fast.backends.dtypes import get_dtype
from chainer_fast.dataset import dataset_mixin
from chainer_fast.types import DTypeSpec, NdArray

available: bool

try:
    from PIL import Image
    available = True
    _import_error = None
except ImportError as e:
    available = False
    _import_error = e


def _check_pillow_availability():
    if not available:
        raise ImportError(
            'reading images needs Pillow, which cannot be imported (%s); install it '
            'with %s' % (_import_error, installation.install('images')))


def _read_image_as_array(path, dtype):
    """Read an image file as an array of shape (H, W) or (H, W, C).

    Parameters
    ----------
    path : str or file
        The image.
    dtype : dtype or None
        dtype of the result; None keeps that of the image.
    """
    with Image.open(path) as image:
        return numpy.array(image, dtype)


def _postprocess_image(image):
    """Convert an image read by Pillow to the shape (C, H, W)."""
    if image.ndim == 2:
        return image[None]
    return image.transpose(2, 0, 1)


def _load(source, dtype):
    """Read an image from a path or a file, as an array of shape (C, H, W)."""
    return _postprocess_image(_read_image_as_array(source, dtype))


def _as_label(label, dtype):
    label = numpy.array(label)
    # Numbers out of the dtype's range wrap around, such as -1 for "ignore".
    try:
        return label if dtype is None else label.astype(dtype)
    except ValueError as error:
        raise ValueError(
            'a label must be a number, but is %r: replace the names of classes by '
            'numbers from 0 on' % (label.item() if label.ndim == 0 else label,)
        ) from error


def _read_lines(path):
    # As Chainer reads it; names of files usually have the encoding of the system.
    with open(path) as file:  # noqa: PLW1514
        return [line.strip() for line in file]


def _read_pairs(pairs):
    """Return pairs of file name and label, from a list or from a text file of them."""
    if not isinstance(pairs, (str, os.PathLike)):
        return pairs
    result = []
    for i, line in enumerate(_read_lines(pairs)):
        words = line.split()
        if len(words) != 2:
            raise ValueError(
                'invalid format at line %d in file %s: expected a path without blanks '
                'and an integer, got %r' % (i, pairs, line))
        result.append((words[0], int(words[1])))
    return result


class ImageDataset(dataset_mixin.DatasetMixin):
    """Images that are read from files when they are accessed.

    An example is an array of shape ``(channels, height, width)``; grey images have one
    channel. Values are those of the file (usually 0 to 255), without scaling.

    Parameters
    ----------
    paths : str, path-like, or list of str
        A text file with one path per line, or the paths.
    root : str
        Folder to which the paths are relative.
    dtype : dtype, optional
        dtype of the arrays; by default ``chainer_fast.config.dtype``.

    Raises
    ------
    ImportError
        If Pillow is not installed.

    Examples
    --------
    >>> from PIL import Image
    >>> Image.new('RGB', (6, 4)).save('black.png')
    >>> dataset = chainer.datasets.ImageDataset(['black.png'])
    >>> dataset[0].shape, dataset[0].dtype
    ((3, 4, 6), dtype('float32'))
    """

    def __init__(self, paths: Any, root: str = '.', dtype: DTypeSpec = None) -> None:
        _check_pillow_availability()
        self._root = root
        self._dtype = get_dtype(dtype)
        listed = isinstance(paths, (str, os.PathLike))
        self._paths = _read_lines(paths) if listed else paths

    def __len__(self) -> int:
        """Return the number of images."""
        return len(self._paths)

    def get_example(self, i: int) -> NdArray:
        """Read the ``i``-th image.

        Returns
        -------
        numpy.ndarray
            Image of shape ``(channels, height, width)``.
        """
        return _load(os.path.join(self._root, self._paths[i]), self._dtype)


class _LabeledImages(dataset_mixin.DatasetMixin):
    """Base class of pairs of image and label.

    A subclass defines ``_pairs``, a list of pairs of name and label, ``_label_dtype``,
    and ``_read(name)``.
    """

    _pairs: Any
    _label_dtype: DTypeSpec
    _read: Any

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self._pairs)

    def get_example(self, i: int) -> tuple[NdArray, NdArray]:
        """Read the ``i``-th image.

        Returns
        -------
        tuple of numpy.ndarray
            The image, ``(channels, height, width)``, and the label, ``()``.
        """
        name, label = self._pairs[i]
        return self._read(name), _as_label(label, self._label_dtype)


class LabeledImageDataset(_LabeledImages):
    """Pairs of an image, read from its file when it is accessed, and an integer label.

    Images are as in :class:`ImageDataset`; labels are arrays of shape ``()``.

    Parameters
    ----------
    pairs : str, path-like, or list of tuple
        A text file with a path and an integer in each line, separated by blanks, or
        pairs of path and label.
    root : str
        Folder to which the paths are relative.
    dtype : dtype, optional
        dtype of the images; by default ``chainer_fast.config.dtype``.
    label_dtype : dtype
        dtype of the labels.

    Raises
    ------
    ImportError
        If Pillow is not installed.
    ValueError
        If a line of the file is not a path and an integer.

    Examples
    --------
    >>> from PIL import Image
    >>> Image.new('L', (6, 4)).save('black.png')
    >>> dataset = chainer.datasets.LabeledImageDataset([('black.png', 7)])
    >>> image, label = dataset[0]
    >>> image.shape, int(label)
    ((1, 4, 6), 7)
    """

    def __init__(
            self, pairs: Any, root: str = '.', dtype: DTypeSpec = None,
            label_dtype: DTypeSpec = numpy.int32) -> None:
        _check_pillow_availability()
        self._pairs = _read_pairs(pairs)
        self._root = root
        self._dtype = get_dtype(dtype)
        self._label_dtype = label_dtype

    def _read(self, name):
        return _load(os.path.join(self._root, name), self._dtype)


class ZippedImageDataset(dataset_mixin.DatasetMixin):
    """The images in a zip archive, in the order of the archive.

    All files in the archive must be images. The object can be pickled, used from
    several threads, and inherited by forked processes.

    Parameters
    ----------
    zipfilename : str
        The archive.
    dtype : dtype, optional
        dtype of the arrays; by default ``chainer_fast.config.dtype``.

    Raises
    ------
    OSError
        If there is no such archive.

    Examples
    --------
    >>> import zipfile
    >>> from PIL import Image
    >>> Image.new('L', (6, 4)).save('black.png')
    >>> with zipfile.ZipFile('images.zip', 'w') as archive:
    ...     archive.write('black.png')
    >>> dataset = chainer.datasets.ZippedImageDataset('images.zip')
    >>> len(dataset), dataset[0].shape
    (1, (1, 4, 6))
    """

    def __init__(self, zipfilename: str, dtype: DTypeSpec = None) -> None:
        self._zipfilename = zipfilename
        self._dtype = get_dtype(dtype)
        self._set_up()
        self._paths = [info.filename for info in self._zf.infolist()
                       if not info.is_dir()]

    def _set_up(self):
        self._renew_lock()
        # A thread of the parent may hold the lock, which nothing would release here.
        util.register_after_fork(self, ZippedImageDataset._renew_lock)
        self._open()

    def _renew_lock(self):
        self._lock = threading.Lock()

    def _open(self):
        try:
            self._zf = zipfile.ZipFile(self._zipfilename)
        except AttributeError:
            mistakes.require(self._zipfilename, 'seek', (
                'the archive must be a path or a binary file'))
            raise
        self._zf_pid = os.getpid()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, '_zf': None, '_lock': None}

    def __setstate__(self, state: Any) -> None:
        self.__dict__.update(state)
        self._set_up()

    def __len__(self) -> int:
        """Return the number of files in the archive."""
        return len(self._paths)

    def get_example(self, i_or_filename: int) -> NdArray:
        """Read an image.

        Parameters
        ----------
        i_or_filename : int or str
            Its position, or its name inside the archive.

        Returns
        -------
        numpy.ndarray
            Image of shape ``(channels, height, width)``.

        Raises
        ------
        ImportError
            If Pillow is not installed.
        KeyError
            If no file has this name.
        """
        _check_pillow_availability()
        name = i_or_filename
        if not isinstance(name, str):
            name = self._paths[name]
        with self._lock:
            if self._zf_pid != os.getpid():
                # The file position is shared with the parent.
                self._open()
            data = self._zf.read(name)
        return _load(io.BytesIO(data), self._dtype)


class MultiZippedImageDataset(dataset_mixin.DatasetMixin):
    """The images of several zip archives, one archive after the other.

    Parameters
    ----------
    zipfilenames : list of str
        The archives; see :class:`ZippedImageDataset`.
    dtype : dtype, optional
        dtype of the arrays; by default ``chainer_fast.config.dtype``.

    Raises
    ------
    OSError
        If one of the archives does not exist.

    Examples
    --------
    ::

        dataset = chainer.datasets.MultiZippedImageDataset(['a.zip', 'b.zip'])
        image = dataset[0]
    """

    def __init__(self, zipfilenames: Sequence[str], dtype: DTypeSpec = None) -> None:
        self._zfs = [ZippedImageDataset(name, dtype) for name in zipfilenames]
        self._zpaths_accumlens = [0]
        for archive in self._zfs:
            self._zpaths_accumlens.append(self._zpaths_accumlens[-1] + len(archive))

    def __len__(self) -> int:
        """Return the number of images in all archives."""
        return self._zpaths_accumlens[-1]

    def get_example(self, i: int) -> NdArray:
        """Read the ``i``-th image.

        Returns
        -------
        numpy.ndarray
            Image of shape ``(channels, height, width)``.
        """
        if not 0 <= i < len(self):
            raise IndexError('index %s out of range of %d images' % (i, len(self)))
        which = bisect.bisect_right(self._zpaths_accumlens, i) - 1
        return self._zfs[which].get_example(i - self._zpaths_accumlens[which])


class LabeledZippedImageDataset(_LabeledImages):
    """Pairs of an image in a zip archive and an integer label.

    Parameters
    ----------
    zipfilename : str
        The archive; see :class:`ZippedImageDataset`.
    labelfilename : str
        Text file with a name inside the archive and an integer in each line, separated
        by blanks. It determines the images and their order.
    dtype : dtype, optional
        dtype of the images; by default ``chainer_fast.config.dtype``.
    label_dtype : dtype
        dtype of the labels.

    Raises
    ------
    ImportError
        If Pillow is not installed.
    ValueError
        If a line of the file is not a name and an integer.

    Examples
    --------
    With a file ``labels.txt`` of lines such as ``cats/1.png 0``: ::

        dataset = chainer.datasets.LabeledZippedImageDataset('images.zip', 'labels.txt')
        image, label = dataset[0]
    """

    def __init__(
            self, zipfilename: str, labelfilename: str, dtype: DTypeSpec = None,
            label_dtype: DTypeSpec = numpy.int32) -> None:
        _check_pillow_availability()
        self._pairs = _read_pairs(labelfilename)
        self._label_dtype = label_dtype
        self._zipfile = ZippedImageDataset(zipfilename, dtype)

    def _read(self, name):
        return self._zipfile.get_example(name)
