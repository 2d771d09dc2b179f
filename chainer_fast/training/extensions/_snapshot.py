"""Extensions that save the state of the training and load it again."""
from __future__ import annotations

import contextlib
import functools
import os
import re
import string
import warnings
import zipfile
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any

from chainer_fast import configuration
from chainer_fast._help import mistakes
from chainer_fast.serializers import hdf5, npz
from chainer_fast.training import extension
from chainer_fast.training.extensions import _names, _scratch, snapshot_writers
from chainer_fast.utils import argument

if TYPE_CHECKING:
    from chainer_fast.training.extension import Extension
    from chainer_fast.training.trainer import Trainer

_HDF5_SIGNATURE = b'\x89HDF\r\n\x1a\n'


def snapshot_object(
        target: Any, filename: str | Callable[[Any], str],
        savefun: Callable[..., Any] | None = None, *,
        condition: Callable[[], bool] | None = None,
        writer: Callable[..., Any] | None = None, snapshot_on_error: bool = False,
        n_retains: int = -1, autoload: bool = False, **kwargs: Any) -> Extension:
    """Make an extension that saves an object, e.g. the model.

    Parameters
    ----------
    target : object
        An object with a method ``serialize``.
    filename : str or callable
        Name of the file in the folder of the trainer, formatted with the trainer:
        ``'model_{.updater.iteration}'``; or a function that returns the name for the
        trainer.
    savefun : callable, optional
        ``savefun(path, target)`` writes the file;
        :func:`chainer_fast.serializers.save_npz` by default.
    condition : callable, optional
        Called without arguments; if it returns false, nothing is saved.
    writer : callable, optional
        A :mod:`snapshot writer <chainer_fast.training.extensions.snapshot_writers>`,
        instead of ``savefun``.
    snapshot_on_error : bool
        Whether to save also if the training loop fails.
    n_retains : int
        Number of files to keep, if positive; older ones are removed.
    autoload : bool
        Whether to load the latest file, if there is any, before the training begins.
        Damaged files are skipped with a warning. Files of
        :func:`chainer_fast.serializers.save_npz` and ``save_hdf5`` can be loaded.
    **kwargs
        ``num_retain`` is the old name of ``n_retains``.

    Returns
    -------
    Extension
        The extension. By default it is called once an epoch, after all others.

    Raises
    ------
    TypeError
        If both ``savefun`` and ``writer`` are given.

    Examples
    --------
    ::

        trainer.extend(
            extensions.snapshot_object(model, 'model_{.updater.epoch}.npz'),
            trigger=(10, 'epoch'))
    """
    n_retains = _retained(kwargs, n_retains)
    argument.assert_kwargs_empty(kwargs)
    return _Snapshot(target, condition, _make_writer(savefun, writer), filename,
                     snapshot_on_error, n_retains, autoload)


def snapshot(
        savefun: Callable[..., Any] | None = None,
        filename: str | Callable[[Any],
            str] = 'snapshot_iter_{.updater.iteration}',
        *, target: Any = None, condition: Callable[[], bool] | None = None,
        writer: Callable[..., Any] | None = None, snapshot_on_error: bool = False,
        n_retains: int = -1, autoload: bool = False, **kwargs: Any) -> Extension:
    """Make an extension that saves the trainer, to resume the training from there.

    To resume, build the trainer in the same way and load the file with
    :func:`chainer_fast.serializers.load_npz`, or give ``autoload``. The training then
    continues as if it had not been interrupted, to the last bit: the random states of
    ``numpy.random``, of Python's ``random`` and of order samplers are part of a
    snapshot.

    It does not contain the following, which the program must restore: random states of
    GPUs and of worker processes; hyperparameters that no extension has set; values in
    links other than parameters and persistent values, such as the state of a recurrent
    layer; a dynamic loss scale; the float32 copies of ``use_fp32_update``; the effect
    of extensions of lower priority in the same iteration. Data sets that draw random
    numbers in threads are never reproducible. If several processes load the same
    snapshot but should differ, seed the generators after loading.

    Parameters
    ----------
    savefun, filename, condition, writer, snapshot_on_error, n_retains, autoload :
        As in :func:`snapshot_object`.
    target : object, optional
        Object to save instead of the trainer.
    **kwargs
        As in :func:`snapshot_object`.

    Returns
    -------
    Extension
        The extension. By default it is called once an epoch, after all others.

    Raises
    ------
    TypeError
        If both ``savefun`` and ``writer`` are given.

    Examples
    --------
    The training continues where it stopped when the program is started again: ::

        trainer.extend(
            extensions.snapshot(n_retains=2, autoload=True), trigger=(1, 'epoch'))
    """
    n_retains = _retained(kwargs, n_retains)
    argument.assert_kwargs_empty(kwargs)
    return _Snapshot(target, condition, _make_writer(savefun, writer), filename,
                     snapshot_on_error, n_retains, autoload)


