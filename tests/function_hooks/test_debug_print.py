"""The hook that prints what functions are given."""
import io
import re

import numpy as np
import pytest

from chainer_fast import Function, Variable, function_hooks

STATISTICS = 'mean=[0-9.e+-]+, std=[0-9.e+-]+'


class Select(Function):

    label = 'the label'

    def forward(self, inputs):
        self.retain_inputs((0,))
        return inputs[0] + 0, inputs[0] * 2

    def backward(self, inputs, grad_outputs):
        return (grad_outputs[0],) + (None,) * (len(inputs) - 1)


def block(device, shape, dtype, statistics=STATISTICS, grad='None'):
    return [
        '<variable at 0x[0-9a-f]+>', '- device: .*',
        '- backend: ' + re.escape(str(device.xp.ndarray)),
        '- shape: ' + re.escape(str(shape)), '- dtype: ' + dtype,
        '- statistics: ' + statistics, '- grad: ' + grad]


def assert_lines(text, *patterns):
    lines = text.splitlines()
    for line, pattern in zip(lines, patterns, strict=True):
        assert re.fullmatch(pattern, line), (line, pattern)


def test_both_directions(device):
    out = io.StringIO()
    x = Variable(device.send(np.arange(6, dtype='f').reshape(2, 3)))
    n = Variable(device.send(np.array([1], 'i')), requires_grad=False)
    with function_hooks.PrintHook(file=out) as hook:
        assert hook.name == 'PrintHook'
        y, z = Select()(x, n)
        forward = out.getvalue()
        out.truncate(out.seek(0))
        y.grad = device.send(np.full((2, 3), 4, 'f'))
        y.backward()
    assert_lines(
        forward, 'function\tthe label', 'input data',
        *block(device, (2, 3), 'float32', 'mean=2.5[0-9]*, std=1.7078[0-9]*'),
        *block(device, (1,), 'int32'))
    backward = out.getvalue().splitlines()
    assert_lines(
        '\n'.join(backward[:18]), 'function\tthe label', 'input data',
        *block(device, (2, 3), 'float32'), r'\(removed\)', 'output gradient',
        *block(device, (2, 3), 'float32', 'mean=0[.0]*, std=0[.0]*',
               'mean=4[.0]*, std=0[.0]*'))
    # Nothing depends on the second output.
    assert backward[18].startswith('<variable at')
    assert all(line.endswith(': None') for line in backward[19:])


class File(io.StringIO):
    flushes = 0

    def flush(self):
        self.flushes += 1


@pytest.mark.parametrize('flush', [False, True])
def test_options(flush):
    out = File()
    hook = function_hooks.PrintHook(end='|', file=out, flush=flush)
    assert (hook.sep, hook.end, hook.file, hook.flush) == (None, '|', out, flush)
    hook.forward_preprocess(Labelled(), (None,))
    assert out.getvalue() == 'function\tlabel|input data|(removed)|'
    assert (out.flushes > 0) is flush


class Labelled:
    label = 'label'


def test_sep_is_deprecated():
    with pytest.warns(DeprecationWarning, match='sep'):
        function_hooks.PrintHook(sep=' ')
