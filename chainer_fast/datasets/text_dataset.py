"""Data set of the lines of text files."""
from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Sequence
from multiprocessing import util
from typing import Any

from chainer_fast.dataset import dataset_mixin


class TextDataset(dataset_mixin.DatasetMixin):
    r"""The lines of a text file, or the corresponding lines of several text files.

    The files are scanned once for the starts of lines. The lines are read when they are
    accessed, so that the text may exceed the memory. The object can be pickled (the
    files are reopened by their paths), used from several threads, and inherited by
    forked processes.

    Parameters
    ----------
    paths : str, path-like, or list of them
        One file: examples are strings, which end with ``'\n'`` as in the file. A list
        of ``n > 1`` files: examples are tuples of ``n`` strings, e.g. a sentence in
        several languages.
    encoding, errors, newline : str or list of str, optional
        As in :func:`open`; a list has one item per file.
    filter_func : callable, optional
        ``filter_func(line_1, ..., line_n)`` is called with each line (of all files) and
        returns whether to keep it. It is only called by the constructor.

    Raises
    ------
    ValueError
        If there are no paths, if a list of options and the paths have different
        lengths, or if the files have different numbers of lines.

    Examples
    --------
    >>> with open('lines.txt', 'w', encoding='utf-8') as file:
    ...     _ = file.write('one\n\nthree\n')
    >>> dataset = chainer.datasets.TextDataset(
    ...     'lines.txt', encoding='utf-8', filter_func=lambda line: line.strip())
    >>> len(dataset), dataset[1]
    (2, 'three\n')
    >>> dataset.close()
    """

    # The process that opened the files, if they were opened here.
    _pid: int | None = None

    def __init__(
            self, paths: str | Sequence[str],
            encoding: str | Sequence[str] | None = None,
            errors: str | Sequence[str] | None = None,
            newline: str | Sequence[str] | None = None,
            filter_func: Callable[..., Any] | None = None) -> None:
        def one_per_file(option):
            if option is None or isinstance(option, str):
                return [option] * len(paths)
            if len(option) != len(paths):
                raise ValueError(
                    'encoding, errors and newline: expected one string, or a list '
                    'with one for each of %d files, but got %r' % (len(paths), option))
            return option

        if isinstance(paths, (str, os.PathLike)):
            paths = [paths]
        elif not hasattr(paths, '__len__') or len(paths) == 0:
            raise (TypeError if paths else ValueError)(
                'a text data set needs a path, or a list of one or more, but got %r'
                % (paths,))
        self._paths = paths
        self._encoding = one_per_file(encoding)
        self._errors = one_per_file(errors)
        self._newline = one_per_file(newline)
        self._set_up()
        try:
            self._scan(filter_func)
        except BaseException:
            self.close()
            raise

    def _set_up(self):
        self._renew_lock()
        # A thread of the parent may hold the lock, which nothing would release here.
        util.register_after_fork(self, TextDataset._renew_lock)
        self._open()

    def _renew_lock(self):
        self._lock = threading.Lock()

    def _open(self):
        with contextlib.ExitStack() as opened:
            files = [
                opened.enter_context(
                    open(path, encoding=encoding, errors=errors, newline=newline))
                for path, encoding, errors, newline in zip(
                    self._paths, self._encoding, self._errors, self._newline,
                    strict=True)]
            opened.pop_all()  # all files were opened: keep them open
        self._fps = files
        self._pid = os.getpid()

    def _scan(self, filter_func):
        """Find the starts of the lines to keep."""
        bounds = [[file.tell()] for file in self._fps]
        kept = []
        count = 0
        while True:
            lines = [file.readline() for file in self._fps]
            if not all(lines):
                break
            for positions, file in zip(bounds, self._fps, strict=True):
                positions.append(file.tell())
            if filter_func is not None and filter_func(*lines):
                kept.append(count)
            count += 1
        if any(lines):
            short = self._paths[lines.index('')]
            raise ValueError(
                'number of lines in files does not match: %s has %d lines, others have '
                'more' % (short, count))
        self._bounds = tuple(bounds)
        self._lines = range(count) if filter_func is None else kept

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items()
                if name not in ('_fps', '_lock', '_pid')}

    def __setstate__(self, state: Any) -> None:
        self.__dict__.update(state)
        self._set_up()

    def __len__(self) -> int:
        """Return the number of lines kept."""
        return len(self._lines)

    def close(self) -> None:
        """Close the files; lines can no longer be read."""
        with contextlib.ExitStack() as stack:
            for file in self._fps:
                stack.callback(lambda file=file: file.close())  # type: ignore[misc]

    def get_example(self, idx: int) -> str | tuple[str, ...]:
        """Read a line.

        Parameters
        ----------
        idx : int
            Position among the kept lines; not negative.

        Returns
        -------
        str or tuple of str
            One string per file.

        Raises
        ------
        IndexError
            If there is no such line.
        ValueError
            If the files were closed.
        """
        if not 0 <= idx < len(self._lines):
            raise IndexError('index %s out of range of %d lines'
                             % (idx, len(self._lines)))
        line = self._lines[idx]
        with self._lock:
            if (self._pid not in (None, os.getpid())
                    and not any(f.closed for f in self._fps)):
                # The file positions are shared with the parent.
                self.close()
                self._open()
            for file, positions in zip(self._fps, self._bounds, strict=True):
                file.seek(positions[line])
            result = tuple([file.readline() for file in self._fps])
        return result[0] if len(result) == 1 else result
