"""A host that is lost ends the job on the other ones, and each of them names it."""
import contextlib
import os
import re
import signal
import sys
import time

import pytest

from tests.mn.network import hosts

pytestmark = pytest.mark.network

_PROGRAM = os.path.join(os.path.dirname(__file__), 'waiting.py')

# What the manual promises, and some for a machine that does other things.
_PROMISED, _SLACK = 10, 5


@pytest.fixture
def network():
    with hosts.Network(3) as made:
        yield made


def wait_for(condition, seconds):
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(.05)


@contextlib.contextmanager
def _job(network, processes, folder, *arguments):
    """Start a job, and wait until all its processes exchange something."""
    with open(folder / 'output', 'w+') as output:
        started = network.start(
            processes, _PROGRAM, str(folder), *arguments, output=output)
        try:
            wait_for(lambda: started.poll() is not None or len(
                list(folder.glob('begun*'))) == sum(processes), 40)
            output.seek(0)
            assert started.poll() is None, output.read()
            yield started
        finally:
            network.kill()
            started.kill()
            started.wait()


def _programs(host):
    found = 0
    for pid in host.processes():
        with contextlib.suppress(OSError), open('/proc/%d/cmdline' % pid) as file:
            words = file.read()
            found += words.startswith(sys.executable) and _PROGRAM in words
    return found


def _losses(folder, rank):
    """Return the ranks and hosts that a process names as lost."""
    text = (folder / ('errors%d' % rank)).read_text()
    assert re.search(
        r'ChainerMN: rank %d \(.*\) ends, waiting in allreduce' % rank, text)
    return re.findall(r'rank (\d) \((\w+), process \d+\)', text.split('because\n')[1])


@pytest.mark.parametrize(('how', 'processes'), [
    ('cut', (1, 1, 1)), ('kill', (1, 1, 2)), ('stop', (1, 1, 2))])
def test_host_is_lost(network, tmp_path, how, processes):
    *others, lost = network.hosts
    with _job(network, processes, tmp_path, '0') as job:
        time.sleep(.3)
        if how == 'cut':
            network.cut(lost)
        elif how == 'kill':
            lost.kill()
        else:
            lost.signal(signal.SIGSTOP)
        began = time.monotonic()
        survivors = network.hosts if how == 'cut' else others
        wait_for(lambda: not any(map(_programs, survivors)), _PROMISED + _SLACK)
        took = time.monotonic() - began
        for rank in 0, 1:
            named = _losses(tmp_path, rank)
            assert named[0] in [('2', lost.name), ('3', lost.name)]
            if how == 'stop':
                assert named[:2] == [('2', lost.name), ('3', lost.name)]
        if how == 'cut':
            assert _losses(tmp_path, 2)[0] == ('0', network.hosts[0].name)
        # The launcher, which has lost a daemon, ends soon after. Its status is 0 if it
        # was told so by the connection of the daemon before it was by ssh.
        status = job.wait(_PROMISED + _SLACK - took)
        assert status != 0 or how == 'kill'
