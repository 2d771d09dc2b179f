import sys
import types
import unittest
import warnings

import numpy
import pytest

import chainer_fast
import chainer_fast.functions as F
from chainer_fast import testing
from chainer_fast.testing import unary_math_function_test


@pytest.fixture
def make(monkeypatch):
    """Return a function that makes a bundle of test cases."""
    module = types.ModuleType('module_of_test_cases')
    monkeypatch.setitem(sys.modules, module.__name__, module)

    def make(func, **options):
        test = type('Test', (unittest.TestCase,), {'__module__': module.__name__})
        return testing.unary_math_function_unittest(func, **options)(test)

    return make


def failed(bundle, suffix='_cpu'):
    """Run the tests, and return the names of those that fail."""
    names = set()
    for case in bundle.cases:
        for name in dir(case.klass):
            if name.startswith('test_') and name.endswith(suffix):
                result = unittest.TestResult()
                case.klass(name).run(result)
                if not result.wasSuccessful():
                    names.add(name)
    return names


def test_right(make):
    bundle = make(F.sin)
    assert failed(bundle) == set()
    assert [case.class_name for case in bundle.cases] == [
        'Test_param_%d_{dtype=%s, shape=%s}' % (2 * i + j, dtype, shape)
        for i, dtype in enumerate(('float16', 'float32', 'float64'))
        for j, shape in enumerate(((3, 2), ()))]
    klass = bundle.cases[0].klass
    assert {name for name in dir(klass) if name.startswith('test_')} == {
        'test_%s_%s' % (what, where)
        for what in ('forward', 'backward', 'double_backward')
        for where in ('cpu', 'gpu')}
    for name in ('forward', 'backward', 'double_backward'):
        marks = getattr(klass, 'test_%s_gpu' % name).pytestmark
        assert [m.name for m in marks] == ['gpu']
        assert not hasattr(getattr(klass, 'test_%s_cpu' % name), 'pytestmark')


def test_wrong_forward(make):
    assert failed(make(F.sin, func_expected=lambda x, dtype: numpy.cos(x))) == {
        'test_forward_cpu'}


class Wrong(chainer_fast.FunctionNode):
    """Identity whose derivatives are wrong at will."""

    def __init__(self, first, second):
        self.first = first
        self.second = second

    def forward(self, inputs):
        return inputs[0].copy(),

    def backward(self, indexes, gy):
        gx, = Wrong(self.second, 1).apply(gy)
        return gx * self.first,


@pytest.mark.parametrize('first, second, expected', [
    (1, 1, set()), (3, 1, {'test_backward_cpu'}), (1, 3, {'test_double_backward_cpu'})])
def test_wrong_backward(first, second, expected, make):
    def func(x):
        return Wrong(first, second).apply((x,))[0]

    def make_data(shape, dtype):
        return tuple(numpy.full(shape, 0.5, dtype) for _ in range(3))

    assert failed(make(
        func, func_expected=lambda x, dtype: x, make_data=make_data)) == expected


def test_dtype_must_be_kept(make):
    def func(x):
        return F.cast(x, 'd')

    assert 'test_forward_cpu' in failed(
        make(func, func_expected=lambda x, dtype: x.astype('d')))


def test_options(make):
    bundle = make(
        F.sin, make_data=lambda shape, dtype: (numpy.ones(shape, dtype),) * 3,
        forward_options={'atol': 5}, backward_options={'eps': 7})
    half = bundle.cases[0].klass('test_forward_cpu')
    half.setUp()
    assert (half.x == 1).all()
    assert half.forward_options == {'atol': 5, 'rtol': 2. ** -10}
    assert half.backward_options == {
        'eps': 7, 'atol': 0.0625, 'rtol': 0.0625, 'dtype': numpy.float64}
    assert half.double_backward_options['eps'] == 0.0625
    single = bundle.cases[2].klass('test_forward_cpu')
    single.setUp()
    assert single.forward_options == {'atol': 5, 'rtol': 1e-4}
    assert single.double_backward_options == {
        'atol': 1e-4, 'rtol': 1e-4, 'dtype': numpy.float64}


def test_default_data():
    numpy.random.seed(0)
    data = unary_math_function_test._make_data_default((2,), numpy.float16)
    numpy.random.seed(0)
    expected = numpy.random.uniform(-1, 1, (3, 2)).astype('e')
    numpy.testing.assert_array_equal(data, expected)


class Sin(chainer_fast.Function):
    label = 'sine'

    def forward(self, inputs):
        return numpy.asarray(numpy.sin(inputs[0])),

    def backward(self, inputs, gy):
        return numpy.asarray(gy[0] * numpy.cos(inputs[0])),


@pytest.mark.parametrize('label, expected', [
    (None, {'test_label'}), ('sine', set())])
def test_old_style(label, expected, make):
    bundle = make(Sin(), label_expected=label)
    assert failed(bundle) | failed(bundle, 'label') == expected
    assert not hasattr(bundle.cases[0].klass, 'test_double_backward_cpu')


def test_no_reference():
    def function_that_numpy_lacks(x):
        pass

    with pytest.raises(ValueError, match='function_that_numpy_lacks'):
        testing.unary_math_function_unittest(function_that_numpy_lacks)


def test_no_label():
    with pytest.raises(ValueError, match='label'):
        testing.unary_math_function_unittest(F.sin, label_expected='sin')


def test_not_a_test_case():
    with pytest.raises(AssertionError, match='TestCase'):
        testing.unary_math_function_unittest(F.sin)(object)


def test_is_linear():
    with pytest.warns(DeprecationWarning, match='is_linear'):
        testing.unary_math_function_unittest(F.sin, is_linear=True)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        testing.unary_math_function_unittest(F.sin)


def test_available():
    unary_math_function_test.check_available()
    assert unary_math_function_test.is_available()
