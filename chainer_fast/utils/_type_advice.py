"""Additions to the message of a failed type check: the inputs, and advice."""
from __future__ import annotations

import contextlib
import re

from chainer_fast._help import mistakes

_DTYPE = re.compile(r'(.+)\.dtype == (.+)\.dtype$')
_GIVEN_DTYPE = re.compile(r"(.+)\.dtype == <class 'numpy\.(\w+)'>$")
_KIND = re.compile(r'(.+)\.dtype\.kind == ([fi])$')
_AXES = re.compile(r'(.+)\.ndim == ([0-9])$')


def add(error, function, types):
    """Add to an exception the inputs that a function rejected, and advice.

    Parameters
    ----------
    error : InvalidType
        The exception.
    function : FunctionNode
        The function that was applied.
    types : TypeInfoTuple
        Expressions for the types of the inputs.
    """
    given = {each.name: each.eval() for each in types}
    mistakes.tell(error, 'Given: ' + (', '.join(
        '%s %s %s' % (name, value.dtype, value.shape) for name, value in given.items())
        or 'no inputs'))
    expect = str(error.expect)
    words = _of_dtypes(expect, given)
    if words is None:
        # No hint replaces the error that it is about: inputs may be missing.
        with contextlib.suppress(Exception):
            words = function._advice(expect, *given.values())
    if words is None:
        words = _of_axes(expect, given)
    if words is not None:
        replace_cure(error, words)


def replace_cure(error, words):
    """Replace the advice in an exception, if there is any.

    Links have more information on their arguments than the functions that reject them.
    """
    mistakes.tell(error, words, getattr(error, '_cure', None))
    error._cure = words


def _of_dtypes(expect, given):
    found = _KIND.match(expect)
    if found is not None and found[1] in given:
        floats = [value.dtype for value in given.values() if (
            value.dtype is not None and value.dtype.kind == 'f')]
        return _convert(found[1], 'int32' if found[2] == 'i' else [
            *floats, 'float32'][0])
    found = _GIVEN_DTYPE.match(expect)
    if found is not None and found[1] in given:
        return _convert(found[1], found[2])
    found = _DTYPE.match(expect)
    if found is not None and found[1] in given and found[2] in given:
        # The first input is data, the following ones are parameters: the data is to be
        # converted, except from a floating dtype to an integer dtype.
        first, second = sorted(found.groups(), key=list(given).index)
        if given[first].dtype.kind == 'f' and given[second].dtype.kind != 'f':
            first, second = second, first
        return _convert(first, given[second].dtype)
    return None


def _of_axes(expect, given):
    """Return advice on a first input that lacks an axis, or None."""
    found = _AXES.match(expect)
    if found is None or found[1] != next(iter(given), None):
        return None
    name, wanted = found[1], int(found[2])
    x = _variable(name)
    if wanted < 2 or given[name].ndim != wanted - 1:
        return None
    if wanted == 2:
        return ('One row has an axis less than a batch of rows: %s[None] is a batch of '
                'one' % x)
    return of_images(x)


def of_images(x):
    """Return advice on images that lack one of two possible axes."""
    return ('Images have the axes (image, channel, ...): %s[:, None] is a batch of '
            'images of one channel, %s[None] is a batch of one image' % (x, x))


def _variable(name):
    """Return the name that a program is likely to use for an input."""
    return name if name.isidentifier() else 'x'


def _convert(name, dtype):
    if name.isidentifier():
        return 'Convert %s: %s.astype(numpy.%s)' % (name, name, dtype)
    return 'Convert %s, as by x.astype(numpy.%s)' % (name, dtype)
