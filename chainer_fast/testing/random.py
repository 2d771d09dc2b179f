"""Random numbers that are the same in every run of a test."""
from __future__ import annotations

import atexit
import functools
import importlib
import os
import random
from collections.abc import Callable
from typing import Any

import numpy

from chainer_fast.backends import cuda
from chainer_fast.testing import _bundle

_SEED = 100

_old_python_random_state = None
_old_numpy_random_state = None
# Number of test cases that are set up and not torn down: a test may run others.
_nest_count = 0


def fix_random(
        *, setup_method: str = 'setUp',
        teardown_method: str = 'tearDown') -> Callable[..., Any]:
    """Return a decorator that fixes random numbers in each test of a test case.

    NumPy's global random state is seeded before the setup of a test and restored after
    its teardown; Python's is restored. If CuPy is installed, its generators are seeded,
    too. If the environment variable ``CHAINER_TEST_RANDOM_NONDETERMINISTIC`` is 1,
    seeds differ from run to run.

    Parameters
    ----------
    setup_method, teardown_method : str
        Names of the methods that run before and after each test.

    Returns
    -------
    function
        Decorator of a class, or of the result of another decorator of this package.

    Examples
    --------
    >>> import unittest
    >>> from chainer_fast import testing
    >>> @testing.fix_random()
    ... class TestDropout(unittest.TestCase):
    ...     def test_zeros(self):
    ...         y = F.dropout(np.ones(1000, np.float32))
    ...         assert 400 < (y.array == 0).sum() < 600
    """
    def decorate(decorated):
        cases = _bundle.cases_of(decorated)
        klasses = [decorated] if cases is None else [case.klass for case in cases]
        for klass in klasses:
            _fix_random_of(klass, setup_method, teardown_method)
        return decorated

    return decorate


def _fix_random_of(klass, setup_name, teardown_name):
    set_up = getattr(klass, setup_name)
    tear_down = getattr(klass, teardown_name)

    @functools.wraps(set_up)
    def fixed_set_up(self, *args, **kwargs):
        _setup_random()
        try:
            return set_up(self, *args, **kwargs)
        except BaseException:
            # There is no teardown after a failed setup.
            _teardown_random()
            raise

    @functools.wraps(tear_down)
    def fixed_tear_down(self, *args, **kwargs):
        try:
            return tear_down(self, *args, **kwargs)
        finally:
            _teardown_random()

    setattr(klass, setup_name, fixed_set_up)
    setattr(klass, teardown_name, fixed_tear_down)


def do_setup(deterministic: bool = True) -> None:
    """Save the random states, then seed them.

    Parameters
    ----------
    deterministic : bool
        Whether the seed is always the same.
    """
    set_up = _cupy_testing_random().do_setup if cuda.available else _numpy_do_setup
    set_up(deterministic)


def do_teardown() -> None:
    """Restore the random states saved by :func:`do_setup`."""
    tear_down = (
        _cupy_testing_random().do_teardown if cuda.available else _numpy_do_teardown)
    tear_down()


def _numpy_do_setup(deterministic=True):
    global _old_python_random_state, _old_numpy_random_state
    _old_python_random_state = random.getstate()
    _old_numpy_random_state = numpy.random.get_state()
    numpy.random.seed(_SEED if deterministic else None)


def _numpy_do_teardown():
    global _old_python_random_state, _old_numpy_random_state
    random.setstate(_old_python_random_state)
    numpy.random.set_state(_old_numpy_random_state)
    _old_python_random_state = _old_numpy_random_state = None


def _cupy_testing_random():
    """Return CuPy's counterpart, which also handles Python's and NumPy's states."""
    try:
        return importlib.import_module('cupy.testing._random')
    except ImportError:
        return importlib.import_module('cupy.testing.random')


def _setup_random():
    global _nest_count
    if _nest_count == 0:
        deterministic = os.environ.get(
            'CHAINER_TEST_RANDOM_NONDETERMINISTIC', '0') == '0'
        do_setup(deterministic)
    _nest_count += 1


def _teardown_random():
    global _nest_count
    assert _nest_count > 0, 'random is not set up: teardown without setup'
    _nest_count -= 1
    if _nest_count == 0:
        do_teardown()


@atexit.register
def _check_teardown():
    assert _nest_count == 0, (
        'a test case with fixed random numbers was set up, but not torn down')


def generate_seed() -> int:
    """Return a random seed that is the same in every run of a test.

    Returns
    -------
    int
        The seed, between 0 and 2**32 - 2.

    Raises
    ------
    AssertionError
        If random numbers are not currently fixed.
    """
    assert _nest_count > 0, 'random is not set up: decorate the test with fix_random'
    return int(numpy.random.randint(0xffffffff, dtype=numpy.int64))
