"""A process that fails ends its job, and all others say which one it was."""
import os
import re
import time

import pytest

from tests.mn import jobs

_PROGRAM = os.path.join(os.path.dirname(__file__), 'program.py')

# Ten seconds, and some for a machine that does other things; a hang takes for ever.
_LIMIT, _HANG = 20, 60

_WHAT = {
    'raise': 'raised ValueError\n', 'stop': 'ended without notice',
    'kill': 'ended without notice',
    '_exit': 'ended without notice', 'exit': 'has ended its program',
    'end': 'has ended its program'}


@pytest.mark.parametrize('processes, how, failing, operation, hook', [
    (2, 'raise', 0, 'bcast', 'late'),
    (3, 'raise', 1, 'recv', 'early'),
    (3, 'raise', 2, 'multi_node_mean_grad', 'no'),
    (2, 'exit', 0, 'allreduce', 'no'),
    (2, 'end', 1, 'multi_node_mean_grad', 'no'),
    (3, '_exit', 0, 'bcast', 'no'),
    (2, 'kill', 0, 'recv', 'no'),
    (3, 'kill', 1, 'allreduce', 'early'),
    (2, 'stop', 0, 'bcast', 'no'),
    (3, 'stop', 2, 'multi_node_mean_grad', 'no'),
])
def test_failure(processes, how, failing, operation, hook):
    ended = jobs.run(
        processes, _PROGRAM, how, str(failing), operation, hook, timeout=_HANG)
    took = time.time() - float(re.search(r'fails at ([0-9.]+)', ended.stderr)[1])
    assert ended.returncode != 0
    assert took < _LIMIT
    # All that live say it; one that ended by itself lives as long as the others.
    told = set(map(int, re.findall(r'ChainerMN: rank (\d) .* ends', ended.stderr)))
    expected = set(range(processes)) - (
        {failing} if how in ('raise', 'kill', '_exit', 'stop') else set())
    if how == 'stop':
        # The launcher wakes it to end it, and so it may find time to say it as well.
        expected |= told & {failing}
    assert told == expected, ended.stderr
    whose = re.findall(
        r'^rank (\d) \(.*, process \d+\) ' + _WHAT[how], ended.stderr, re.M)
    assert whose == [str(failing)] * len(expected), ended.stderr
    if how == 'raise':
        # All of them and the process itself print the traceback.
        assert ended.stderr.count("raise ValueError('a wrong value')") == processes
    aborted = 'Uncaught exception on rank %d' % failing in ended.stderr
    assert aborted == (how == 'raise' and hook != 'no')


@pytest.mark.parametrize('failing', [0, 1])
def test_long_computation(failing):
    """A process that lets no thread of Python run for long is not taken for dead."""
    ended = jobs.run(
        2, '-W', 'error', _PROGRAM, 'blocked', str(failing), 'allreduce', 'no',
        timeout=_HANG, env={'CHAINERMN_WATCHDOG_TIMEOUT': '1.5'})
    assert ended.returncode == 0
    assert 'ChainerMN' not in ended.stderr


def test_stopped_for_a_while():
    """Without a timeout a process may be stopped for any time."""
    ended = jobs.run(
        2, _PROGRAM, 'pause', '1', 'allreduce', 'no', timeout=_HANG,
        env={'CHAINERMN_WATCHDOG_TIMEOUT': '0'})
    assert ended.returncode == 0
    assert 'ChainerMN' not in ended.stderr
