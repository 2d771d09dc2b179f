"""Warnings of large arrays, of which one element is wrong, wherever it is."""
import warnings

import numpy as np
import pytest

import chainer_fast
import chainer_fast.functions as F

N = 100_000
LARGEST = object()

#: A function, and an element of which it warns.
WRONG = {
    'log of a negative number': (F.log, -1),
    'log of zero': (F.log, 0),
    'log1p': (F.log1p, -2),
    'sqrt': (F.sqrt, -1),
    'rsqrt': (F.rsqrt, 0),
    'arcsin': (F.arcsin, 2),
    'exp': (F.exp, LARGEST),
    'expm1': (F.expm1, LARGEST),
    'cosh': (F.cosh, LARGEST),
    'sin': (F.sin, np.inf),
    'tan': (F.tan, np.inf),
    'fmod': (lambda x: F.fmod(x, x), 0),
    'division': (lambda x: 1 / x, 0),
    'product': (lambda x: x * x, LARGEST),
    'cube': (lambda x: x ** 3, LARGEST),
    'power': (lambda x: x ** .3, -1),
    'power of arrays': (lambda x: x ** x, -1.5),
    'difference': (lambda x: x - x, np.inf),
    'softmax': (lambda x: F.softmax(x, 0), np.inf),
    'log after digamma': (lambda x: F.digamma(F.log(x) + 3), -1),
}
LAYOUTS = {
    'C order': lambda x: x,
    'every second element': lambda x: np.repeat(x, 2)[::2],
}


def warned(function, x):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter('always')
        function(x)
    return {str(warning.message) for warning in found}


@pytest.mark.parametrize('layout', LAYOUTS)
@pytest.mark.parametrize('dtype', 'efd')
@pytest.mark.parametrize('name', WRONG)
def test_warnings_do_not_depend_on_the_place(name, dtype, layout):
    function, wrong = WRONG[name]
    wrong = np.finfo(dtype).max if wrong is LARGEST else wrong
    expected = warned(function, np.array([.5, wrong, .5], dtype))
    assert expected
    for at in 0, N // 2, N - 1:
        x = np.full(N, .5, dtype)
        x[at] = wrong
        x = LAYOUTS[layout](x)
        for threads in 1, 2, 3:
            with chainer_fast.using_config('num_threads', threads):
                assert warned(function, x) == expected
