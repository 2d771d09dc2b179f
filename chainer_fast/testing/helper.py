"""Warnings, requirements and patches."""
from __future__ import annotations

import contextlib
import importlib
import importlib.metadata
import unittest
import unittest.mock
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

from chainer_fast._version import __version__


@contextlib.contextmanager
def assert_warns(expected: type | tuple[type, ...]) -> Iterator[None]:
    """Assert that a ``with`` block warns.

    Other warnings are ignored.

    Parameters
    ----------
    expected : type or tuple of type
        Category of the warning, or a tuple of categories, of which one suffices.

    Raises
    ------
    AssertionError
        If the block ends without such a warning.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        yield
    if not any(isinstance(w.message, expected) for w in caught):
        raise AssertionError('there was no warning of %s; warnings in the block: %s' % (
            getattr(expected, '__name__', expected),
            [w.category.__name__ for w in caught]))


def with_requires(*requirements: Any) -> Callable[..., Any]:
    """Return a decorator that skips a test unless distributions are installed.

    Parameters
    ----------
    *requirements : str
        Requirements in pip's syntax, such as ``'scipy>=1.0'``. All must be met.

    Returns
    -------
    function
        Decorator of a test function or a test case.

    Examples
    --------
    >>> from chainer_fast import testing
    >>> @testing.with_requires('numpy>=1.26')
    ... def test_sum():
    ...     assert np.sum([1, 2]) == 3
    """
    return unittest.skipUnless(
        _are_satisfied(requirements), 'requires: ' + ','.join(requirements))


def without_requires(*requirements: Any) -> Callable[..., Any]:
    """Return a decorator that skips a test if distributions are installed.

    The opposite of :func:`with_requires`: the test runs if a requirement is not met.

    Parameters
    ----------
    *requirements : str
        Requirements in pip's syntax.

    Returns
    -------
    function
        Decorator of a test function or a test case.

    Examples
    --------
    >>> from chainer_fast import testing
    >>> @testing.without_requires('numpy>=1.0')
    ... def test_without_numpy():
    ...     assert False, 'never run'
    """
    return unittest.skipIf(
        _are_satisfied(requirements), 'requires: ' + ','.join(requirements))


def _are_satisfied(requirements):
    """Return whether the installed distributions meet requirements of pip's syntax."""
    # It is installed with pytest.
    from packaging import requirements as syntax

    for requirement in map(syntax.Requirement, requirements):
        if requirement.marker is not None and not requirement.marker.evaluate():
            continue
        try:
            # This package counts as Chainer, whether or not it is imported by that
            # name.
            version = __version__ if requirement.name == 'chainer' else (
                importlib.metadata.version(requirement.name))
        except importlib.metadata.PackageNotFoundError:
            return False
        if not requirement.specifier.contains(version, prereleases=True):
            return False
    return True


def patch(target: str, *args: Any, **kwargs: Any) -> AbstractContextManager[Any]:
    """Replace an object by a mock, like :func:`unittest.mock.patch`.

    Unlike that function, it creates a mock that forwards calls to the replaced object
    unless another object to call is given.

    Parameters
    ----------
    target : str
        Full name of the object, such as ``'numpy.linalg.svd'``.
    *args, **kwargs
        Other arguments of :func:`unittest.mock.patch`.

    Returns
    -------
    context manager
        Context manager that returns the mock, which records its calls.

    Examples
    --------
    >>> from chainer_fast import testing
    >>> with testing.patch('numpy.tanh') as tanh:
    ...     y = np.tanh(np.zeros(1))
    >>> tanh.call_count
    1
    """
    if not args and 'new' not in kwargs:
        kwargs.setdefault('wraps', _import_object_from_name(target))
    return unittest.mock.patch(target, *args, **kwargs)


def _import_object_from_name(fullname):
    """Return the object with a dotted name that begins with the name of a module."""
    parts = fullname.split('.')
    for n_module in range(len(parts), 0, -1):
        try:
            found = importlib.import_module('.'.join(parts[:n_module]))
        except ImportError:
            continue
        for part in parts[n_module:]:
            found = getattr(found, part)
        return found
    raise RuntimeError("Can't import %s: no such module" % (parts[0],))
