"""The benchmark of GPUs runs, on tiny steps, and its table says what was measured."""
import sys

import pytest

from benchmarks.gpu import __main__ as program
from benchmarks.gpu import check, rows
from benchmarks.table import markdown


@pytest.mark.gpu
@pytest.mark.parametrize('row, mode', [
    (row, mode) for row, each in rows.ROWS.items() for mode in each.modes])
def test_steps_compute_what_the_processor_does(row, mode):
    check.compare(row, mode)


class Process:
    """A worker that answers from a script."""

    def __init__(self, name, losses, times, functions=None):
        self.name = name
        self.answers = {
            'make': losses, 'host': 1e-3, 'peak': 3 << 20, 'functions': functions}
        self.times = iter(times)
        self.counts = []

    def ask(self, command, *arguments):
        if command != 'time':
            return self.answers[command]
        self.counts += arguments
        return next(self.times)


def measure(ours, theirs, losses=(1., .5)):
    found = program.measure('perceptron', 'batch 100', [
        Process('chainer_fast', [1., .5], [9., .02, .03, *ours], functions=10),
        Process('torch', list(losses), [.01] * 3 + theirs)], len(ours), seconds=.2)
    return program.line('perceptron', 'batch 100', 'float32', found)


def test_line():
    assert measure([.01, .02, .03], [.02, .02, .02]) == [
        'perceptron 784-1000-1000-10', 'batch 100', 'float32', '20.000 ms',
        '20.000 ms', '1.00 (1)', 'yes', '100.00', '100.00', '3', '3', '', '']
    assert measure([.01, .02, .03], [.01, .01, .01])[5:7] == ['0.50 (1)', 'no']


def test_results_that_differ():
    assert measure([.01], [.01], losses=[1.1, .5])[6] == 'other results'


def test_counts_fill_the_time():
    process = Process('chainer_fast', [1.], [9., .02, .03, .01], functions=1)
    program.measure('perceptron', 'batch 100', [process], 1, seconds=.2)
    assert process.counts == [3, 3, 3, 10]


def test_alone():
    found = program.measure('small', '8x8', [
        Process('chainer_fast', [1.], [.01] * 4, functions=10)], 1, .2)
    assert program.line('small', '8x8', 'float32', found)[4:7] == ['', '', '']


def test_table():
    cells = ['%d' % i for i in range(len(program.HEADS))]
    lines = markdown(program.HEADS, [cells]).splitlines()
    assert len(lines) == 3
    assert len({len(line) for line in lines}) == 1
    assert set(lines[1]) == set('|- ')


class Ended(Process):
    """A worker that could not make its step."""

    def ask(self, command, *arguments):
        sys.exit('the process of torch_graph ended')


@pytest.mark.parametrize('graph, cells', [
    (Process('torch_graph', [1., .5], [.01] * 3 + [.005]), ['5.000 ms', '0.50']),
    (Ended('torch_graph', [], []), ['', ''])])
def test_graphs_of_pytorch(graph, cells):
    processes = [Process('chainer_fast', [1., .5], [.01] * 4, functions=10),
                 Process('torch', [1., .5], [.01] * 3 + [.02]), graph]
    found = program.measure('perceptron', 'batch 100', processes, 1, .2)
    line = program.line('perceptron', 'batch 100', 'float32', found)
    assert line[5:7] + line[-2:] == ['2.00 (1)', 'yes', *cells]
    assert len(processes) == 3 - isinstance(graph, Ended)


def test_only_graphs_may_fail():
    with pytest.raises(SystemExit):
        program.measure('perceptron', 'batch 100', [Ended('torch', [], [])], 1, .2)
