"""Deprecation warnings are shown by Python's own rules, as with Chainer.

By default they are shown where the program itself causes them. Those of this package
name its own lines, like Chainer's, and are hidden.
"""
import pytest

from tests.compat import processes

PROGRAM = '''
import sys
import warnings
import helper
before = list(warnings.filters)
import chainer
import chainer.gradient_check
import numpy as np
added = [f for f in warnings.filters if f not in before and 'numpy' not in repr(f)]
print('filters:', added)
warnings.warn('of the program', DeprecationWarning)
helper.hidden()
helper.shown()
x = chainer.Variable(np.ones((1,), 'f'))
x.zerograd()
x.grad = None
x.backward()
chainer.links.Linear(1, 1).zerograds()
chainer.optimizer.WeightDecay(.1)
chainer.optimizers.SGD().use_cleargrads()
chainer.DebugMode(False)
chainer.gradient_check.assert_allclose(1, 1)
m = np.ones((1, 2, 2), 'f')
chainer.functions.batch_matmul(m, m)
'''
HELPER = '''
import warnings
def hidden():
    warnings.warn('of the helper', DeprecationWarning)
def shown():
    warnings.warn('of who calls the helper', DeprecationWarning, stacklevel=2)
'''


@pytest.fixture
def folder(tmp_path):
    (tmp_path / 'program.py').write_text(PROGRAM)
    (tmp_path / 'helper.py').write_text(HELPER)
    return tmp_path


@pytest.mark.parametrize('arguments', [
    ['program.py'], ['-m', 'chainer_fast', 'program.py'],
    ['-m', 'chainer_fast', '-m', 'program']])
def test_shown_in_the_program_alone(folder, arguments):
    process = processes.start(*arguments, cwd=folder, path=[processes.COMPAT])
    assert process.returncode == 0, process.stderr
    assert process.stdout == 'filters: []\n'
    shown = [line.partition('DeprecationWarning: ')[2]
             for line in process.stderr.splitlines() if 'Warning: ' in line]
    assert shown == ['of the program', 'of who calls the helper']


def test_options_of_python(folder):
    process = processes.start(
        '-W', 'ignore', '-m', 'chainer_fast', 'program.py', cwd=folder)
    assert process.stderr == ''
    process = processes.start(
        '-W', 'always', '-m', 'chainer_fast', 'program.py', cwd=folder)
    for text in 'of the helper', 'Variable.zerograd is deprecated', 'batch_matmul is':
        assert text in process.stderr
    process = processes.start('-m', 'chainer_fast', '-W', 'ignore', 'program.py')
    assert process.returncode == 2
    assert "put it before -m, as in python -W ignore -m chainer_fast SCRIPT" in (
        process.stderr)
