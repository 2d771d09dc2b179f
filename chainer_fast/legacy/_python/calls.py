"""Helpers that rewritten sources call instead of removed features of Python and NumPy.

These helpers behave like current Python, and adapt only if that fails. They also work
after legacy mode has been disabled, for modules imported before.
"""
import builtins
import collections.abc
import functools
import itertools
import math
import operator
import re
import sys

import numpy

from chainer_fast.backends import cuda
from chainer_fast.legacy import _report
from chainer_fast.legacy._python.binary import of_bytes, update_of  # noqa: F401
from chainer_fast.legacy._python.files import opened  # noqa: F401

#: Name of this module in rewritten modules.
NAME = '__chainer_fast_legacy__'
BESIDE = 'import of a module beside it in the package'
LIST = list         # their own definitions of these names

names = {}          # {name: function that returns its meaning}
attributes = {}     # {attribute: functions of an object}
methods = {}        # {(method, number of arguments): functions of an object}

_CONVERSIONS = re.compile(
    r'%(?:\((\w+)\))?[#0\- +]*\d*(?:\.\d+)?[hlL]?([diouxXeEfFgGcrsa%])')
_NUMERIC = 'diouxXeEfFgG'
_LAZY = (map, filter, zip, range, collections.abc.KeysView, collections.abc.ValuesView,
         collections.abc.ItemsView)


def add(table, meanings):
    """Add functions to a table, once each."""
    for key, find in meanings.items():
        known = table.setdefault(key, [])
        if find not in known:
            known.append(find)


def name(name):
    """Return an old built-in name; a global of the caller takes precedence."""
    known = sys._getframe(1).f_globals
    if name in known:
        return known[name]
    if hasattr(builtins, name):
        return getattr(builtins, name)
    if name not in names:
        raise NameError('name %r is not defined' % name)
    return names[name]()


def attribute(owner, name):
    """Return an attribute, or a replacement if it was removed."""
    try:
        return getattr(owner, name)
    except AttributeError:
        for find in attributes.get(name, ()):
            value = find(owner)
            if value is not NotImplemented:
                return value
        raise


def method(owner, name, count):
    """Return a method that is called with a number of arguments."""
    try:
        return getattr(owner, name)
    except AttributeError:
        for find in methods.get((name, count), ()):
            value = find(owner)
            if value is not NotImplemented:
                return value
        raise


def is_one_element(array):
    """Return whether a value is an array with one element and axes."""
    return (isinstance(array, (numpy.ndarray, cuda.ndarray)) and array.ndim > 0
            and array.size == 1)


def number(function, *args):
    """Call ``float``, ``int``, ``complex`` or a function of ``math``."""
    if any(map(is_one_element, args)) and (
            function in (float, int, complex)
            or getattr(function, '__module__', None) == math.__name__):
        _report.adapted('float of an array')
        args = [arg.item() if is_one_element(arg) else arg for arg in args]
    return function(*args)


def formatted(text, values):
    """Return ``text % values``."""
    several = values if isinstance(values, tuple) else (values,)
    if not isinstance(values, dict) and any(map(is_one_element, several)):
        kinds = [kind for _, kind in _CONVERSIONS.findall(text) if kind != '%']
        if len(kinds) == len(several):
            numeric = [kind in _NUMERIC and is_one_element(value)
                       for kind, value in zip(kinds, several, strict=True)]
            if any(numeric):
                _report.adapted("'%f' of an array")
            values = tuple([value.item() if is_numeric else value for
                            value, is_numeric in zip(several, numeric, strict=True)])
    return text % values


def _is_whole(x):
    return isinstance(x, (int, numpy.integer)) or (
        isinstance(x, numpy.ndarray) and x.dtype.kind in 'iu')


def quotient(a, b):
    """Return ``a / b``, which is an integer for integers."""
    if _is_whole(a) and _is_whole(b):
        _report.adapted('division of whole numbers')
        return a // b
    return a / b


def divided(a, b):
    """Do ``a /= b`` in the same way, and return ``a``."""
    if _is_whole(a) and _is_whole(b):
        _report.adapted('division of whole numbers')
        return operator.ifloordiv(a, b)
    return operator.itruediv(a, b)


def listed(is_reported, x):
    """Return a list instead of an object that was a list in Python 2.

    It is reported only if anything else would have failed, since most programs do not
    depend on the difference.
    """
    if not isinstance(x, _LAZY):
        return x
    if is_reported:
        _report.adapted('list from map, filter, zip, range or dict.keys')
    return list(x)


