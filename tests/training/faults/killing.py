"""Runs the training program again and again, killing it, until it gets to the end.

Programs are forks of this process, which has imported everything and has no threads.

    python -m tests.training.faults.killing FOLDER SEED ITERATOR WRITER...
"""
import contextlib
import ctypes
import json
import multiprocessing
import os
import random
import select
import signal
import sys
import time
import traceback
import warnings
import zipfile

import numpy

from chainer_fast.serializers import npz
from chainer_fast.training.extensions import snapshot_writers
from tests.training.faults import program

WRITERS = ['SimpleWriter', 'ThreadWriter', 'ProcessWriter', 'ThreadQueueWriter',
           'ProcessQueueWriter']
ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 3))
N_ITERATIONS, N_RETAINS = 14, 2
# More kills than this, and a run is left alone.
MOST_KILLS = 5


class Writing:
    """Saving function that tells when it begins, and so when a kill can hit it."""

    def __init__(self, pipe):
        self.pipe = pipe

    def __call__(self, path, target):
        with contextlib.suppress(BrokenPipeError):  # in a survivor
            os.write(self.pipe, b'w')
        with open(path, 'wb') as f:     # save_npz would take care by itself
            npz.save_npz(f, target)


def train(out, iterator, writer, pipe):
    """Run the program to its end, from the last snapshot on if there is any."""
    save = Writing(pipe)
    trainer = program.make_trainer(out, iterator, N_ITERATIONS)
    program.add_snapshots(
        trainer, getattr(snapshot_writers, writer)(save), n_retains=N_RETAINS)
    begun_at = []

    def tell(trainer):
        begun_at.append(trainer.updater.iteration)
        os.write(pipe, b'i')

    trainer.extend(tell, trigger=(1, 'iteration'), priority=1000)
    trainer.run()
    return program.state_of(trainer), begun_at[0] - 1 if begun_at else N_ITERATIONS


def fork(out, *args):
    """Train in another process; return its id and what tells of its progress."""
    reader, pipe = os.pipe()
    pid = os.fork()
    if pid:
        os.close(pipe)
        return pid, reader
    code = 1
    try:
        os.setpgid(0, 0)
        os.close(reader)
        warnings.filterwarnings('ignore', '.*was not written by this '
                                          'training')  # see `run`
        state, begun_at = train(out, *args, pipe)
        numpy.savez(out + '/end.npz', begun_at=begun_at, **state)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def wait_for(reader, kind, deadline):
    """Wait until a program tells of something, or has ended."""
    while time.monotonic() < deadline:
        if select.select([reader], [], [], deadline - time.monotonic())[0]:
            told = os.read(reader, 1)
            if told in (kind, b''):
                return


def run(out, iterator, writer, moments):
    """Train until it ends by itself.

    Returns
    -------
    kills, hits : int
        How often it was killed, and how often of that while a file was written.
    """
    os.mkdir(out)
    kills, hits, groups = 0, 0, []
    while True:
        pid, reader = fork(out, iterator, writer)
        groups.append(pid)
        ended = 0
        if kills < MOST_KILLS:
            # Somewhere, or while a file is written.
            for _ in range(moments.randrange(1, 6)):
                wait_for(reader, moments.choice([b'w', b'i']), time.monotonic() + 9)
            time.sleep(moments.random() * .006)
            ended, status = os.waitpid(pid, os.WNOHANG)
            if not ended:
                os.kill(pid, signal.SIGKILL)
                kills += 1
        if not ended:
            _, status = os.waitpid(pid, 0)
        os.close(reader)
        check_files(out)
        hits += bool(relics_in(out))
        if os.WIFEXITED(status):
            assert os.WEXITSTATUS(status) == 0, 'the program has failed'
            break
    # Processes that write survive the program, for the file they are at.
    deadline = time.monotonic() + 9
    while any(map(has_survivors, groups)):
        assert time.monotonic() < deadline, 'a process of a program does not end'
        time.sleep(.005)
    return kills, hits


def adopt_survivors():
    """Become the parent of processes whose parent has ended."""
    with contextlib.suppress(AttributeError, OSError):  # Linux has it
        set_child_subreaper = 36
        ctypes.CDLL(None).prctl(set_child_subreaper, 1)


def has_survivors(group):
    with contextlib.suppress(ChildProcessError):
        os.waitpid(-group, os.WNOHANG)
        return True
    return False


def snapshots_in(out):
    return [name for name in os.listdir(out) if name.startswith('snapshot_iter_')]


def relics_in(out):
    return [name for name in os.listdir(out) if name.startswith('tmp')]


def check_files(out):
    """Check that every snapshot that is there is whole."""
    for name in snapshots_in(out):
        # A survivor may remove old ones.
        with contextlib.suppress(FileNotFoundError), zipfile.ZipFile(
                os.path.join(out, name)) as archive:
            assert archive.testzip() is None, name


def main(folder, seed, iterator, *writers):
    adopt_survivors()
    moments = random.Random(int(seed))
    with warnings.catch_warnings():
        expected, _ = train(folder + '/whole', iterator, 'SimpleWriter',
                            os.open(os.devnull, os.O_WRONLY))
    for i, writer in enumerate(writers):
        out = '%s/%d' % (folder, i)
        kills, hits = run(out, iterator, writer, moments)
        with numpy.load(out + '/end.npz') as archive:
            found = dict(archive)
        begun_at = int(found.pop('begun_at'))
        print(json.dumps({
            'writer': writer, 'kills': kills, 'hits': hits, 'begun_at': begun_at,
            'differences': program.differences(found, expected),
            'n_snapshots': len(snapshots_in(out)), 'relics': relics_in(out),
        }), flush=True)


if __name__ == '__main__':
    # The programs that are killed are forks: no server of processes is their child.
    multiprocessing.set_start_method('fork')
    main(*sys.argv[1:])
