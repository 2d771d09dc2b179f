"""Data set of objects pickled into one file."""
from __future__ import annotations

import pickle
import threading
from multiprocessing import util
from typing import IO, Any

from chainer_fast._help import mistakes
from chainer_fast.dataset import dataset_mixin


class PickleDataset(dataset_mixin.DatasetMixin):
    """The objects in a file written by :class:`PickleDatasetWriter`.

    The file is read once to find where each object begins; the objects are unpickled
    when they are accessed, so that the file may exceed the memory. Unpickling can run
    any code: only open files that you trust.

    The data set is a context manager that closes the file.

    Parameters
    ----------
    reader : binary file
        A readable and seekable file. If it has a method ``after_fork()``, that method
        is called in each process forked by :mod:`multiprocessing`, to make the reader
        independent of the parent's.

    Raises
    ------
    ValueError
        If the reader is not seekable.

    See Also
    --------
    chainer_fast.datasets.open_pickle_dataset

    Examples
    --------
    >>> import io
    >>> file = io.BytesIO()
    >>> writer = chainer.datasets.PickleDatasetWriter(file)
    >>> writer.write('one')
    >>> writer.write([2, 2])
    >>> dataset = chainer.datasets.PickleDataset(file)
    >>> len(dataset), dataset[1]
    (2, [2, 2])
    """

    def __init__(self, reader: Any) -> None:
        if hasattr(reader, 'seekable') and not reader.seekable():
            raise ValueError('a data set needs a seekable file, but %r can only be '
                             'read once' % (reader,))
        mistakes.require(reader, 'seek', (
            'the reader of a PickleDataset must be a binary file that was opened for '
            'reading; open_pickle_dataset(path) opens one'))
        self._reader = reader
        self._positions = []
        self._set_up()
        reader.seek(0)
        while True:
            position = reader.tell()
            try:
                pickle.load(reader)
            except EOFError:
                break
            self._positions.append(position)

    def _set_up(self):
        self._lock = threading.RLock()
        util.register_after_fork(self, PickleDataset._after_fork)

    def _after_fork(self):
        # A thread of the parent may hold the lock, which nothing would release here.
        self._lock = threading.RLock()
        if callable(getattr(self._reader, 'after_fork', None)):
            self._reader.after_fork()

    def __getstate__(self) -> dict[str, Any]:
        return {'_reader': self._reader, '_positions': self._positions}

    def __setstate__(self, state: Any) -> None:
        self.__dict__.update(state)
        self._set_up()

    def __enter__(self) -> PickleDataset:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __len__(self) -> int:
        """Return the number of objects."""
        return len(self._positions)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._reader.close()

    def get_example(self, index: int) -> Any:
        """Unpickle an object.

        Parameters
        ----------
        index : int
            Position of the object.

        Returns
        -------
        object
            The object, a new one in each call.
        """
        with self._lock:
            self._reader.seek(self._positions[index])
            return pickle.load(self._reader)


class PickleDatasetWriter:
    """Writes objects to a file that :class:`PickleDataset` can read.

    The writer is a context manager that closes the file.

    Parameters
    ----------
    writer : binary file
        Where to write.
    protocol : int
        Protocol of :mod:`pickle`.

    See Also
    --------
    chainer_fast.datasets.open_pickle_dataset_writer

    Examples
    --------
    See :class:`PickleDataset`.
    """

    def __init__(
            self, writer: IO[bytes],
            protocol: int = pickle.HIGHEST_PROTOCOL) -> None:
        self._writer = writer
        self._protocol = protocol

    def __enter__(self) -> PickleDatasetWriter:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._writer.close()

    def flush(self) -> None:
        """Pass everything written so far to the operating system."""
        self._writer.flush()

    def write(self, x: Any) -> None:
        """Append an object.

        Parameters
        ----------
        x : object
            Any object that can be pickled. If pickling fails, the file is not changed.
        """
        self._writer.write(pickle.dumps(x, self._protocol))


class _FileReader:
    """File that each process and each copy opens separately by its path."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._open()

    def _open(self):
        self._file = open(self._path, 'rb')  # noqa: SIM115

    def __del__(self) -> None:
        if '_file' in self.__dict__:
            self._file.close()

    def after_fork(self) -> None:
        self._file.close()
        self._open()

    def __getstate__(self) -> dict[str, Any]:
        return {'_path': self._path}

    def __setstate__(self, state: Any) -> None:
        self.__init__(state['_path'])  # type: ignore[misc]

    def read(self, size: int = -1):
        return self._file.read(size)

    def readinto(self, buffer):
        return self._file.readinto(buffer)

    def readline(self):
        return self._file.readline()

    def peek(self, size: int = 0):
        return self._file.peek(size)

    def seek(self, position):
        return self._file.seek(position)

    def tell(self):
        return self._file.tell()

    def close(self) -> None:
        self._file.close()


def open_pickle_dataset(path: str) -> PickleDataset:
    """Open a file of pickled objects as a data set.

    Parameters
    ----------
    path : str
        File written by :func:`open_pickle_dataset_writer`.

    Returns
    -------
    PickleDataset
        The data set. Close it, or use it in a ``with`` statement. It can be pickled and
        used in several processes.

    Raises
    ------
    OSError
        If the file cannot be read.

    Examples
    --------
    See :func:`open_pickle_dataset_writer`.
    """
    reader = _FileReader(path)
    try:
        return PickleDataset(reader)
    except BaseException:
        reader.close()
        raise


def open_pickle_dataset_writer(
        path: str, protocol: int = pickle.HIGHEST_PROTOCOL) -> PickleDatasetWriter:
    """Create a file of pickled objects.

    Parameters
    ----------
    path : str
        The file; an existing one is replaced.
    protocol : int
        Protocol of :mod:`pickle`.

    Returns
    -------
    PickleDatasetWriter
        The writer. Close it, or use it in a ``with`` statement.

    Raises
    ------
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> with chainer.datasets.open_pickle_dataset_writer('data.pkl') as writer:
    ...     for number in range(3):
    ...         writer.write({'number': number})
    >>> with chainer.datasets.open_pickle_dataset('data.pkl') as dataset:
    ...     len(dataset), dataset[2]
    (3, {'number': 2})
    """
    return PickleDatasetWriter(open(path, 'wb'), protocol)
