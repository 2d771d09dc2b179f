"""Aborting a whole job when one of its processes does not catch an exception."""
from __future__ import annotations

import os
import sys

from chainer_fast.mn import _watchdog

_original = sys.excepthook
_added = False


def _global_except_hook(kind, exception, trace):
    """Print the exception, notify the other processes, and abort the job."""
    _original(kind, exception, trace)
    # Importing mpi4py here would start MPI in a program without an MPI job to abort.
    mpi = sys.modules.get('mpi4py.MPI')
    if mpi is None or mpi.Is_finalized():
        return
    _watchdog.tell(exception)
    print('\n'.join([
        '', '*' * 42, 'ChainerMN:',
        '   Uncaught exception on rank %d.' % mpi.COMM_WORLD.rank,
        '   Calling MPI_Abort() to shut down MPI...', '*' * 42, '', '']),
        file=sys.stderr, flush=True)
    sys.stdout.flush()
    mpi.COMM_WORLD.Abort(1)


def add_hook() -> None:
    """Abort the MPI job when an exception is not caught.

    The hook runs before :data:`sys.excepthook`: the exception is printed as before,
    and then ``MPI_Abort`` ends all processes. If the environment variable
    ``CHAINERMN_FORCE_ABORT_ON_EXCEPTIONS`` is not empty, ``import chainermn`` calls
    this.

    It does not detect processes that are killed or end by :func:`sys.exit`. The
    watchdog of communicators does, without this hook: see ``config.mn_watchdog``.
    """
    global _original, _added
    if not _added:
        _original, sys.excepthook = sys.excepthook, _global_except_hook
        _added = True


def _add_hook_if_enabled():
    # The manual documents one name, and the released package reads the other one.
    name = 'CHAINERMN_FORCE_ABORT_ON_EXCEPTION'
    if os.environ.get(name) or os.environ.get(name + 'S'):
        add_hook()


_add_hook_if_enabled()
