"""Removed methods and indices of arrays, and arrays of one element as numbers."""
import numpy

from chainer_fast.legacy import _report
from chainer_fast.legacy._python import sources


def _itemset(array, *args):
    *index, value = args
    if not index:
        array[(0,) * array.ndim] = value
    elif len(index) == 1 and isinstance(index[0], (int, numpy.integer)):
        array.flat[index[0]] = value
    else:
        array[tuple(index[0]) if len(index) == 1 else tuple(index)] = value


def _newbyteorder(array, order='S'):
    return array.view(array.dtype.newbyteorder(order))


def _method(name, function):
    def find(owner):
        if not isinstance(owner, (numpy.ndarray, numpy.generic)):
            return NotImplemented

        def call(*args, **kwargs):
            return function(owner, *args, **kwargs)
        _report.adapted('numpy.ndarray.' + name)
        return call
    return find


_METHODS = {
    'ptp': _method('ptp', numpy.ptp),
    'itemset': _method('itemset', _itemset),
    'newbyteorder': _method('newbyteorder', _newbyteorder),
    'tostring': _method('tostring', lambda array, order='C': array.tobytes(order)),
}


def install(patches):
    rules = sources.use(patches)
    rules.add_attributes(_METHODS)
    rules.are_arrays_numbers = True
    rules.are_lists_tuples = 'numpy' in patches.named
