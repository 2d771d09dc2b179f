"""Calls of every function with an array of another type, or a scalar, in one place.

The functions and their arrays are those of ``tests.nnabla.cases``. `record` runs this
module beside the released Chainer as well, under the name of ``chainer_fast``.
"""
import warnings

import numpy as np

from chainer_fast import Variable, using_config
from tests.nnabla.cases import CASES, SINGLE

SCALARS = {
    'float32': np.float32(.5), 'float64': np.float64(.5), 'float16': np.float16(.5),
    'int64': np.int64(1), 'bool': np.bool_(True), 'Python float': .5, 'Python int': 1,
    '0-d': np.array(.5)}
DTYPES = {'f': 'edib?B', 'e': 'fd', 'd': 'ef'}


def _cast(array, dtype):
    array = np.asarray(array)
    return (array if dtype in 'efd?' else np.abs(array * 3)).astype(dtype)


def _places(arrays):
    """Yield the places to vary: of recurrent networks a few of each kind."""
    n = len(arrays)
    return range(n) if n < 9 else [0, 1, 2, n // 2, n - 1]


def names():
    """Yield the names of all calls: function, place, form, and type."""
    for name, (_, arrays) in sorted(CASES.items()):
        if name in SINGLE:
            continue
        for place in _places(arrays):
            for base, dtypes in DTYPES.items():
                for dtype in dtypes:
                    yield '%s|%d|%s|%s' % (name, place, base, dtype)
            for scalar in SCALARS:
                yield '%s|%d|scalar|%s' % (name, place, scalar)
            for dtype in 'il':
                yield '%s|%d|unchecked|%s' % (name, place, dtype)
        yield '%s|0|all unchecked|i' % name


def _flat(ys):
    return [y for each in ys for y in _flat(each)] if isinstance(
        ys, (list, tuple)) else [ys]


def outcome(name):
    """Make a call; return the dtypes of the results, or the type of the exception."""
    function, place, form, kind = name.split('|')
    place = int(place)
    call, arrays = CASES[function]
    base = form if form in DTYPES else 'f'
    arrays = [np.asarray(a).astype(base) for a in arrays]
    if form == 'scalar':
        arrays[place] = SCALARS[kind]
    elif form == 'all unchecked':
        arrays = [_cast(a, kind) for a in arrays]
    else:
        arrays[place] = _cast(arrays[place], kind)
    with warnings.catch_warnings(), np.errstate(all='ignore'), using_config(
            'type_check', 'unchecked' not in form):
        warnings.simplefilter('ignore')
        try:
            ys = _flat(call(*arrays))
        except Exception as error:
            return type(error).__name__
    return ' '.join([
        np.asarray(y.array if isinstance(y, Variable) else y).dtype.char for y in ys])
