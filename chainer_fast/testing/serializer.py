"""Round trips of objects through files."""
from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from chainer_fast import serializers, utils


def save_and_load_hdf5(src: Any, dst: Any) -> None:
    """Save an object as HDF5, and load another object from the file.

    Parameters
    ----------
    src, dst : object
        Object to save, and object to load into.
    """
    save_and_load(
        src, dst, 'saved.h5', serializers.save_hdf5, serializers.load_hdf5)


def save_and_load_npz(src: Any, dst: Any) -> None:
    """Save an object as NPZ, and load another object from the file.

    Parameters
    ----------
    src, dst : object
        Object to save, and object to load into.

    Examples
    --------
    >>> from chainer_fast import testing
    >>> source, target = L.Linear(3, 2), L.Linear(3, 2)
    >>> testing.save_and_load_npz(source, target)
    >>> np.array_equal(source.W.array, target.W.array)
    True
    """
    save_and_load(
        src, dst, 'saved.npz', serializers.save_npz, serializers.load_npz)


def save_and_load(
        src: Any, dst: Any, filename: str, saver: Callable[..., Any],
        loader: Callable[..., Any]) -> None:
    """Save an object to a file, and load another object from it.

    The file is in a temporary directory, which is removed.

    Parameters
    ----------
    src : object
        Object to save.
    dst : object
        Object to load into.
    filename : str
        Base name of the file.
    saver : callable
        Called as ``saver(path, src)``.
    loader : callable
        Called as ``loader(path, dst)``.
    """
    with utils.tempdir() as directory:
        path = os.path.join(directory, filename)
        saver(path, src)
        loader(path, dst)
