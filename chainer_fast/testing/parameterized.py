"""Test cases that run for each of many parameters."""
from __future__ import annotations

import functools
import itertools
import types
import unittest
from collections.abc import Callable
from typing import Any

import numpy

from chainer_fast import utils
from chainer_fast.testing import _bundle

# Maximum length of the value of a parameter in the name of a test case.
_MAX_VALUE_LENGTH = 100

# Scalars are shown by their values, so that names do not depend on NumPy's version.
_print_options = {'legacy': '1.25'} if int(numpy.__version__.split('.')[0]) >= 2 else {}


def parameterize(*params: Any) -> Callable[..., Any]:
    """Return a decorator that creates a test case for each of the parameters.

    The entries of a parameter are attributes of the test case. Functions among them
    remain plain functions; they do not become methods.

    Parameters
    ----------
    *params : dict
        Parameters. Keys are names of attributes.

    Returns
    -------
    function
        Decorator of a class, or of the result of another decorator of this package.

    Examples
    --------
    >>> import unittest
    >>> from chainer_fast import testing
    >>> @testing.parameterize({'n': 2}, {'n': 3})
    ... class TestPower(unittest.TestCase):
    ...     def test_positive(self):
    ...         assert 2 ** self.n > 0
    """
    def describe_cases(base):
        return [_describe_case(base, i, param) for i, param in enumerate(params)]

    return _bundle.make_decorator(describe_cases)


def parameterize_pytest(names: str, values: list[Any]) -> Callable[..., Any]:
    """Return :func:`parameterize` for arguments of ``pytest.mark.parametrize``.

    Parameters
    ----------
    names : str
        Names of the attributes, separated by commas.
    values : list
        Values of the attributes: tuples, or plain values if there is one name.

    Returns
    -------
    function
        Decorator of a test case.
    """
    return parameterize(*from_pytest_parameterize(names, values))


def from_pytest_parameterize(
        names: str, values: list[Any]) -> list[dict[Any, Any]]:
    """Convert arguments of ``pytest.mark.parametrize`` to dicts.

    Parameters
    ----------
    names : str
        Names, separated by commas.
    values : list
        Tuples of values, or plain values if there is one name.

    Returns
    -------
    list of dict
        The sets of parameters.
    """
    return _values_to_dicts(names, values)


def product(
        parameter: dict[str, list[Any] | list[list[dict[Any,
            Any]]]]) -> list[dict[Any, Any]]:
    """Return all combinations of the values of parameters.

    Parameters
    ----------
    parameter : dict of list, or list of list of dict
        The values of each parameter by name; or a list of the arguments of
        :func:`product_dict`. Parameters that vary together share an entry, whose key
        has their names separated by commas, and whose values are tuples.

    Returns
    -------
    list of dict
        Combinations; the values of the alphabetically last name change fastest.

    Examples
    --------
    >>> from chainer_fast import testing
    >>> for combination in testing.product({'dtype': ['f', 'd'], 'n': [1, 2]}):
    ...     print(combination)
    {'dtype': 'f', 'n': 1}
    {'dtype': 'f', 'n': 2}
    {'dtype': 'd', 'n': 1}
    {'dtype': 'd', 'n': 2}
    """
    if isinstance(parameter, dict):
        assert all(isinstance(v, (list, tuple)) for v in parameter.values()), (
            'expected lists of values, got %s' % {
                k: type(v).__name__ for k, v in parameter.items()})
        return product_dict(*[
            _values_to_dicts(names, parameter[names]) for names in sorted(parameter)])
    if not isinstance(parameter, list):
        raise TypeError(
            'expected a dict of lists or a list of lists of dicts, not %s'
            % type(parameter).__name__)
    if not all(isinstance(ds, (list, tuple)) and all(isinstance(d, dict) for d in ds)
               for ds in parameter):
        raise TypeError('the elements of the list must be lists of dicts')
    return product_dict(*parameter)


def product_dict(*parameters: Any) -> list[dict[Any, Any]]:
    """Return all combinations of dicts, each merged into one.

    Parameters
    ----------
    *parameters : list of dict
        Each combination consists of one dict from each list. If they share a key, the
        last dict takes precedence.

    Returns
    -------
    list of dict
        The sets of parameters.

    Examples
    --------
    >>> from chainer_fast import testing
    >>> testing.product_dict([{'n': 1}, {'n': 2}], [{'bias': True}])
    [{'n': 1, 'bias': True}, {'n': 2, 'bias': True}]
    """
    return [_merge(dicts) for dicts in itertools.product(*parameters)]