def filtered(is_reported, function, predicate, elements):
    """Return ``filter(predicate, elements)``: text for text, a tuple for a tuple."""
    found = listed(is_reported, function(predicate, elements))
    if function is filter and type(elements) is str:
        return ''.join(found)
    return tuple(found) if function is filter and type(elements) is tuple else found


def mapped(is_reported, function, *args):
    """Return ``map(*args)``, possibly without a function, and padded with None."""
    if function is map and len(args) > 1 and (args[0] is None or len(args) > 2):
        rows = itertools.zip_longest(*args[1:]) if len(args) > 2 else args[1]
        function = list if args[0] is None else itertools.starmap
        args = (rows,) if args[0] is None else (args[0], rows)
        return list(function(*args))
    return listed(is_reported, function(*args))


def decoded(function, *args, **kwargs):
    """Return ``unicode(...)``: text is unchanged, and bytes are decoded as ASCII."""
    if function is str and args:
        if isinstance(args[0], str):
            return args[0]
        if isinstance(args[0], bytes) and len(args) == 1 and 'encoding' not in kwargs:
            kwargs['encoding'] = 'ascii'
    return function(*args, **kwargs)


def found_beside():
    """Count an import that found no module in the package but one next to it."""
    _report.adapted(BESIDE)


def in_scope_around(iterable):
    """Return the iterable of a list comprehension that had no separate scope."""
    _report.adapted('list comprehension in the scope around it')
    return iterable


def is_none(value, is_equal):
    """Return ``value == None`` or ``value != None``.

    Until NumPy 1.12 an array was compared as a whole. Arrays of objects may contain
    None, and are compared as they are now.
    """
    if isinstance(value, numpy.ndarray) and value.dtype != object:
        _report.adapted('numpy.ndarray == None')
        return not is_equal
    return value == None if is_equal else value != None  # noqa: E711


def compared(name, a, b):
    """Return ``a < b`` and similar: no object was less than None."""
    compare = getattr(operator, name)
    try:
        return compare(a, b)
    except TypeError:
        if a is not None and b is not None:
            raise
    _report.adapted('order of None and other objects')
    return compare(a is not None, b is not None)


def ordered(cmp):
    """Return the key for a function that compares two elements."""
    return None if cmp is None else functools.cmp_to_key(cmp)


# Interpretation of lists of arrays, lists or slices as indices: the current meaning in
# libraries, NumPy's old meaning if its part is named.
BY_LIBRARY, BY_PROGRAM, AS_THEN = range(3)
_MOST_AXES = 32


def _indexes_several_axes(key, reading):
    """Return whether a list index was treated as a tuple; None if it must be tried."""
    if type(key) is not list or not 0 < len(key) < _MOST_AXES:
        return False
    if any(part is None or part is Ellipsis or isinstance(part, slice)
           for part in key):
        return True
    has_arrays = any(isinstance(part, numpy.ndarray) for part in key)
    if not has_arrays and not any(
            isinstance(part, (list, tuple, range)) for part in key):
        return False
    return True if reading == AS_THEN or (
        has_arrays and reading == BY_PROGRAM) else None


def _with_index(key, reading, use):
    """Call a function with an index as NumPy used to interpret it."""
    is_tuple = _indexes_several_axes(key, reading)
    if is_tuple is None:
        try:
            return use(key)
        except (IndexError, ValueError):
            is_tuple = True
    if not is_tuple:
        return use(key)
    _report.adapted('list of arrays, lists or slices as an index')
    return use(tuple(key))


def item(owner, key, reading):
    """Return ``owner[key]``."""
    if type(key) is not list or not isinstance(owner, numpy.ndarray):
        return owner[key]
    return _with_index(key, reading, owner.__getitem__)


class _Elements:
    """An array whose elements can be set to arrays of one element."""

    def __init__(self, array, reading):
        self._array = array
        self._reading = reading

    def __getitem__(self, index):
        return item(self._array, index, self._reading)

    def __setitem__(self, index, value):
        if type(index) is list:
            _with_index(index, self._reading, lambda key: self._set(key, value))
        else:
            self._set(index, value)

    def _set(self, index, value):
        try:
            self._array[index] = value
        except (TypeError, ValueError):
            if not is_one_element(value):
                raise
            self._array[index] = value.reshape(())
            _report.adapted('element set to an array')


def target(owner, reading):
    """Return a replacement for the owner of an item that is set."""
    return _Elements(owner, reading) if type(owner) is numpy.ndarray else owner
