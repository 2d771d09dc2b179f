"""What a failed type check adds to its message: what was given, and the cure."""
from __future__ import annotations

import re

from chainer_fast._help import mistakes

_DTYPE = re.compile(r'(.+)\.dtype == (.+)\.dtype$')
_KIND = re.compile(r'(.+)\.dtype\.kind == ([fi])$')


def add(error, function, types):
    """Add to an exception the inputs that a function refused, and the cure.

    Parameters
    ----------
    error : InvalidType
        The exception.
    function : FunctionNode
        The function that was applied.
    types : TypeInfoTuple
        Expressions for the types of its inputs.
    """
    given = {each.name: each.eval() for each in types}
    mistakes.tell(error, 'Given: ' + ', '.join(
        '%s %s %s' % (name, value.dtype, value.shape) for name, value in given.items()))
    expect = str(error.expect)
    words = _of_dtypes(expect, given)
    if words is None and given:
        words = function._advice(expect, *given.values())
    if words is not None:
        mistakes.tell(error, words)


def _of_dtypes(expect, given):
    found = _KIND.match(expect)
    if found is not None and found[1] in given:
        floats = [value.dtype for value in given.values() if (
            value.dtype is not None and value.dtype.kind == 'f')]
        return _convert(found[1], 'int32' if found[2] == 'i' else [
            *floats, 'float32'][0])
    found = _DTYPE.match(expect)
    if found is not None and found[1] in given and found[2] in given:
        # The first input is data, what follows are parameters.
        first, second = sorted(found.groups(), key=list(given).index)
        return _convert(first, given[second].dtype)
    return None


def _convert(name, dtype):
    return 'Convert %s: x.astype(numpy.%s)' % (
        name if name.isidentifier() else 'it', dtype)
