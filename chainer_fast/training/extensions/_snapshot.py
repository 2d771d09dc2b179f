"""Extensions that save the state of the training, and find it again."""
import contextlib
import functools
import os
import re
import string
import warnings
import zipfile
import zlib

from chainer_fast.serializers import npz
from chainer_fast.training import extension
from chainer_fast.training.extensions import snapshot_writers


def snapshot_object(target, filename, savefun=None, *, condition=None, writer=None,
                    snapshot_on_error=False, n_retains=-1, autoload=False):
    """Make an extension that saves an object, e.g. the model.

    Parameters
    ----------
    target : object
        Anything with a method ``serialize``.
    filename : str or callable
        Name of the file in the folder of the trainer, formatted with the trainer:
        ``'model_{.updater.iteration}'``. A function makes the name of the trainer.
    savefun : callable, optional
        ``savefun(path, target)`` writes the file;
        :func:`chainer_fast.serializers.save_npz` by default.
    condition : callable, optional
        Called without arguments; where it returns false, nothing is saved.
    writer : callable, optional
        A :mod:`snapshot writer <chainer_fast.training.extensions.snapshot_writers>`,
        instead of ``savefun``.
    snapshot_on_error : bool
        Whether to save also if the training loop fails.
    n_retains : int
        How many files to keep, where it is positive; older ones are removed.
    autoload : bool
        Whether to load the latest file, if there is any, before the training begins.
        Damaged ones are passed over, with a warning.

    Returns
    -------
    Extension
        It is called once an epoch unless it is told otherwise, after all others.

    Raises
    ------
    TypeError
        If both ``savefun`` and ``writer`` are given.
    """
    return _Snapshot(target, condition, _make_writer(savefun, writer), filename,
                     snapshot_on_error, n_retains, autoload)


def snapshot(savefun=None, filename='snapshot_iter_{.updater.iteration}', *,
             target=None, condition=None, writer=None, snapshot_on_error=False,
             n_retains=-1, autoload=False):
    """Make an extension that saves the trainer, to resume the training from there.

    To resume, build the trainer in the same way and load the file with
    :func:`chainer_fast.serializers.load_npz`, or give ``autoload``. The training then
    goes on exactly as if there had been no interruption, except for sources of random
    numbers, which are not part of a snapshot.

    Parameters
    ----------
    savefun, filename, condition, writer, snapshot_on_error, n_retains, autoload :
        As in :func:`snapshot_object`.
    target : object, optional
        What to save instead of the trainer.

    Returns
    -------
    Extension
        It is called once an epoch unless it is told otherwise, after all others.

    Raises
    ------
    TypeError
        If both ``savefun`` and ``writer`` are given.
    """
    return _Snapshot(target, condition, _make_writer(savefun, writer), filename,
                     snapshot_on_error, n_retains, autoload)


def _make_writer(savefun, writer):
    if savefun is None:
        return writer
    if writer is not None:
        raise TypeError('savefun and writer arguments cannot be specified together: a '
                        'writer has its own savefun')
    return snapshot_writers.SimpleWriter(savefun=savefun)


def _always_true():
    return True


class _Snapshot(extension.Extension):
    """Extension that saves a target, the trainer if it is ``None``."""

    trigger = (1, 'epoch')
    priority = -100

    def __init__(self, target=None, condition=None, writer=None,
                 filename='snapshot_iter_{.updater.iteration}',
                 snapshot_on_error=False, n_retains=-1, autoload=False):
        self.filename, self._target = filename, target
        self.condition = condition or _always_true
        self.writer = snapshot_writers.SimpleWriter() if writer is None else writer
        self.n_retains, self.autoload = n_retains, autoload
        self._snapshot_on_error = snapshot_on_error

    def _target_of(self, trainer):
        return trainer if self._target is None else self._target

    def initialize(self, trainer):
        if callable(self.filename):
            return  # there is no telling which files are its
        if self.autoload:
            latest = _find_latest_whole_snapshot(self.filename, trainer.out)
            if latest is not None:
                npz.load_npz(
                    os.path.join(trainer.out, latest), self._target_of(trainer))
        if self.n_retains > 0 and hasattr(self.writer, '_add_cleanup_hook'):
            # The writer may send it to another process, which a closure could not do.
            self.writer._add_cleanup_hook(functools.partial(
                _remove_stale_snapshots, self.filename, trainer.out, self.n_retains))

    def __call__(self, trainer):
        if self.condition():
            self._make_snapshot(trainer)

    def on_error(self, trainer, exc, tb):
        if self._snapshot_on_error:
            self._make_snapshot(trainer)

    def _make_snapshot(self, trainer):
        # The contents are taken here, where the state stands still, so that a writer
        # may use another thread.
        contents = npz.serialize(self._target_of(trainer))
        make_name = self.filename if callable(self.filename) else self.filename.format
        self.writer(make_name(trainer), trainer.out, contents)

    def finalize(self):
        if hasattr(self.writer, 'finalize'):
            self.writer.finalize()


def _find_snapshot_files(fmt, path):
    """Find the files that a format string may have named.

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
    for name in os.listdir(path):
        file = os.path.join(path, name)
        if re.fullmatch(pattern, name, re.DOTALL) and os.path.isfile(file):
            with contextlib.suppress(FileNotFoundError):  # removed by now
                found.append((os.stat(file).st_mtime, name))
    return sorted(found)


def _find_latest_snapshot(fmt, path):
    """Return the name of the newest file of a format string, or ``None``."""
    found = _find_snapshot_files(fmt, path)
    return found[-1][1] if found else None


def _find_stale_snapshots(fmt, path, n_retains):
    """Return the names of all but the newest files, the oldest first."""
    found = _find_snapshot_files(fmt, path)
    return [name for _, name in found[:max(len(found) - n_retains, 0)]]


def _find_latest_whole_snapshot(fmt, path):
    """Return the name of the newest file that is not damaged, or ``None``.

    There is a warning of each one that is newer and damaged.
    """
    for _, name in reversed(_find_snapshot_files(fmt, path)):
        damage = _damage_of(os.path.join(path, name))
        if damage is None:
            return name
        warnings.warn('autoload passes over the snapshot %s in %s, which is damaged: %s'
                      % (name, path, damage), stacklevel=4)
    return None


def _damage_of(file):
    """Return what is wrong with an npz archive, or ``None``; read all of it."""
    try:
        with zipfile.ZipFile(file) as archive:
            damaged = archive.testzip()
    except (zipfile.BadZipFile, EOFError, zlib.error) as error:
        return '%s (%d bytes)' % (error, os.path.getsize(file))
    return None if damaged is None else 'wrong checksum of ' + damaged


def _remove_stale_snapshots(fmt, path, n_retains):
    for name in _find_stale_snapshots(fmt, path, n_retains):
        with contextlib.suppress(FileNotFoundError):
            os.remove(os.path.join(path, name))