# `product_dict` may be replaced by `_pairwise_product_dict` while tests are collected.
_product_dict_orig = product_dict


def _pairwise_product_dict(*parameters):
    """Return combinations that cover every pair of choices, instead of all."""
    parameters = [list(dicts) for dicts in parameters]
    return [_merge([dicts[i] for dicts, i in zip(parameters, choice, strict=True)])
            for choice in _cover_pairs([len(dicts) for dicts in parameters])]


def _cover_pairs(shape):
    """Return tuples of indices that contain all pairs of indices of any two axes.

    The algorithm is greedy: each tuple starts from a missing pair, and its other
    indices are those that cover the most missing pairs; earlier indices are preferred.
    """
    if len(shape) < 2 or 0 in shape:
        return list(itertools.product(*map(range, shape)))
    missing = dict.fromkeys(
        ((a, i), (b, j))
        for a, b in itertools.combinations(range(len(shape)), 2)
        for i in range(shape[a]) for j in range(shape[b]))
    tuples = []
    while missing:
        chosen = dict(next(iter(missing)))
        for axis in range(len(shape)):
            if axis not in chosen:
                chosen[axis] = max(range(shape[axis]), key=lambda i: sum(
                    tuple(sorted([(axis, i), other])) in missing
                    for other in chosen.items()))
        tuples.append(tuple(chosen[axis] for axis in range(len(shape))))
        for pair in itertools.combinations(enumerate(tuples[-1]), 2):
            missing.pop(pair, None)
    return tuples


def _merge(dicts):
    merged = {}
    for d in dicts:
        merged.update(d)
    return merged


def _values_to_dicts(names, values):
    assert isinstance(names, str), (
        'expected names separated by commas, got %r' % (names,))
    keys = [name.strip() for name in names.split(',')]
    if len(keys) == 1:
        return [{keys[0]: value} for value in values]
    for value in values:
        assert isinstance(value, (tuple, list)) and len(value) == len(keys), (
            'expected a value for each of %s, got %r' % (keys, value))
    return [dict(zip(keys, value, strict=True)) for value in values]


# Test cases of parameters
#

def _describe_case(base, i, param):
    """Return name, attributes and converter of methods of one test case."""
    def __str__(self):
        return '%s  parameter: %s' % (base.__str__(self), param)

    members = {'__str__': __str__}
    for name, value in param.items():
        is_method_as_attribute = isinstance(
            value, (types.FunctionType, functools.partial))
        members[name] = staticmethod(value) if is_method_as_attribute else value
    return (_make_class_name(base.__name__, i, param), members,
            functools.partial(_report_parameters, base, param))


def _report_parameters(base, param, method):
    """Wrap a test method so that its errors include the parameters."""
    @functools.wraps(method)
    def wrapper(self, *args, **kwargs):
        try:
            return method(self, *args, **kwargs)
        except unittest.SkipTest:
            raise
        except Exception as e:
            if not _takes_message(type(e)):
                raise
            parameters = ''.join(
                '  %s: %s\n' % (name, param[name]) for name in sorted(param, key=str))
            utils._raise_from(type(e), '%s.%s failed with these parameters:\n%s' % (
                base.__name__, method.__name__, parameters), e)

    return wrapper


def _takes_message(exception_type):
    """Return whether an exception can be created from its message only."""
    try:
        exception_type('')
    except Exception:
        return False
    return True


def _make_class_name(base_class_name, i_param, param):
    values = ', '.join(
        '%s=%s' % (name, _shorten(_param_to_str(param[name]), _MAX_VALUE_LENGTH))
        for name in sorted(param, key=str))
    return '%s_param_%d_{%s}' % (base_class_name, i_param, values)


def _param_to_str(obj):
    """Return the text for a parameter's value in the name of a test case."""
    if obj is numpy.bool_:
        return 'bool_'
    name = getattr(obj, '__name__', None)
    if isinstance(name, str):
        return name
    with numpy.printoptions(**_print_options):
        return repr(obj)


def _shorten(s, maxlen):
    """Replace the middle of a text by an ellipsis if it is too long."""
    ellipsis = '...'
    n_kept = maxlen - len(ellipsis)
    assert n_kept > 0, 'no room beside an ellipsis: %s' % (maxlen,)
    if len(s) <= maxlen:
        return s
    n_head = n_kept // 2
    return s[:n_head] + ellipsis + s[len(s) - (n_kept - n_head):]
