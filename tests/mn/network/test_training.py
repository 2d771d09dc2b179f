"""Trainings between hosts come to the numbers of one machine, on bad networks, too."""
import os
import re

import pytest

from tests.mn import jobs
from tests.mn.network import hosts

pytestmark = pytest.mark.network

_PROGRAM = os.path.join(os.path.dirname(__file__), 'training.py')


def _digests(ended, processes):
    assert ended.returncode == 0, ended.stderr
    found = re.findall(r'ends with (\w+)', ended.stdout)
    assert len(found) == processes
    return set(found)


_BAD = {'latency': .02, 'loss': .01}


@pytest.mark.parametrize(('processes', 'double_buffering', 'setting', 'exchange'), [
    ((1, 1), '0', {}, 'auto'),
    ((1, 1), '1', _BAD, 'auto'),
    # With three, the order of adding up matters.
    ((2, 1), '0', _BAD, 'pipelined'),
    ((2, 1), '0', {}, 'mpi'),
])
def test_same_numbers_as_on_one_machine(
        processes, double_buffering, setting, exchange):
    arguments = _PROGRAM, 'flat', double_buffering, '-', '0', '6'
    env = {'CHAINERMN_EXCHANGE': exchange}
    here = jobs.run(sum(processes), *arguments, timeout=60, env=env)
    with hosts.Network(2, **setting) as network:
        there = network.run(processes, *arguments, env=env)
    digests = _digests(here, sum(processes))
    assert len(digests) == 1
    assert _digests(there, sum(processes)) == digests


def test_resuming_on_fewer_hosts(tmp_path):
    for name in 'abc':
        (tmp_path / name).mkdir()
    with hosts.Network(3) as network:
        ended = network.run((1, 1, 1), _PROGRAM, 'flat', '0', str(tmp_path), '4', '6')
    _digests(ended, 3)
    assert [os.listdir(tmp_path / name) for name in 'abc'] == [
        ['run.%d.4' % rank] for rank in range(3)]
    with hosts.Network(2) as network:
        fewer = network.run((1, 1), _PROGRAM, 'flat', '0', str(tmp_path), '4', '6')
        _digests(fewer, 2)
        assert fewer.stdout.count('of 2 begins at 4') == 2
        assert (
            'of the checkpoints run in %s/a, iteration 4 is loaded: they were written '
            'by 3 processes, but this job has 2, so that the state of rank 2 (data, '
            'random '
            'numbers, optimizer) is not used. To continue exactly, start 3 processes, '
            'which may share machines (mpiexec -n 3 --host a:2,b:1,...). To continue '
            'with another number, take multi_node_snapshot' % tmp_path) in fewer.stderr
        assert fewer.stderr.count('RuntimeWarning') == 1
        # As it says; the file of the third host is brought to the second one.
        os.rename(tmp_path / 'c' / 'run.2.4', tmp_path / 'b' / 'run.2.4')
        same = network.run((1, 2), _PROGRAM, 'flat', '0', str(tmp_path), '4', '6')
        assert 'RuntimeWarning' not in same.stderr
        assert _digests(same, 3) == _digests(ended, 3)
