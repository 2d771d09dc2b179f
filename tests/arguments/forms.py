"""The forms in which programs give ints, axes, shapes and indexes."""

import numpy as np


def _small(number, dtype):
    """Return a number of a dtype that has room for it."""
    range_ = np.iinfo(dtype)
    if not range_.min <= number <= range_.max:
        raise OverflowError(number)
    return dtype(number)


_SCALARS = {
    'int64': np.int64,
    'uint8': lambda n: _small(n, np.uint8),
    'int8': lambda n: _small(n, np.int8),
    'float': float,
    'float32': np.float32,
    'bool': bool,
    'bool_': np.bool_,
    'array of no axis': np.array,
    'array of one axis': lambda n: np.array([n]),
    'tuple': lambda n: (n,),
    'list': lambda n: [n],
    'None': lambda n: None,
    'str': str,
}
_SEQUENCES = {
    'tuple': tuple,
    'list': list,
    'int64': np.array,
    'int8': lambda t: np.array([_small(n, np.int8) for n in t]),
    'float array': lambda t: np.array(t, float),
    'tuple of int64': lambda t: tuple(map(np.int64, t)),
    'tuple of uint8': lambda t: tuple([_small(n, np.uint8) for n in t]),
    'list of int8': lambda t: [_small(n, np.int8) for n in t],
    'tuple of float': lambda t: tuple(map(float, t)),
    'tuple of float32': lambda t: tuple(map(np.float32, t)),
    'tuple of bool': lambda t: tuple(map(bool, t)),
    'tuple of arrays of no axis': lambda t: tuple(map(np.array, t)),
    'tuple of arrays of one axis': lambda t: tuple([np.array([n]) for n in t]),
    'iterator': iter,
    'None': lambda t: None,
}


def names(value):
    """Return the names of the forms of a value; the first is as it is."""
    return ['given', *(_SEQUENCES if isinstance(value, (tuple, list)) else _SCALARS)]


def of(value):
    """Yield the name of a form and the value in this form; the first is as it is."""
    forms = _SEQUENCES if isinstance(value, (tuple, list)) else _SCALARS
    yield 'given', value
    for name, form in forms.items():
        try:
            yield name, form(value)
        except (OverflowError, ValueError, TypeError):
            continue  # Negative numbers have no unsigned form.
