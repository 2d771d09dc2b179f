"""``cupy.testing``, as far as tests of Chainer use it, and ``cupy.fft``."""
import functools
import random

import numpy

from tests.doubles.host_cupy.array import array_operand, ledger_launch, ndarray, wrap
from tests.doubles.host_cupy.random_numbers import get_random_state, states
from tests.doubles.host_cupy.registry import routine


def _host(x):
    if isinstance(x, ndarray):
        with x.device:
            return x.get()
    return x


def _assertion(name):
    f = getattr(numpy.testing, name)

    @functools.wraps(f)
    def g(x, y, *args, **kwargs):
        f(_host(x), _host(y), *args, **kwargs)
    routine(g, module='cupy.testing')


for _name in ('assert_allclose', 'assert_array_almost_equal', 'assert_array_equal',
              'assert_array_almost_equal_nulp', 'assert_array_max_ulp',
              'assert_array_less'):
    _assertion(_name)


@routine(module='cupy.testing')
def assert_array_list_equal(xlist, ylist, err_msg='', verbose=True):
    for x, y in zip(xlist, ylist, strict=True):
        numpy.testing.assert_array_equal(_host(x), _host(y), err_msg, verbose)


def _transform(name):
    f = getattr(numpy.fft, name)

    def g(a, *args, **kwargs):
        result = f(array_operand(a), *args, **kwargs)
        # NumPy 1 computes in double precision, whatever the input.
        if a.dtype.char in 'efF':
            result = result.astype('F' if result.dtype.kind == 'c' else 'f')
        ledger_launch(name, result.size)
        return wrap(numpy.ascontiguousarray(result))
    g.__name__ = name
    routine(g, module='cupy.fft')


for _name in ('fft', 'ifft', 'fft2', 'ifft2', 'fftn', 'ifftn', 'rfft', 'irfft', 'rfft2',
              'irfft2', 'rfftn', 'irfftn', 'hfft', 'ihfft', 'fftshift', 'ifftshift'):
    _transform(_name)


def _frequencies(name):
    def g(n, d=1.0):
        ledger_launch(name, n)
        return wrap(getattr(numpy.fft, name)(n, d))
    g.__name__ = name
    routine(g, module='cupy.fft')


_frequencies('fftfreq')
_frequencies('rfftfreq')


_saved = []


@routine(module='cupy.testing._random')
def do_setup(deterministic=True):
    _saved.append((random.getstate(), numpy.random.get_state(), states.copy()))
    states.clear()
    random.seed(99 if deterministic else None)
    numpy.random.seed(100 if deterministic else None)
    get_random_state().seed(101 if deterministic else None)


@routine(module='cupy.testing._random')
def do_teardown():
    of_python, of_numpy, of_cupy = _saved.pop()
    random.setstate(of_python)
    numpy.random.set_state(of_numpy)
    states.clear()
    states.update(of_cupy)