def _retained(kwargs, n_retains):
    return argument.take_renamed(kwargs, 'num_retain', 'n_retains', n_retains)


def _make_writer(
        savefun: Callable[..., Any] | None,
        writer: Callable[..., Any] | None):
    for name, value in ('savefun', savefun), ('writer', writer):
        if value is not None and not callable(value):
            raise TypeError(
                '%s must be a callable or None, but is %r; a file name is the argument '
                'filename, and a trigger an argument of extend(): '
                "trainer.extend(extensions.snapshot(), trigger=(1, 'epoch'))"
                % (name, value))
    if savefun is None:
        return writer
    if writer is not None:
        raise TypeError('savefun and writer arguments cannot be specified together: a '
                        'writer has its own savefun')
    return snapshot_writers.SimpleWriter(savefun=savefun)


def _always_true() -> bool:
    return True


class _Snapshot(extension.Extension):
    """Extension that saves a target, which is the trainer if it is ``None``."""

    trigger = (1, 'epoch')
    priority = -100

    # Names of files written by this process, including those of other extensions.
    _written = set()
    # The files that existed at the beginning; None if no files will be removed.
    _known = None

    def __init__(
            self, target: Any = None, condition: Callable[[], bool] | None = None,
            writer: Callable[..., Any] | None = None,
            filename: str | Callable[[Any],
                str] = 'snapshot_iter_{.updater.iteration}',
            snapshot_on_error: bool = False, n_retains: int = -1,
            autoload: bool = False, **kwargs: Any) -> None:
        n_retains = _retained(kwargs, n_retains)
        argument.assert_kwargs_empty(kwargs)
        self.filename: Any = filename
        self._target = target
        self.condition = condition or _always_true
        self.writer = snapshot_writers.SimpleWriter() if writer is None else writer
        mistakes.require_number(n_retains, 'n_retains', 'int')
        self.n_retains, self.autoload = n_retains, autoload
        self._snapshot_on_error = snapshot_on_error

    def _target_of(self, trainer: Trainer):
        return trainer if self._target is None else self._target

    @property
    def _saves_trainer(self) -> bool:
        """Whether it saves the trainer; other extensions lack this property."""
        return self._target is None

    def initialize(self, trainer: Trainer) -> None:
        _scratch.remove_relics(trainer.out)
        if callable(self.filename):
            return  # its files cannot be recognized
        if self.autoload:
            _load_latest(self.filename, trainer.out, self._target_of(trainer))
        if self.n_retains > 0 and hasattr(self.writer, '_add_cleanup_hook'):
            self._known = self._files(trainer)
            # The writer may send it to another process; a closure cannot be sent.
            self.writer._add_cleanup_hook(functools.partial(
                _remove_stale_snapshots, self.filename, trainer.out, self.n_retains))

    def _files(self, trainer: Trainer):
        return {os.path.join(trainer.out, name)
                for _, name in _find_snapshot_files(self.filename, trainer.out)}

    def _warn_of_strangers(self, trainer: Trainer) -> None:
        """Warn, once, that files of another training will be removed.  """
        strangers = self._files(trainer) - self._known - self._written
        if strangers:
            self._known = None
            warnings.warn(
                'the snapshot %s was not written by this training. If two trainings '
                'share the folder, each removes the files of the other, as '
                'n_retains=%s; use different folders or file names'
                % (min(strangers), self.n_retains), RuntimeWarning, stacklevel=4)

    def __call__(self, trainer: Trainer) -> None:
        if self.condition():
            self._make_snapshot(trainer)

    def on_error(self, trainer: Trainer, exc: Exception, tb: TracebackType) -> None:
        if self._snapshot_on_error:
            self._make_snapshot(trainer)

    def _make_snapshot(self, trainer: Trainer) -> None:
        # The contents are collected here, while the state does not change, so that a
        # writer may use another thread.
        contents = npz.serialize(self._target_of(trainer))
        name = _names.formatted(self.filename, trainer)
        if self._known is not None:
            self._warn_of_strangers(trainer)
        self._written.add(os.path.join(trainer.out, name))
        self.writer(name, trainer.out, contents)

    def finalize(self) -> None:
        if hasattr(self.writer, 'finalize'):
            self.writer.finalize()


