"""Checkpoints of jobs of many processes, in generations."""
from __future__ import annotations

import contextlib
import os
import secrets
import sys
import time
import warnings
from typing import Any

import numpy

from chainer_fast.mn.communicators._agreement import ranks_in_words
from chainer_fast.mn.communicators.communicator_base import CommunicatorBase
from chainer_fast.mn.extensions import _agreement
from chainer_fast.serializers import npz
from chainer_fast.training import extension
from chainer_fast.training.extension import Extension
from chainer_fast.training.extensions import _scratch, snapshot_writers
from chainer_fast.training.trainer import Trainer

# Entries of a file that identify the job that wrote it, and its number of processes;
# they are not part of the target.
_RUN, _PROCESSES = 'chainermn_run', 'chainermn_processes'


def create_multi_node_checkpointer(
        name: str, comm: CommunicatorBase, cp_interval: int = 5, gc_interval: int = 5,
        path: str | None = None) -> Extension:
    """Return an extension that saves the state of all processes, to resume a job.

    Each process writes its own file, ``NAME.RANK.ITERATION``. A file appears when it
    is complete and on the disk, so that a killed process never leaves a partial file.
    A job is resumed before ``trainer.run()`` by ::

        checkpointer.maybe_load(trainer, optimizer)

    which loads the newest generation that is undamaged on all processes and whose
    files were all written by the same job. If there is none, nothing is loaded. A
    warning lists the skipped generations. If the training ends without an error, the
    files are removed.

    Parameters
    ----------
    name : str
        Identifies the job.
    comm : CommunicatorBase
        The processes.
    cp_interval : int
        Number of generations to keep.
    gc_interval : int
        Number of additional generations before the oldest ones are removed.
    path : str, optional
        The folder; that of the trainer by default.

    Returns
    -------
    Extension
        The extension.

    Warns
    -----
    DeprecationWarning
        Use :func:`chainer_fast.mn.extensions.multi_node_snapshot`.
    """
    return _MultiNodeCheckpointer(name, comm, cp_interval, gc_interval, path)


def _other_number(written, now):
    """Return a warning that another number of processes wrote the files."""
    text = 'they were written by %d processes, but this job has %d' % (written, now)
    if written > now:
        lost = ranks_in_words(range(now, written))
        text += (
            ', so that the state of %s (data, random numbers, optimizer) is not '
            'used' % lost)
    return (
        '%s. To continue exactly, start %d processes, which may share machines '
        '(mpiexec -n %d --host a:2,b:1,...). To continue with another number, take '
        'multi_node_snapshot' % (text, written, written))


class _CheckpointStats:
    """Durations of writing."""

    def __init__(self) -> None:
        self.timings = []
        self.begin: float | None = None

    def start(self) -> None:
        self.begin = time.time()

    def end(self) -> None:
        if self.begin is not None:
            self.timings.append({'b': self.begin, 'd': time.time() - self.begin})
        self.begin = None

    def report(self) -> str:
        """Return a line with the mean, the shortest and the longest."""
        times = [timing['d'] for timing in self.timings]
        if not times:
            return 'No stats available'
        return 'Snapshot duration stats (sec): avg=%f, min=%f, max=%f' % (
            sum(times) / len(times), min(times), max(times))


