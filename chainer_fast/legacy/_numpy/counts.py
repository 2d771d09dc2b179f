"""Sizes and counts that are floats, which NumPy used to convert to integers."""
import functools
import types

import numpy

from chainer_fast.legacy import _report
from chainer_fast.legacy._numpy.functions import Builtin, is_called_by_old_code

#: Positions and names of such arguments of functions.
COUNTS = {
    # Until NumPy 1.17
    'linspace': ((2,), ('num',)), 'logspace': ((2,), ('num',)),
    'geomspace': ((2,), ('num',)),
    # Until NumPy 1.11
    **dict.fromkeys(('zeros', 'ones', 'empty', 'full'), ((0,), ('shape',))),
    **dict.fromkeys(('eye', 'tri'), ((0, 1, 2), ('N', 'M', 'k'))),
    'identity': ((0,), ('n',)), 'vander': ((1,), ('N',)),
    'indices': ((0,), ('dimensions',)), 'reshape': ((1,), ('newshape', 'shape')),
    'resize': ((1,), ('new_shape',)), 'tile': ((1,), ('reps',)),
    'broadcast_to': ((1,), ('shape',)),
}


def _whole(value):
    """Convert the floats in a number or a shape to integers by truncation."""
    if isinstance(value, (float, numpy.floating)):
        return int(value)
    if isinstance(value, (tuple, list)):
        return type(value)(map(_whole, value))
    return value


def _has_floats(value):
    return isinstance(value, (float, numpy.floating)) or (
        isinstance(value, (tuple, list)) and any(map(_has_floats, value)))


def _taking_floats(name, function):
    positions, names = COUNTS[name]

    @functools.wraps(function)
    def call(*args, **kwargs):
        # Before the call, since some of these functions call each other.
        at = [k for k in positions if k < len(args) and _has_floats(args[k])]
        by = [key for key in names if _has_floats(kwargs.get(key))]
        if (at or by) and is_called_by_old_code():
            _report.adapted('numpy.%s of a size that is a float' % name)
            args = [_whole(arg) if k in at else arg for k, arg in enumerate(args)]
            kwargs.update((key, _whole(kwargs[key])) for key in by)
        return function(*args, **kwargs)
    return call


def install(patches):
    """Let functions accept floats as sizes."""
    for name in COUNTS:
        function = getattr(numpy, name)
        call = _taking_floats(name, function)
        is_builtin = isinstance(function, (types.BuiltinFunctionType, Builtin))
        patches.set(numpy, name, Builtin(call) if is_builtin else call)
