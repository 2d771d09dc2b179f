"""Advice in errors about values that are not arrays, and NumPy functions of variables.
"""
from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy

_UFUNC = re.compile(
    r'loop of ufunc does not support argument \d+ of type (?:Variable|Parameter) '
    r"which has no callable (\w+) method|ufunc '(\w+)' not supported for the input")


def cure(value: Any) -> str | None:
    """Return how to convert a value to an array; None for arrays and other objects."""
    if value is None:
        return 'None is not an array: the function that returned it may lack a `return`'
    kind = type(value)
    library = kind.__module__.partition('.')[0]
    if library == 'torch':
        return ('%s.%s is a tensor of PyTorch: '
                'chainer_fast.interop.torch.from_torch(x) '
                'converts it to a variable' % (library, kind.__name__))
    if library in ('jax', 'jaxlib', 'tensorflow', 'pandas', 'polars', 'PIL'):
        return '%s is not an array: pass numpy.asarray(x)' % kind.__name__
    if isinstance(value, (bool, int, float)) or _is_list_of_numbers(value):
        return '%s is no array: pass numpy.asarray(x, numpy.float32), or an integer ' \
            'dtype for labels and ids' % kind.__name__
    if isinstance(value, (list, tuple)) and value and hasattr(value[0], 'shape'):
        return ('the %s holds %d arrays, and the function accepts one: '
                'chainer.functions.stack(x) joins arrays of equal shape'
                % (kind.__name__, len(value)))
    return None


def _is_list_of_numbers(value):
    while isinstance(value, (list, tuple)) and value:
        value = value[0]
    return isinstance(value, (bool, int, float))


def of_ufunc(text: str) -> str | None:
    """Return what to write instead of a NumPy ufunc of variables, or None.

    Parameters
    ----------
    text : str
        Message of NumPy's ``TypeError``.
    """
    found = _UFUNC.search(text)
    if found is None:
        return None
    name = found[1] or found[2]
    return ('numpy.%s accepts arrays, not variables: call chainer.functions.%s(x) if '
            'that function exists, or pass x.array, through which no gradient flows'
            % (name, name))


def of_mixture(values: Iterable[Any]) -> str:
    """Return advice, on a separate line, on inputs of different libraries."""
    words = next(filter(None, map(cure, values)), None)
    if words is None and any(type(value) is numpy.ndarray for value in values):
        words = ("all inputs and parameters belong on one device: model.to_device('@"
                 "cupy:0'), chainer.get_device('@cupy:0').send(x)")
    return '' if words is None else '\n' + words
