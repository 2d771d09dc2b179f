"""Snapshots of the trainers of many processes, one for each set of equal trainers."""
from __future__ import annotations

import os
import tempfile
import warnings
from typing import TYPE_CHECKING, Any

from chainer_fast.mn.extensions import _agreement
from chainer_fast.training import extension
from chainer_fast.training.extension import Extension
from chainer_fast.training.extensions import _snapshot
from chainer_fast.utils import _random_state

if TYPE_CHECKING:
    from chainer_fast.mn.communicators.communicator_base import CommunicatorBase


def multi_node_snapshot(
        comm: CommunicatorBase, snapshot: Extension,
        replica_sets: list[Any]) -> Extension:
    """Return an extension that saves one snapshot for each set of equal trainers.

    Trainers often differ between processes, because only that of rank 0 has extensions
    that report, so that their snapshots differ, too. In each set, the process with the
    lowest rank saves to the snapshot's file name with its rank appended::

        snapshot = chainer.training.extensions.snapshot(autoload=True)
        trainer.extend(chainermn.extensions.multi_node_snapshot(comm, snapshot, [0]),
                       trigger=(1, 'epoch'))

    With ``autoload``, the newest snapshot of which all sets have an undamaged file is
    loaded, and sent to the other processes of its set, which keep their global random
    states. Therefore a job can be resumed with another number of processes if the
    number of sets is the same.

    Parameters
    ----------
    comm : CommunicatorBase
        The processes.
    snapshot : Extension
        As made by :func:`chainer_fast.training.extensions.snapshot`. The rank is
        appended to the file name.
    replica_sets : list
        Ranks, and iterables of ranks, of processes with equal trainers. Processes that
        are not listed form another set: ``[0]`` means ``[[0], range(1, comm.size)]``,
        and ``[]`` one set of all processes.

    Returns
    -------
    Extension
        The extension.

    Raises
    ------
    AssertionError
        If a rank is in two sets, or does not exist.
    """
    return _MultiNodeSnapshot(comm, snapshot, replica_sets)


def _parse_replica_sets(replica_sets, size):
    """Return the sets of ranks; the last one has the ranks that are not listed."""
    sets = [set(ranks) if hasattr(ranks, '__iter__') else {ranks}
            for ranks in replica_sets]
    seen = set()
    for ranks in sets:
        wrong = [rank for rank in ranks if not 0 <= rank < size]
        if wrong:
            raise AssertionError('rank %s does not exist among %s processes; replica '
                                 'sets need ranks from 0 to '
                                 '%d' % (wrong[0], size, size - 1))
        if seen & ranks:
            raise AssertionError('rank %d is in two replica sets; name each rank once'
                                 % min(seen & ranks))
        seen |= ranks
    rest = set(range(size)) - seen
    return [*sets, rest] if rest else sets


def _appended(filename, rank):
    if callable(filename):
        return lambda trainer: '%s.%d' % (filename(trainer), rank)
    return '%s.%d' % (filename, rank)


class _MultiNodeSnapshot(extension.Extension):
    """Extension in which one process of each replica set saves and loads."""

    def __init__(self, comm, snapshot, replica_sets):
        self.comm = comm
        self.snapshot = snapshot
        self._sets = [
            ranks for ranks in _parse_replica_sets(replica_sets, comm.size) if ranks]
        self.replica_set = next(ranks for ranks in self._sets if comm.rank in ranks)
        self.master = min(self.replica_set)
        snapshot.filename = _appended(snapshot.filename, comm.rank)

    @property
    def is_master(self):
        """Whether this process saves."""
        return self.master == self.comm.rank

    @property
    def _saves_trainer(self):
        return getattr(self.snapshot, '_saves_trainer', False)

    def initialize(self, trainer):
        snapshot = self.snapshot
        # A single process might load a snapshot that the others do not have.
        autoload, snapshot.autoload = getattr(snapshot, 'autoload', False), False
        try:
            if self.is_master:
                snapshot.initialize(trainer)
        finally:
            snapshot.autoload = autoload
        # No process writes while others still remove leftovers of killed programs.
        _agreement.exchange(self.comm, None)
        if autoload and not callable(snapshot.filename):
            self._load(trainer)

    def on_error(self, trainer, exc, tb):
        if self.is_master:
            self.snapshot.on_error(trainer, exc, tb)

    def __call__(self, trainer):
        if self.is_master:
            self.snapshot(trainer)

    def finalize(self):
        if self.is_master:
            self.snapshot.finalize()

    def _load(self, trainer):
        """Load the newest snapshot of all sets, and send it to the replicas."""
        name = self._choose(trainer.out)
        if name is None:
            return
        team = self.comm.split(self._sets.index(self.replica_set), self.comm.rank)
        target = self.snapshot._target_of(trainer)
        file = os.path.join(trainer.out, '%s.%d' % (name, self.comm.rank))
        contents = None
        if self.is_master and team.size > 1:
            with open(file, 'rb') as opened:
                contents = opened.read()
        contents = team.bcast_obj(contents)
        if self.is_master:
            _snapshot._loader_of(file)(file, target)
            return
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, 'snapshot')
            with open(file, 'wb') as opened:
                opened.write(contents)
            # With a common stream, all processes would draw the same samples and masks.
            with _random_state.unchanged_global():
                _snapshot._loader_of(file)(file, target)

    def _choose(self, folder):
        """Agree on the name, without rank, of the snapshot to load; None if none."""
        mine = None
        if self.is_master:
            end = len('.%d' % self.comm.rank)
            mine = [name[:-end] for _, name in _snapshot._find_snapshot_files(
                self.snapshot.filename, folder)]
        lists = [names for names in _agreement.exchange(self.comm, mine)
                 if names is not None]
        common = [name for name in lists[0] if all(name in names for names in lists)]
        found, reasons = None, []
        for name in sorted(set().union(*lists) - set(common)):
            reasons.append('%s does not exist for all sets' % name)
        while common and found is None:
            name, damage = common.pop(), None
            if self.is_master:
                damage = _agreement.damage_of(os.path.join(
                    folder, '%s.%d' % (name, self.comm.rank)))
            told = _agreement.exchange(self.comm, damage)
            damages = ['%s.%d is damaged: %s' % (name, rank, problem)
                       for rank, problem in enumerate(told) if problem]
            reasons += damages
            found = found if damages else name
        if reasons and self.comm.rank == 0:
            warnings.warn('autoload in %s loads %s; %s' % (
                folder, found or 'nothing', '; '.join(reasons)), stacklevel=4)
        return found
