"""Decorators for tests that need not succeed in every run."""
from __future__ import annotations

import functools
import sys
import unittest
from collections.abc import Callable
from typing import Any


def repeat_with_success_at_least(
        times: int, min_success: int) -> Callable[..., Any]:
    """Return a decorator that runs a test several times, some of which must succeed.

    Each run has its own instance, setup and teardown. Runs end as soon as the outcome
    is certain, but there is at least one.

    Parameters
    ----------
    times : int
        Maximum number of runs.
    min_success : int
        Number of runs that must succeed.

    Returns
    -------
    function
        Decorator of a method of :class:`unittest.TestCase`.
    """
    assert times >= min_success, (
        'cannot succeed %s times in %s runs' % (min_success, times))

    def decorate(method):
        @functools.wraps(method)
        def repeated(self, *args, **kwargs):
            assert isinstance(self, unittest.TestCase), (
                'only methods of a unittest.TestCase can be repeated, not of %r' % (
                    self,))
            n_success = 0
            errors = []
            while n_success + len(errors) < times:
                error = _run_once(method, self, args, kwargs)
                if error is None:
                    n_success += 1
                else:
                    errors.append(error)
                if n_success >= min_success:
                    return
                if len(errors) > times - min_success:
                    break
            message = '%d of %d runs succeeded and %d failed, but %d must succeed' % (
                n_success, times, len(errors), min_success)
            if errors:
                message += '\n\nThe first error message:\n' + errors[0]
            self.fail(message)

        return repeated

    return decorate


def repeat(times: int) -> Callable[..., Any]:
    """Return a decorator that runs a test several times, all of which must succeed.

    Parameters
    ----------
    times : int
        Number of runs.

    Returns
    -------
    function
        Decorator of a method of :class:`unittest.TestCase`.
    """
    return repeat_with_success_at_least(times, times)


def retry(times: int) -> Callable[..., Any]:
    """Return a decorator that runs a test until it succeeds.

    Parameters
    ----------
    times : int
        Maximum number of runs.

    Returns
    -------
    function
        Decorator of a method of :class:`unittest.TestCase`.
    """
    return repeat_with_success_at_least(times, 1)


class QuietTestRunner:
    """Runs tests and prints nothing."""

    def run(self, suite: Any) -> unittest.TestResult:
        """Run a test or a suite, and return its :class:`unittest.TestResult`."""
        result = _Result()
        suite.run(result)
        return result


class _Result(unittest.TestResult):
    """Result that does not count pytest's skips as errors."""

    def addError(self, test, err) -> None:
        pytest = sys.modules.get('pytest')
        if pytest is not None and isinstance(err[1], pytest.skip.Exception):
            self.addSkip(test, str(err[1]))
        else:
            super().addError(test, err)


def _run_once(method, instance, args, kwargs):
    """Run a test method on a new instance.

    Returns
    -------
    str or None
        Traceback of the error, if any.

    Raises
    ------
    unittest.SkipTest
        If the test was skipped.
    """
    name = instance._testMethodName
    trial = type(instance)(name)

    def run():
        # The result is dropped because unittest warns about tests that return a value.
        method(trial, *args, **kwargs)

    # The attribute of the instance hides the repeating method of the class.
    setattr(trial, name, run)
    result = QuietTestRunner().run(trial)
    if result.skipped:
        raise unittest.SkipTest(result.skipped[0][1])
    problems = result.errors + result.failures
    return problems[0][1] if problems else None
