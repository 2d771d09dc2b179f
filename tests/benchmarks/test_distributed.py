"""The benchmark of updates runs, and its tables say what was measured."""
import json
import sys

import pytest

from benchmarks.distributed import __main__ as program


@pytest.fixture
def options(monkeypatch):
    monkeypatch.setattr(sys, 'argv', [
        'distributed', '--sizes', '1e6', '--jobs', '2', '--rounds', '1'])
    return program.arguments()


class Job:
    """A side that answers from a script."""

    def __init__(self, *answers):
        self.answers, self.tasks = list(answers), []

    def run(self, processes, **task):
        self.tasks.append((processes, json.loads(json.dumps(task))))
        return self.answers.pop(0)


def cells(text):
    return [cell.strip() for cell in text.splitlines()[2].split('|')[1:-1]]


def test_exchange(options, capsys):
    ours = Job(*({'Allreduce': [.01], 'flat': [flat], 'naive': [.04]}
                 for flat in (.011, .013)))
    theirs = Job({'naive': [.036]}, {'naive': [.026]})
    program.exchange_table(options, ours, theirs)
    assert cells(capsys.readouterr().out) == [
        '1 million', '2', '10.00', '12.00', '1.20 (1.3)', 'yes', '40.00',
        '31.00 (naive)', '2.64']
    assert ours.tasks == theirs.tasks == 2 * [(2, {
        'do': 'exchange', 'size': 10 ** 6, 'rounds': 1,
        'communicators': ['flat', 'naive']})]


def test_exchange_that_is_too_slow_without_another_side(options, capsys):
    ours = Job(*2 * [{'Allreduce': [.01], 'flat': [.014], 'naive': [.04]}])
    program.exchange_table(options, ours, None)
    assert cells(capsys.readouterr().out)[4:] == ['1.40 (1.3)', 'no', '40.00', '', '']


def test_overlap(options, capsys):
    times = {'update': [.03, .05, .04], 'double buffering': [.03, .025, .03]}
    program.overlap_table(options, Job({
        'exchange': .02, 'computation': .03, 'wait': times, 'multiply': times}))
    assert cells(capsys.readouterr().out) == [
        '1 million', '2', 'leaves the processor free', '30.0', '20.0', '40.00', '30.00',
        '50%']


def test_released_chainer_that_is_not_there(capsys):
    assert program.released(sys.executable + '-nowhere') is None
    assert '--released' in capsys.readouterr().err


@pytest.mark.parametrize('do', ['exchange', 'overlap'])
def test_jobs(do):
    found = program.Job(sys.executable, True).run(
        1, do=do, size=5000, rounds=2, communicators=['flat'], share=1.)
    if do == 'exchange':
        assert {name: len(times) for name, times in found.items()} == {
            'Allreduce': 2, 'flat': 2}
    else:
        assert len(found['wait']['double buffering']) == 2 and found['exchange'] > 0
