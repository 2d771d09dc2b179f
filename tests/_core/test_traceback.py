"""Tracebacks through compiled code show the lines of its sources."""
import os
import traceback

import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import links as L
from chainer_fast.graph_optimizations import _replay
from tests.compat import processes

SCRIPT = '''
import numpy as np
import chainer_fast as chainer

class Broken(chainer.Chain):
    def forward(self, x):
        raise ValueError('of the program')

%s
'''


class Broken(chainer.FunctionNode):
    def forward(self, inputs):
        return inputs

    def backward(self, indexes, grad_outputs):
        raise ValueError('of the program')


def compiled_frames(error):
    frames = traceback.extract_tb(error.__traceback__)
    return [f for f in frames if f.filename.endswith(('.pyx', '.pxi'))]


def broken_backward():
    x = chainer.Variable(np.ones(2, np.float32))
    y, = Broken().apply((x,))
    y.grad = np.ones(2, np.float32)
    y.backward()


def broken_update():
    class Rule(chainer.UpdateRule):
        def update_core(self, param):
            raise ValueError('of the program')

    class Optimizer(chainer.GradientMethod):
        def create_update_rule(self):
            return Rule()

    link = L.Linear(1, 1)
    link.W.grad, link.b.grad = link.W.array, link.b.array
    Optimizer().setup(link).update()


def broken_kernel():
    _replay.Guard([lambda: 'no link'], frozenset())


@pytest.mark.parametrize('call, source', [
    (broken_backward, '_core/backward/backprop.pyx'),
    (broken_update, '_core/updates/_rules.pxi'),
    (lambda: chainer.functions.relu('text'), '_core/graphs/_functions.pxi'),
    (broken_kernel, 'graph_optimizations/_guards.pxi'),
    (lambda: L.Classifier(lambda x: 1 // 0)(1, 2), '_core/graphs/links.pyx')])
def test_lines(call, source, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises((ValueError, TypeError, ZeroDivisionError)) as info:
        call()
    frames = compiled_frames(info.value)
    place = os.path.join(os.path.dirname(chainer.__file__), source)
    assert place in [frame.filename for frame in frames]
    assert all(frame.line for frame in frames)


def test_a_program_that_ends_by_an_error(tmp_path):
    """Then the interpreter itself looks for the lines, up to Python 3.12."""
    (tmp_path / 'program.py').write_text(SCRIPT % 'Broken()(np.ones(2))')
    process = processes.start('program.py', cwd=tmp_path)
    assert process.returncode == 1
    lines = process.stderr.splitlines()
    place, = [i for i, line in enumerate(lines) if 'links.pyx' in line]
    assert "return noted(call_method(self, 'forward', args[0])" in lines[place + 1]


def test_wheels_have_the_sources():
    with open(os.path.join(processes.ROOT, 'pyproject.toml'), encoding='utf-8') as f:
        data = f.read().partition('[tool.setuptools.package-data]')[2].splitlines()[1]
    assert '"*.pyx"' in data and '"*.pxi"' in data
