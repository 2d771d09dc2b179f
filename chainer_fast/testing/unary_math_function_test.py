"""Tests of functions that map each element of an array separately."""
from __future__ import annotations

import unittest
import warnings
from collections.abc import Callable
from typing import Any

import numpy

from chainer_fast import function, gradient_check
from chainer_fast.backends import cuda
from chainer_fast.testing import array, attr, parameterized
from chainer_fast.variable import Variable

_error = attr.get_error()


def is_available() -> bool:
    """Return whether pytest is installed."""
    return attr.is_available()


def check_available() -> None:
    """Raise ``RuntimeError`` if pytest is not installed."""
    attr.check_available()


def unary_math_function_unittest(
        func: Any, func_expected: Callable[..., Any] | None = None,
        label_expected: str | None = None,
        make_data: Callable[..., Any] | None = None, is_linear: Any = None,
        forward_options: dict[Any, Any] | None = None,
        backward_options: dict[Any, Any] | None = None,
        double_backward_options: dict[Any,
            Any] | None = None) -> Callable[..., Any]:
    """Return a decorator that fills a test case with tests of an elementwise function.

    The tests compare the function with a reference, and its first and second
    derivatives with finite differences, for arrays of shape ``(3, 2)`` and ``()`` in
    float16, float32 and float64.

    Parameters
    ----------
    func : function or Function
        The function. An instance of an old-style function is tested without second
        derivatives, and its label is checked.
    func_expected : callable, optional
        The reference, called with an array and a dtype. Default: NumPy's function of
        the same name.
    label_expected : str, optional
        Label of an old-style function. Default: its name.
    make_data : callable, optional
        Function of a shape and a dtype that returns an input, a gradient of the output,
        and a gradient of the gradient of the input. Default: uniform in [-1, 1).
    is_linear
        Ignored.
    forward_options : dict, optional
        Arguments of :func:`~chainer_fast.testing.assert_allclose`.
    backward_options, double_backward_options : dict, optional
        Arguments of :func:`~chainer_fast.gradient_check.check_backward` and
        :func:`~chainer_fast.gradient_check.check_double_backward`. All options override
        the defaults for the dtype.

    Returns
    -------
    function
        Decorator of a subclass of :class:`unittest.TestCase`.

    Raises
    ------
    ValueError
        If NumPy has no function of this name, or if ``label_expected`` is given for a
        function without a label.

    Warns
    -----
    DeprecationWarning
        If ``is_linear`` is given.
    """
    check_available()
    if is_linear is not None:
        warnings.warn(
            'is_linear has no effect: omit it', DeprecationWarning, stacklevel=2)
    is_old_style = isinstance(func, function.Function)
    name = type(func).__name__.lower() if is_old_style else func.__name__
    if func_expected is None:
        numpy_function = getattr(numpy, name, None)
        if numpy_function is None:
            raise ValueError(
                'NumPy has no function %s to compare with: give func_expected' % (
                    name,))

        def func_expected(x, dtype):
            return numpy_function(cuda.to_cpu(x), dtype=dtype)

    if label_expected is None:
        label_expected = name
    elif not is_old_style:
        raise ValueError(
            'label_expected is given, but %s is a function without a label' % (name,))
    tests = _make_tests(
        func, func_expected, make_data or _make_data_default,
        forward_options or {}, backward_options or {}, double_backward_options or {})
    if is_old_style:
        tests = {k: f for k, f in tests.items() if 'double_backward' not in k}

        def test_label(self):
            self.assertEqual(func.label, label_expected)

        tests['test_label'] = test_label

    def decorate(klass):
        assert issubclass(klass, unittest.TestCase), (
            'expected a subclass of unittest.TestCase, not %s' % (klass,))
        for attribute, value in tests.items():
            setattr(klass, attribute, value)
        return parameterized.parameterize(*parameterized.product({
            'shape': [(3, 2), ()],
            'dtype': [numpy.float16, numpy.float32, numpy.float64],
        }))(klass)

    return decorate


def _make_tests(func, func_expected, make_data, forward_options, backward_options,
                double_backward_options):
    """Return the methods of the test case by name."""
    class Tests:

        def setUp(self):
            self.x, self.gy, self.ggx = make_data(self.shape, self.dtype)
            forward, backward = _default_options(self.dtype)
            self.forward_options = {**forward, **forward_options}
            self.backward_options = {**backward, **backward_options}
            self.double_backward_options = {**backward, **double_backward_options}

        def check_forward(self, x_data):
            y = func(Variable(x_data))
            self.assertEqual(y.dtype, x_data.dtype)
            array.assert_allclose(
                func_expected(x_data, x_data.dtype), y.array, **self.forward_options)

        def check_backward(self, x_data, y_grad):
            gradient_check.check_backward(
                func, x_data, y_grad, **self.backward_options)

        def check_double_backward(self, x_data, y_grad, x_grad_grad):
            gradient_check.check_double_backward(
                func, x_data, y_grad, x_grad_grad, **self.double_backward_options)

    tests = {name: method for name, method in vars(Tests).items()
             if not name.startswith('__')}
    for check_name, data_names in (
            ('forward', ('x',)), ('backward', ('x', 'gy')),
            ('double_backward', ('x', 'gy', 'ggx'))):
        for test in _make_device_tests(check_name, data_names):
            tests[test.__name__] = test
    return tests


def _make_device_tests(check_name, data_names):
    """Return tests that call a check with data on the CPU and on a GPU."""
    def run(self, to_device):
        data = [to_device(getattr(self, name)) for name in data_names]
        getattr(self, 'check_' + check_name)(*data)

    def test_cpu(self):
        run(self, lambda x: x)

    @attr.gpu
    def test_gpu(self):
        run(self, cuda.to_gpu)

    for test in (test_cpu, test_gpu):
        # e.g. 'test_double_backward_cpu'
        test.__name__ = test.__name__.replace('test', 'test_' + check_name)
    return test_cpu, test_gpu


def _default_options(dtype):
    """Return the options for comparing outputs, and for comparing gradients."""
    if dtype == numpy.float16:
        precision = float(numpy.finfo(dtype).eps)
        step = 2. ** -4
        return ({'atol': precision, 'rtol': precision},
                {'eps': step, 'atol': step, 'rtol': step, 'dtype': numpy.float64})
    return ({'atol': 1e-4, 'rtol': 1e-4},
            {'atol': 1e-4, 'rtol': 1e-4, 'dtype': numpy.float64})


def _make_data_default(shape, dtype):
    """Draw an input, a gradient of the output, and one of the input's gradient."""
    return tuple(numpy.asarray(numpy.random.uniform(-1, 1, shape), dtype)
                 for _ in range(3))
