"""Loading pickles of Chainer 1 to 7 without trusting them."""
from __future__ import annotations

import os
import pickle
import struct
import typing as tp

from chainer_fast.serializers import _loading

# What a damaged pickle makes an unpickler raise.
_DAMAGE = (
    EOFError, LookupError, AttributeError, TypeError, ValueError, OverflowError,
    MemoryError, RecursionError, struct.error)


def load_pickle(
        file: str | os.PathLike[str] | tp.IO[tp.Any],
        allow: str | type | tp.Callable[...,
            tp.Any] | tp.Sequence[str | type | tp.Callable[..., tp.Any]] = (),
        encoding: str = 'latin1') -> tp.Any:
    """Load a pickle of Chainer 1 to 7, or of this package, without trusting it.

    Unpickling runs what the file wants to be run. This function makes objects of
    Chainer's classes, arrays of NumPy and CuPy, and Python's own containers and
    numbers, and brings their states to those of today; it refuses whatever else the
    file names, before that is imported. Python's ``pickle.load`` reads only pickles of
    the version in use, and trusts them.

    Parameters
    ----------
    file : str, path or file
        The pickle.
    allow : sequence of str, type or function
        What the file may name besides: full names such as ``'mymodule.MyModel'``, the
        classes and functions themselves, or ``'mypackage.*'`` for all classes and
        functions that are defined in a module or below a package. Do not name what does
        more than make an object.
    encoding : str
        How texts in pickles of Python 2 are decoded. Their arrays need ``'latin1'``.

    Returns
    -------
    object
        The object of the file. Where there is no GPU, arrays of CuPy are given as
        NumPy's, and links on a GPU are on the processor.

    Raises
    ------
    pickle.UnpicklingError
        If the file names something that is not admitted, or is damaged.

    Notes
    -----
    Methods of the objects do what they are made for when they are called: a trainer
    writes files where the file says. A file that announces more than it has is refused
    before room is made for it.

    Examples
    --------
    >>> import pickle
    >>> with open('model.pkl', 'wb') as file:
    ...     pickle.dump(L.Linear(3, 2), file)
    >>> chainer.serializers.load_pickle('model.pkl').W.shape
    (2, 3)

    A class of your own has to be named: ::

        model = chainer.serializers.load_pickle(
            'model.pkl', allow=('mymodule.MyModel',))
    """
    # Loaded with the first pickle, not with the package.
    from chainer_fast.serializers import _allowed
    allowed = _allowed.Allowed(allow)
    name = _loading.name_of(file)
    if hasattr(file, 'read'):
        return _load(file, name, allowed, encoding)
    with open(os.fspath(file), 'rb') as opened:
        return _load(opened, name, allowed, encoding)


def _load(file, name, allowed, encoding):
    from chainer_fast.serializers import _unpickler
    unpickler = _unpickler.Unpickler(file, name, allowed, encoding)
    try:
        return unpickler.load()
    except (pickle.UnpicklingError, *_DAMAGE) as error:
        # Errors of Python's own part do not name the file.
        if error is unpickler.error_of_user or (
                isinstance(error, pickle.UnpicklingError) and name in str(error)):
            raise
        raise pickle.UnpicklingError('%s is damaged, or no pickle: %s: %s' % (
            name, type(error).__name__, error)) from error
