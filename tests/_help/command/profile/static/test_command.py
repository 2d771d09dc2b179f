"""The command ``chainer-fast profile --static``."""
import textwrap

import pytest

from tests.compat import processes

SCRIPT = '''
    import sys
    import numpy as np
    import chainer
    import chainer.functions as F
    import chainer.links as L

    class Net(chainer.Chain):
        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.one, self.two = L.Linear(4, 3), L.Linear(3, 3)

        def forward(self, x):
            return self.two(F.relu(self.one(x)))

    model = L.Classifier(Net())
    optimizer = chainer.optimizers.SGD().setup(model)
    for _ in range(50):
        optimizer.update(model, np.ones((5, 4), 'f'), np.zeros(5, 'i'))
    print('arguments', sys.argv[1:])
'''


def start(tmp_path, *options, end=''):
    script = tmp_path / 'script.py'
    script.write_text(textwrap.dedent(SCRIPT + end))
    return processes.start(
        '-m', 'chainer_fast', 'profile', '--static', *options, script, '--one')


@pytest.mark.parametrize('end, status', [
    ('', 0), ('    sys.exit(3)', 3), ('    1 / 0', 1)])
def test_program(tmp_path, end, status):
    process = start(tmp_path, end=end)
    assert process.returncode == status
    assert process.stdout == "arguments ['--one']\n"
    _, _, text = process.stderr.partition('chainer_fast: ')
    assert text.startswith('static_graph in turns, 50 updates, ')
    assert '\nClassifier.forward  no ' in text
    assert text.splitlines()[-1].startswith('Classifier.forward: static_graph ')


def test_number_of_updates(tmp_path):
    process = start(tmp_path, '--updates', '25')
    assert (process.returncode, process.stdout) == (0, '')
    assert 'in turns, 25 updates, ' in process.stderr


def test_forked_processes_print_nothing(tmp_path):
    process = start(tmp_path, end='''
    import os
    if os.fork() == 0:
        optimizer.update(model, np.ones((5, 4), 'f'), np.zeros(5, 'i'))
        sys.exit()
    os.wait()''')
    assert process.stderr.count('chainer_fast: ') == 1


@pytest.mark.parametrize('options, problem', [
    (['--updates', '5'], '--updates needs --static'),
    (['--static', '--updates', 'all'], "argument --updates: 'all' is not a number of "
     'updates: write 200, for example'),
    (['--static', '--updates=0'], "argument --updates: '0' is not a number of updates: "
     'write 200, for example'),
    (['--static', '--trace', 'a.json'],
     '--static writes no trace: omit --static or --trace'),
    (['--statics'], 'there is no option --statics; did you mean --static?')])
def test_a_mistake_gets_a_line(options, problem):
    process = processes.start('-m', 'chainer_fast', 'profile', *options, __file__)
    assert process.returncode == 2
    assert process.stderr == (
        'chainer-fast profile: error: %s (see chainer-fast profile --help)\n' % problem)


def test_help():
    text = processes.run('-m', 'chainer_fast', 'profile', '--help')
    assert '--static' in text and '--updates N' in text
