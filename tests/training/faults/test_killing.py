"""However often a training is killed, it ends with the weights of an unbroken one."""
import json
import os
import subprocess
import sys
import tempfile

import pytest

from tests.training.faults import killing

pytestmark = pytest.mark.posix('the program is forked')


@pytest.fixture
def folder():
    """A folder in memory if possible: how soon a disk flushes is not the question."""
    memory = '/dev/shm'
    with tempfile.TemporaryDirectory(
            dir=memory if os.access(memory, os.W_OK) else None) as path:
        yield path


def run_killing(folder, seed, iterator, writers):
    """Return what is told of each run."""
    environment = dict(
        os.environ, PYTHONPATH=killing.ROOT, OMP_NUM_THREADS='1',
        OPENBLAS_NUM_THREADS='1')
    process = subprocess.run(
        [sys.executable, '-m', killing.__name__, folder, str(seed), iterator,
         *writers], env=environment, capture_output=True, text=True, timeout=120,
        cwd=killing.ROOT)
    assert process.returncode == 0, process.stderr
    runs = [json.loads(line) for line in process.stdout.splitlines()]
    assert [run['writer'] for run in runs] == list(writers)
    for run in runs:
        assert run['differences'] == [], run
    return runs


@pytest.mark.parametrize('writer', killing.WRITERS)
def test_fifty_runs_that_are_killed(folder, writer):
    runs = run_killing(
        folder, killing.WRITERS.index(writer), 'serial', [writer] * 10)
    assert sum(run['kills'] for run in runs) >= 20
    # Some of the last programs began in the middle.
    assert sum(run['begun_at'] > 0 for run in runs) >= 5
    # Of a process that writes, nothing but the program is killed.
    if not writer.startswith('Process'):
        assert sum(run['hits'] for run in runs) >= 2
        for run in runs:
            # Killed between the last file and the removal of the oldest, it goes on
            # with nothing to do.
            is_over = run['begun_at'] == killing.N_ITERATIONS
            assert run['n_snapshots'] - killing.N_RETAINS in (0, is_over)
        assert not any(run['relics'] for run in runs)


@pytest.mark.parametrize('iterator', ['multithread', 'multiprocess'])
def test_iterators_that_read_ahead(folder, iterator):
    runs = run_killing(folder, 9, iterator, ['SimpleWriter', 'ThreadQueueWriter'] * 2)
    assert sum(run['kills'] for run in runs) >= 8
