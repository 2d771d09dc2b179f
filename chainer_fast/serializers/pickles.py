"""Loading pickles of Chainer 1 to 7 without trusting them."""
from __future__ import annotations

import os
import pickle
import struct
from collections.abc import Callable, Sequence
from typing import IO, Any

from chainer_fast.serializers import _loading

# Errors that an unpickler raises for a damaged pickle.
_DAMAGE = (
    EOFError, LookupError, AttributeError, TypeError, ValueError, OverflowError,
    MemoryError, RecursionError, struct.error)


def load_pickle(
        file: str | os.PathLike[str] | IO[Any],
        allow: str | type | Callable[...,
            Any] | Sequence[str | type | Callable[..., Any]] = (),
        encoding: str = 'latin1') -> Any:
    """Load a pickle of Chainer 1 to 7, or of this package, without trusting it.

    Unpickling runs code that the file chooses. This function only makes objects of
    Chainer's classes, arrays of NumPy and CuPy, and Python's own containers and
    numbers, and converts their states to those of today; it rejects any other name in
    the file before importing it. Python's ``pickle.load`` can only read pickles of the
    version in use, and trusts them.

    Parameters
    ----------
    file : str, path or file
        The pickle.
    allow : sequence of str, type or function
        Further names that the file may contain: full names such as
        ``'mymodule.MyModel'``, the classes and functions themselves, or
        ``'mypackage.*'`` for all classes and functions that are defined in a module or
        below a package. Do not allow callables that do more than create an object.
    encoding : str
        Encoding of strings in pickles of Python 2. Their arrays need ``'latin1'``.

    Returns
    -------
    object
        The object of the file. Without a GPU, arrays of CuPy become arrays of
        NumPy, and links on a GPU are moved to the CPU.

    Raises
    ------
    pickle.UnpicklingError
        If the file contains a name that is not allowed, or is damaged.

    Notes
    -----
    Methods of the objects are not restricted: a trainer, for example, writes files to
    the folder that the pickle specifies. A file that announces more data than it
    contains is rejected before memory is allocated.

    Examples
    --------
    >>> import pickle
    >>> with open('model.pkl', 'wb') as file:
    ...     pickle.dump(L.Linear(3, 2), file)
    >>> chainer.serializers.load_pickle('model.pkl').W.shape
    (2, 3)

    Your own classes must be allowed by name: ::

        model = chainer.serializers.load_pickle(
            'model.pkl', allow=('mymodule.MyModel',))
    """
    # Loaded with the first pickle, not with the package.
    from chainer_fast.serializers import _allowed
    allowed = _allowed.Allowed(allow)
    name = _loading.name_of(file)
    if hasattr(file, 'read'):
        return _load(file, name, allowed, encoding)
    with _loading.open_to_read(file) as opened:
        return _load(opened, name, allowed, encoding)


def _load(file, name, allowed, encoding):
    from chainer_fast.serializers import _unpickler
    unpickler = _unpickler.Unpickler(file, name, allowed, encoding)
    try:
        return unpickler.load()
    except (pickle.UnpicklingError, *_DAMAGE) as error:
        # Errors of Python's unpickler do not name the file.
        if error is unpickler.error_of_user or (
                isinstance(error, pickle.UnpicklingError) and name in str(error)):
            raise
        raise pickle.UnpicklingError('%s is damaged, or not a pickle: %s: %s' % (
            name, type(error).__name__, error)) from error
