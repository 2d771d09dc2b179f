"""Reads of arrays of variables by the code of a chain.

Computations of code with NumPy are not in the graph of functions. A plan would keep
using the numbers of the recorded calls. Therefore a call whose code reads an array has
no plan, unless the code passes the same array to a function or a variable.
"""
import contextlib
import dis
import itertools
import sys

from chainer_fast._core.graphs import graph
from chainer_fast.configuration import config

_PACKAGE = __name__.partition('.')[0]
_VARIABLE = _PACKAGE + '.variable'
# Methods of variables, and functions, that return an array or its elements to their
# callers; and modules that consist of such functions.
_HANDING = {'as_array', 'item', '_to_keep'}
_HANDING_MODULES = {_VARIABLE + '._dlpack', _VARIABLE + '._text'}
# Attributes of arrays that are the same in all calls of a kind.
_OF_KIND = {'shape', 'ndim', 'size', 'dtype', 'itemsize', 'nbytes', 'flags', 'strides',
            'device'}
# Threads that are recording a call.
_recording = 0


@contextlib.contextmanager
def noted(trace):
    """Make a trace, if any, refuse a call that reads arrays in the block."""
    global _recording
    if trace is None:
        yield
        return
    _recording += 1
    graph.watch_reads(_note)
    try:
        yield
    finally:
        _recording -= 1
        if not _recording:
            graph.watch_reads(None)


def _note(owner, array, is_gradient):
    """Record that the running Python code reads an array."""
    # Not while a function computes, as a plan runs the function again.
    trace = getattr(config.schedule_func, 'trace', None)
    if trace is None or not trace.watches_reads:
        return
    frame = _reader(sys._getframe(1))
    if frame is None:
        return
    following = _following(frame)
    if not is_gradient and _looks_at_kind(following):
        return
    reason = (
        '%s, line %d of %s, reads the array of a variable, and a plan would keep '
        'values computed from it; with static_graph(allow_array_reads=True) calls are '
        'planned nevertheless' % (
            frame.f_code.co_name, frame.f_lineno, frame.f_code.co_filename))
    if is_gradient or following[0][0].startswith(('STORE', 'COPY', 'DUP')):
        # The value of a local variable may be used twice.
        owner = array = None
    trace.reads.append((owner, array, reason))


def _module(frame):
    return frame.f_globals.get('__name__') or ''


def _reader(frame):
    """Return the frame that reads an array, or None if it belongs to the package."""
    if _module(frame) in _HANDING_MODULES or (
            _module(frame) == _VARIABLE and frame.f_code.co_name in _HANDING):
        while frame is not None and _module(frame).startswith(_VARIABLE):
            frame = frame.f_back
    if frame is None or (_module(frame) + '.').startswith(_PACKAGE + '.'):
        return None
    return frame


def _following(frame):
    """Return names and arguments of the two instructions after the current one."""
    instructions = iter(dis.get_instructions(frame.f_code))
    for instruction in instructions:
        if instruction.offset == frame.f_lasti:
            break
    found = [(each.opname, each.argval) for each in itertools.islice(instructions, 2)]
    return [*found, ('', None), ('', None)]


def _looks_at_kind(following):
    """Return whether code only reads a shape, say, or tests for None."""
    name, value = following[0]
    if name == 'LOAD_CONST' and value is None:
        return following[1][0] == 'IS_OP'
    return (name == 'LOAD_ATTR' and value in _OF_KIND) or (
        name.startswith('POP_JUMP') and 'NONE' in name)
