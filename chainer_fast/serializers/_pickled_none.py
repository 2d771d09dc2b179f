"""``numpy.array(None)`` in npy files, read without unpickling anything.

NumPy writes arrays of objects as pickles, and a pickle is a program: loading one from
elsewhere may do anything.  The one array of objects that belongs into the files of this
package holds None, for a value that was not set.  Here the instructions of a pickle are
followed on paper: calls are written down, never made.
"""
import pickle
import pickletools

import numpy

# What the instructions leave behind in place of a call, a class and a change of state.
_CALL, _CLASS, _BUILD, _MARK = 'call', 'class', 'build', object()

_LITERALS = frozenset((
    'BININT', 'BININT1', 'BININT2', 'INT', 'LONG1', 'BINBYTES', 'SHORT_BINBYTES',
    'BINUNICODE', 'SHORT_BINUNICODE', 'UNICODE', 'BINSTRING', 'SHORT_BINSTRING',
    'STRING'))
_CONSTANTS = {
    'NONE': None, 'NEWTRUE': True, 'NEWFALSE': False, 'EMPTY_TUPLE': ()}
_TUPLES = {'TUPLE1': 1, 'TUPLE2': 2, 'TUPLE3': 3}
_STORES = frozenset(('PUT', 'BINPUT', 'LONG_BINPUT', 'MEMOIZE'))
_LOADS = frozenset(('GET', 'BINGET', 'LONG_BINGET'))
_IGNORED = frozenset(('PROTO', 'FRAME', 'STOP'))


class _Unexpected(Exception):
    """An instruction that a pickled None has no use for."""


def write_none(file):
    """Write a 0-dimensional array of None in the npy format.

    Any NumPy can read it: from version 2 on NumPy writes pickles that name a module
    which version 1 does not have.

    Parameters
    ----------
    file : file
        Where to write.
    """
    array = numpy.array(None)
    numpy.lib.format.write_array_header_1_0(
        file, numpy.lib.format.header_data_from_array_1_0(array))
    pickled = pickle.dumps(array, protocol=3)
    file.write(pickled.replace(b'cnumpy._core.', b'cnumpy.core.'))


def is_pickled_none(pickled):
    """Tell whether bytes are the pickle of a 0-dimensional array of None.

    Parameters
    ----------
    pickled : bytes
        What follows the header in an ``.npy`` file of objects.

    Returns
    -------
    bool
    """
    try:
        made = _follow(pickled)
    except (_Unexpected, ValueError, IndexError, KeyError, TypeError):
        return False
    return made in _EXPECTED


def _follow(pickled):
    """Return what a pickle would make, with its calls written as tuples."""
    stack, memo = [], {}
    for opcode, argument, _ in pickletools.genops(pickled):
        name = opcode.name
        if name in _IGNORED:
            continue
        if name in _STORES:
            memo[len(memo) if name == 'MEMOIZE' else int(argument)] = stack[-1]
        elif name in _LOADS:
            stack.append(memo[int(argument)])
        else:
            _apply(name, argument, stack)
    made, = stack
    return made


def _apply(name, argument, stack):
    """Follow one instruction that works on the stack."""
    if name in _LITERALS:
        stack.append(argument)
    elif name in _CONSTANTS:
        stack.append(_CONSTANTS[name])
    elif name in _TUPLES:
        items = tuple(stack[-_TUPLES[name]:])
        stack[-_TUPLES[name]:] = [items]
    elif name == 'MARK':
        stack.append(_MARK)
    elif name == 'TUPLE':
        stack.append(tuple(_pop_to_mark(stack)))
    elif name == 'EMPTY_LIST':
        stack.append([])
    elif name == 'APPEND':
        item = stack.pop()
        stack[-1].append(item)
    elif name == 'APPENDS':
        items = _pop_to_mark(stack)
        stack[-1].extend(items)
    elif name == 'GLOBAL':
        stack.append((_CLASS, *argument.split(' ')))
    elif name == 'STACK_GLOBAL':
        stack[-2:] = [(_CLASS, *stack[-2:])]
    elif name == 'REDUCE':
        stack[-2:] = [(_CALL, *stack[-2:])]
    elif name == 'BUILD':
        stack[-2:] = [(_BUILD, *stack[-2:])]
    else:
        raise _Unexpected(name)


def _pop_to_mark(stack):
    last = len(stack) - 1 - stack[::-1].index(_MARK)
    items = stack[last + 1:]
    del stack[last:]
    return items


def _array_of_none(core, byte_b):
    """Describe the pickle of ``numpy.array(None)`` by one generation of writers."""
    dtype = (
        _BUILD, (_CALL, (_CLASS, 'numpy', 'dtype'), ('O8', False, True)),
        (3, '|', None, None, None, -1, -1, 63))
    array = (
        _CALL, (_CLASS, core + '.multiarray', '_reconstruct'),
        ((_CLASS, 'numpy', 'ndarray'), (0,), byte_b))
    return (_BUILD, array, (1, (), dtype, False, [None]))


# The bytes of a letter: Python 3, Python 2, and Python 3 with a protocol of Python 2,
# which has no bytes and writes the call that encodes a text.
_EXPECTED = [
    _array_of_none(core, byte_b)
    for core in ('numpy.core', 'numpy._core')
    for byte_b in (
        b'b', 'b', (_CALL, (_CLASS, '_codecs', 'encode'), ('b', 'latin1')))]
