"""Parts shared by tests of functions and of links."""
import contextlib
import functools

import numpy

from chainer_fast import gradient_check, utils, variable
from chainer_fast.testing import array as _array


class _TestError(AssertionError):
    """Failure of the tested object, as opposed to an error in the test itself."""

    @classmethod
    def fail(cls, message, exc=None):
        """Raise this error, with the text of the exception that caused it."""
        if exc is None:
            raise cls(message)
        utils._raise_from(cls, message, exc)

    @classmethod
    def check(cls, expr, message):
        """Raise this error unless an expression is true."""
        if not expr:
            cls.fail(message)

    @classmethod
    def raise_if_fail(cls, message, error_types=AssertionError):
        """Return a context manager that turns errors inside into this error."""
        return _convert_errors(error_types, functools.partial(cls.fail, message))


@contextlib.contextmanager
def _convert_errors(error_types, convert):
    try:
        yield
    except error_types as e:
        convert(e)


class FunctionTestError(_TestError):
    """Error of a test whose function is wrong."""


class LinkTestError(_TestError):
    """Error of a test whose link is wrong."""


# Checks of the results of a test case's methods
#

def _check_array_types(arrays, device, func_name):
    """Raise ``TypeError`` for anything but a tuple of arrays of the device or None."""
    if not isinstance(arrays, tuple):
        raise TypeError(
            '%s() must return a tuple, not %s' % (func_name, type(arrays).__name__))
    supported = device.supported_array_types
    if not all(a is None or isinstance(a, supported) for a in arrays):
        raise TypeError(
            '%s() must return a tuple of arrays of device %s or None, not %s' % (
                func_name, device, [type(a).__name__ for a in arrays]))


def _check_variable_types(vars, device, func_name, test_error_cls):
    """Raise the error unless ``vars`` is a tuple of variables on the device."""
    if not isinstance(vars, tuple):
        test_error_cls.fail(
            '%s() must return a tuple, not %s' % (func_name, type(vars).__name__))
    for var in vars:
        if not isinstance(var, variable.Variable):
            test_error_cls.fail('%s() must return a tuple of variables, not of %s' % (
                func_name, type(var).__name__))
        if not isinstance(var.array, device.supported_array_types):
            test_error_cls.fail(
                '%s() must return variables on device %s, not arrays of type %s' % (
                    func_name, device, type(var.array).__name__))


def _check_arrays_equal(actual_arrays, expected_arrays, test_error_cls, **opts):
    """Raise the error unless arrays have equal shapes, dtypes and values.

    The keyword arguments are those of :func:`chainer_fast.testing.assert_allclose`.
    """
    actual_props = [(a.shape, a.dtype) for a in actual_arrays]
    expected_props = [(a.shape, a.dtype) for a in expected_arrays]
    props = 'expected: %s\nactual:   %s' % (
        utils._format_array_props(expected_arrays),
        utils._format_array_props(actual_arrays))
    test_error_cls.check(
        len(actual_props) == len(expected_props),
        'there are %d outputs, but %d are expected\n%s' % (
            len(actual_props), len(expected_props), props))
    test_error_cls.check(
        actual_props == expected_props,
        'shapes or dtypes of outputs differ from the expected ones\n' + props)
    problems = {}
    for i, (actual, expected) in enumerate(
            zip(actual_arrays, expected_arrays, strict=True)):
        try:
            _array.assert_allclose(actual, expected, **opts)
        except AssertionError as e:
            problems[i] = str(e)
    test_error_cls.check(
        not problems,
        'outputs %s differ from the expected ones\n%s\n%s' % (
            list(problems), props, ''.join(
                '\noutput %d:\n%s\n' % item for item in problems.items())))


# Steps of the tests
#

def _draw_like(templates):
    """Draw arrays with the shapes and dtypes of given ones, uniformly in [-1, 1)."""
    return tuple(numpy.random.uniform(-1, 1, a.shape).astype(a.dtype)
                 for a in templates)


def _with_contiguousness(arrays, contiguous):
    """Return arrays in the layout specified by ``contiguous`` of a test case."""
    if contiguous is None:
        return _array._as_noncontiguous_array(arrays)
    assert contiguous == 'C', (
        "contiguous must be None or 'C', not %r" % (contiguous,))
    return arrays


def _send_variables(device, arrays):
    """Return new variables on a device."""
    return [variable.Variable(device.send(a), requires_grad=a.dtype.kind == 'f')
            for a in arrays]


# Number of times that inputs are redrawn because the function is not differentiable.
_MAX_DODGES = 10000


def _check_dodging(attempt, dodge, test_error_cls, message):
    """Run an attempt to check gradients; raise its failure as the given error.

    If ``dodge`` is true, an attempt at a point where the function is not differentiable
    is repeated, which draws another point.
    """
    with test_error_cls.raise_if_fail(message):
        for _ in range(_MAX_DODGES):
            try:
                return attempt()
            except gradient_check.NondifferentiableError:
                if not dodge:
                    raise
        raise AssertionError(
            'none of %d inputs is a point at which the function is differentiable'
            % _MAX_DODGES)