def _find_snapshot_files(fmt: str, path: str) -> list[tuple[Any, ...]]:
    """Find the files whose names match a format string.

    Parameters
    ----------
    fmt : str
        The format string; each field matches anything.
    path : str
        The folder.

    Returns
    -------
    list of tuple
        Modification time and name, the oldest file first.
    """
    pattern = ''.join(
        [re.escape(literal) + ('' if field is None else '.*')
         for literal, field, _, _ in string.Formatter().parse(fmt)])
    found = []
    with contextlib.suppress(FileNotFoundError, NotADirectoryError), os.scandir(
            path or os.curdir) as entries:
        for entry in entries:
            if re.fullmatch(pattern, entry.name, re.DOTALL) and entry.is_file():
                with contextlib.suppress(FileNotFoundError):  # removed by now
                    status = entry.stat()
                    found.append((status.st_mtime_ns, entry.name, status.st_mtime))
    # Seconds are too coarse to sort by.
    return [(seconds, name) for _, name, seconds in sorted(found)]


def _find_latest_snapshot(fmt, path):
    """Return the name of the newest file matching a format string, or ``None``."""
    found = _find_snapshot_files(fmt, path)
    return found[-1][1] if found else None


def _find_stale_snapshots(fmt, path, n_retains: int):
    """Return the names of all but the newest files, the oldest first."""
    found = _find_snapshot_files(fmt, path)
    return [name for _, name in found[:max(len(found) - n_retains, 0)]]


def _load_latest(fmt, path, target: Any) -> None:
    """Load the newest undamaged file, with warnings for those skipped."""
    passed_over = 0
    for _, name in reversed(_find_snapshot_files(fmt, path)):
        file = os.path.join(path, name)
        try:
            damage = _damage_of(file)
            if damage is None:
                _loader_of(file)(file, target)
                _print_in_debug_mode('autoload: continuing from %s' % file)
                return
        except FileNotFoundError:
            continue    # another program has removed it
        except zipfile.BadZipFile as error:
            damage = str(error)
        passed_over += 1
        warnings.warn('autoload skips the snapshot %s in %s, which is damaged: %s'
                      % (name, path, damage), stacklevel=4)
    if passed_over:
        warnings.warn('all %s snapshots in %s are damaged; starting from the '
                      'beginning' % (passed_over, path), stacklevel=4)
    else:
        _print_in_debug_mode('autoload: %s contains no snapshot named %s' % (path, fmt))


def _print_in_debug_mode(text: str) -> None:
    if configuration.config.debug:
        print(text)


def _loader_of(file):
    return hdf5.load_hdf5 if _is_hdf5(file) else npz.load_npz


def _is_hdf5(file) -> bool:
    with open(file, 'rb') as opened:
        return opened.read(len(_HDF5_SIGNATURE)) == _HDF5_SIGNATURE


def _damage_of(file) -> str | None:
    """Read a whole file; return a description of its damage, or ``None``."""
    size, read = os.path.getsize(file), _read_npz
    if _is_hdf5(file):
        hdf5._check_available()
        read = _read_hdf5
    try:
        read(file)
    except (FileNotFoundError, PermissionError, MemoryError):
        raise
    except Exception as error:  # damaged files raise errors of any type
        return '%s (%d bytes)' % (str(error) or type(error).__name__, size)
    return None


def _read_npz(file) -> None:
    with zipfile.ZipFile(file) as archive:
        for info in archive.infolist():
            with archive.open(info) as member:  # which verifies the checksum
                size = sum(map(len, iter(lambda: member.read(1 << 20), b'')))
            if size != info.file_size:
                raise zipfile.BadZipFile('%s has %s bytes instead of %s'
                                         % (info.filename, size, info.file_size))


def _read_hdf5(file) -> None:
    def read(_, item):
        if hasattr(item, 'shape'):
            _ = item[()]

    with hdf5._check_available().File(file, 'r') as opened:
        opened.visititems(read)


def _remove_stale_snapshots(fmt, path, n_retains: int) -> None:
    for name in _find_stale_snapshots(fmt, path, n_retains):
        with contextlib.suppress(FileNotFoundError):
            os.remove(os.path.join(path, name))