class _MultiNodeCheckpointer(extension.Extension):
    """Extension that writes generations of files, and selects the one to load."""

    def __init__(
            self, name: str | None, comm: CommunicatorBase, cp_interval: int,
            gc_interval: int, path: str | None) -> None:
        warnings.warn(
            'Checkpointer is deprecated. Use chainermn.extensions.multi_node_snapshot '
            'instead.', DeprecationWarning, stacklevel=3)
        for key, value in ('cp_interval', cp_interval), ('gc_interval', gc_interval):
            if value <= 0:
                raise AssertionError('%s is %r, but must be 1 or more' % (key, value))
        self.name, self.comm = name, comm
        self.cp_interval, self.gc_interval = cp_interval, gc_interval
        self.path: Any = path
        self.files = []
        self.stats = _CheckpointStats()
        self._label = name      # the trainer changes the attribute ``name``
        self._run = comm.bcast_obj(secrets.token_hex(8))
        self._write = snapshot_writers.SimpleWriter()
        self._error_before = None

    def initialize(self, trainer: Trainer) -> None:
        self._find_path(trainer)
        self._error_before = sys.exc_info()[1]

    def __call__(self, trainer: Trainer) -> None:
        self.save(trainer, trainer.updater.iteration)

    def save(self, target: Any, iteration: int) -> None:
        """Write the file of this process, and remove old ones; all processes call it.

        Parameters
        ----------
        target : object
            Object with a method ``serialize``, such as the trainer.
        iteration : int
            Number of the generation.
        """
        self._find_path(target)
        self.stats.start()
        contents = npz.serialize(target)
        contents[_RUN] = numpy.array(self._run)
        contents[_PROCESSES] = numpy.array(self.comm.size)
        name = self._filename(iteration)
        self._write(name, self.path, contents)
        self.files = [file for file in self.files if file != name] + [name]
        self.stats.end()
        if len(self.files) > self.cp_interval + self.gc_interval:
            self._synchronize()     # now all processes have this generation
            del self.files[:-self.cp_interval]
            oldest = self._parse_filename(self.files[0])[2]
            self._remove(i for i in self._generations(self.path) if i < oldest)

    def maybe_load(
            self, trainer: Trainer, optimizer=None, path: str | None = None) -> None:
        """Load the newest undamaged generation; all processes call it.

        Parameters
        ----------
        trainer : object
            The trainer, with all its extensions, or the object passed to
            :meth:`save`.
        optimizer : optional
            A multi-node optimizer, whose first update then does not broadcast the
            parameters.
        path : str, optional
            The folder to load from; by default the folder to write to.
        """
        self._find_path(trainer)
        folder = self.path if path is None else path
        _scratch.remove_relics(folder)
        iteration, common = self._choose(folder)
        if iteration is None:
            return
        npz.load_npz(
            os.path.join(folder, self._filename(iteration)), trainer,
            ignore_names=[_RUN, _PROCESSES])
        if optimizer is not None:
            optimizer.needs_broadcast = False
            getattr(optimizer, '_skip_broadcast', lambda: None)()
        # Equal in all processes, since they remove old files together.
        self.files = self._filenames(common) if folder == self.path else []

    def finalize(self) -> None:
        """Remove the files, unless an exception is being raised."""
        error = sys.exc_info()[1]
        if error is not None and error is not self._error_before:
            return
        self._synchronize()     # no process can fail any more
        if self.path is not None:
            self._remove(self._generations(self.path))
        self.files = []

    def get_stats(self):
        """Return a line with the durations of writing."""
        return self.stats.report()

    def _find_path(self, target):
        if self.path is None:
            self.path = getattr(target, 'out', None)
        if self.path is None:
            raise TypeError(
                'the folder for checkpoints is unknown: %s has none; pass path to '
                'create_multi_node_checkpointer' % type(target).__name__)
        os.makedirs(self.path, exist_ok=True)

    def _filename(self, iteration):
        return '%s.%d.%d' % (self._label, self.comm.rank, iteration)

    def _filenames(self, iterations):
        return [self._filename(iteration) for iteration in iterations]

    def _parse_filename(self, filename):
        """Return name, rank and iteration; None for files of other programs."""
        parts = filename.rsplit('.', 2)
        if len(parts) == 3 and all(
                part.isascii() and part.isdigit() for part in parts[1:]):
            return parts[0], int(parts[1]), int(parts[2])
        return None

    def _parse_filenames(self, filenames):
        return [self._parse_filename(filename) for filename in filenames]

    def _remove(self, iterations):
        for file in self._filenames(iterations):
            with contextlib.suppress(FileNotFoundError):
                os.remove(os.path.join(self.path, file))

    def _synchronize(self):
        _agreement.exchange(self.comm, None)

    def _generations(self, folder, rank=None):
        """Return the iterations for which a rank has files in this folder."""
        rank = self.comm.rank if rank is None else rank
        return sorted(iteration for name, owner, iteration in self._all_files(folder)
                      if owner == rank)

    def _all_files(self, folder):
        names = []
        with contextlib.suppress(FileNotFoundError):
            names = os.listdir(folder)
        return [found for found in self._parse_filenames(names)
                if found is not None and found[0] == self._label]

    def _choose(self, folder):
        """Agree on the generation to load, or None, and on those before it."""
        owners = {rank for _, rank, _ in self._all_files(folder)}
        told = _agreement.exchange(self.comm, (self._generations(folder), owners))
        lists = [set(mine) for mine, _ in told]
        common = sorted(set.intersection(*lists))
        partial = sorted(set.union(*lists) - set(common))
        # Files of others may be on disks of machines that are no longer part of the
        # job.
        processes = 1 + max(set.union(*[owned for _, owned in told]), default=-1)
        reasons, found = [], None
        if partial:
            reasons.append('some processes lack iteration %s'
                           % ', '.join(map(str, partial)))
        while common and found is None:
            iteration = common.pop()
            problem, written_by = self._problem_of(folder, iteration)
            if problem is None:
                found, processes = iteration, max(processes, written_by)
            else:
                reasons.append(problem)
        if processes not in (0, self.comm.size):
            reasons.append(_other_number(processes, self.comm.size))
        if reasons and self.comm.rank == 0:
            what = 'none' if found is None else 'iteration %d' % found
            warnings.warn('of the checkpoints %s in %s, %s is loaded: %s' % (
                self._label, folder, what, '; '.join(reasons)),
                RuntimeWarning, stacklevel=4)
        return found, common if found is None else [*common, found]

    def _problem_of(self, folder, iteration):
        """Agree on the problem of a generation, and on the job that wrote it.

        Returns
        -------
        problem : str or None
            None if it is complete and undamaged.
        processes : int
            Number of processes of the job; 0 if unknown.
        """
        file, run, size = os.path.join(folder, self._filename(iteration)), None, 0
        damage = _agreement.damage_of(file)
        if damage is None:
            try:
                with numpy.load(file) as contents:
                    run = str(contents[_RUN]) if _RUN in contents else None
                    size = int(contents[_PROCESSES]) if _PROCESSES in contents else 0
            except FileNotFoundError:
                damage = _agreement.damage_of(file)
        told = _agreement.exchange(self.comm, (damage, run, size))
        for rank, (problem, *_) in enumerate(told):
            if problem is not None:
                return '%s.%d.%d is damaged: %s' % (
                    self._label, rank, iteration, problem), 0
        if len({one for _, one, _ in told}) > 1:
            return 'the files of iteration %d were not written by the same job' % (
                iteration), 0
        return None, size
