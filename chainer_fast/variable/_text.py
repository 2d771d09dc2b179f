"""Texts that describe variables."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy

from chainer_fast import backend
from chainer_fast.backends import _cpu, cuda

if TYPE_CHECKING:
    from chainer_fast.variable import Variable


def _text(var, as_text):
    head = 'variable' if var.name is None else 'variable ' + var.name
    array = var.raw_array
    if array is None:
        return head + '(None)'
    with cuda.get_device_from_array(array):
        body = as_text(backend.CpuDevice().send(array))
    indent = ' ' * (len(head) + 1)
    lines = [indent + line if line else line for line in body.split('\n')]
    return '%s(%s)' % (head, '\n'.join(lines)[len(indent):])


def variable_repr(var: Variable) -> str:
    """Return the text of ``repr`` for a variable."""
    def as_text(array):
        if array.size == 0:
            return '[], shape=%s' % (array.shape,)
        return numpy.array2string(array, separator=', ')
    return _text(var, as_text)


def variable_str(var: Variable) -> str:
    """Return the text of ``str`` for a variable."""
    return _text(
        var, lambda array: '[]' if array.size == 0 else numpy.array2string(array))


def describe(var):
    """Return several lines on the device, type and statistics of a variable."""
    array = var.raw_array
    if array is None:
        facts = dict.fromkeys(
            ('device', 'backend', 'shape', 'dtype', 'statistics', 'grad'))
    else:
        on_cpu = isinstance(array, _cpu.CpuDevice.supported_array_types)
        facts = {
            'device': 'CPU' if on_cpu else array.device,
            'backend': type(array),
            'shape': var.shape,
            'dtype': var.dtype,
            'statistics': _statistics(array),
            'grad': _grad_statistics(var._grad),
        }
    lines = ['- %s: %s' % item for item in facts.items()]
    return '\n'.join([var.summary(), *lines])


def _statistics(array):
    with cuda.get_device_from_array(array):
        return f'mean={float(array.mean()):.8f}, std={float(array.std()):.8f}'


def _grad_statistics(grad):
    if grad is None:
        return None
    with cuda.get_device_from_array(grad):
        if (grad == 0).all():
            return 0
    return _statistics(grad)
