import functools
import itertools
import sys
import types
import unittest

import hypothesis
import hypothesis.strategies as st
import numpy
import pytest

from chainer_fast import testing
from chainer_fast.testing import parameterized


@pytest.fixture
def module(monkeypatch):
    """A module for test cases to stand in."""
    module = types.ModuleType('module_of_test_cases')
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return module


def make(module, *bases, **members):
    return type('Test', bases or (unittest.TestCase,),
                {'__module__': module.__name__, **members})


def run(case, name):
    """Run a method without a runner, and return what it returns."""
    return getattr(case.klass(name), name)()


# Combinations
#

def test_product():
    assert testing.product({'b': [3, 4], 'a': (1, 2)}) == [
        {'a': 1, 'b': 3}, {'a': 1, 'b': 4}, {'a': 2, 'b': 3}, {'a': 2, 'b': 4}]
    assert testing.product({'a': [1], 'b': []}) == []
    assert testing.product({}) == [{}]


def test_product_of_joint_parameters():
    assert testing.product({'b,a': [(1, 2), [3, 4]], 'c': [(5, 6)]}) == [
        {'a': 2, 'b': 1, 'c': (5, 6)}, {'a': 4, 'b': 3, 'c': (5, 6)}]


def test_product_of_list():
    assert testing.product([[{'a': 1}], [{'b': 1}, {'b': 2}]]) == [
        {'a': 1, 'b': 1}, {'a': 1, 'b': 2}]


@pytest.mark.parametrize('parameter, error', [
    ({'a': 1}, AssertionError), ({'a': 'xy'}, AssertionError),
    ([{'a': [1]}], TypeError), (({'a': [1]},), TypeError), (None, TypeError)])
def test_product_invalid(parameter, error):
    with pytest.raises(error):
        testing.product(parameter)


def test_product_dict():
    assert testing.product_dict([{'a': 1, 'b': 1}, {'a': 2}], [{'b': 3}]) == [
        {'a': 1, 'b': 3}, {'a': 2, 'b': 3}]
    assert testing.product_dict() == [{}]
    assert testing.product_dict is parameterized._product_dict_orig


@hypothesis.given(st.lists(st.integers(0, 4), max_size=5))
def test_pairwise(sizes):
    parameters = [[{name: i} for i in range(n)]
                  for name, n in zip('abcde', sizes, strict=False)]
    every = parameterized._product_dict_orig(*parameters)
    some = parameterized._pairwise_product_dict(*parameters)

    def pairs(dicts):
        return {pair for d in dicts for pair in itertools.combinations(d.items(), 2)}

    assert all(d in every for d in some)
    assert len({tuple(d.items()) for d in some}) == len(some)
    assert pairs(some) == pairs(every)


def test_pairwise_is_shorter():
    parameters = [[{name: i} for i in range(4)] for name in 'abcd']
    assert 16 <= len(parameterized._pairwise_product_dict(*parameters)) < 40


def test_pairwise_in_place_of_product_dict(monkeypatch):
    monkeypatch.setattr(
        parameterized, 'product_dict', parameterized._pairwise_product_dict)
    assert len(testing.product({'a': [0, 1], 'b': [0, 1], 'c': [0, 1]})) < 8


def test_from_pytest_parameterize():
    assert testing.from_pytest_parameterize('a,b', [(1, 2), [3, 4]]) == [
        {'a': 1, 'b': 2}, {'a': 3, 'b': 4}]
    assert testing.from_pytest_parameterize('a', [1, (2, 3)]) == [
        {'a': 1}, {'a': (2, 3)}]


@pytest.mark.parametrize('names, values', [
    (['a', 'b'], [(1, 2)]), ('a,b', [(1, 2, 3)]), ('a,b', [1])])
def test_from_pytest_parameterize_invalid(names, values):
    with pytest.raises(AssertionError, match='expected'):
        testing.from_pytest_parameterize(names, values)


# Names
#

@pytest.mark.parametrize('value, text', [
    (1, '1'), ('a', "'a'"), (None, 'None'), ((1, 'x'), "(1, 'x')"),
    (numpy.float32, 'float32'), (numpy.bool_, 'bool_'), (len, 'len'),
    (numpy.sin, 'sin'), (unittest.TestCase, 'TestCase'), (lambda: 0, '<lambda>'),
    (slice(1, None), 'slice(1, None, None)'),
    # As NumPy 1 shows them.
    (numpy.float32(1.5), '1.5'), ([numpy.int64(3)], '[3]'), (numpy.str_('a'), "'a'"),
    (numpy.array([0., 1.], 'f'), 'array([0., 1.], dtype=float32)'),
])
def test_value_in_name(value, text):
    assert parameterized._make_class_name(
        'Test', 3, {'b': value, 'a': 0}) == 'Test_param_3_{a=0, b=%s}' % text


def test_long_value_in_name():
    name = parameterized._make_class_name('T', 0, {'a': '0123456789' * 11})
    value = name[len('T_param_0_{a='):-1]
    assert len(value) == 100
    assert value.startswith("'01234")
    assert value.endswith("56789'")
    assert value[48:51] == '...'


@pytest.mark.parametrize('text, length, expected', [
    ('abcdefghij', 10, 'abcdefghij'), ('abcdefghijk', 10, 'abc...hijk'),
    ('abcdefgh', 4, '...h')])
def test_shorten(text, length, expected):
    assert parameterized._shorten(text, length) == expected


def test_shorten_too_much():
    with pytest.raises(AssertionError):
        parameterized._shorten('abcd', 3)


# Test cases
#

def test_parameterize(module):
    bundle = testing.parameterize({'a': 1, 'b': [2]}, {'a': 3})(make(
        module, a=0, b=0, test_it=lambda self: (self.a, self.b)))
    names = ['Test_param_0_{a=1, b=[2]}', 'Test_param_1_{a=3}']
    assert [case.class_name for case in bundle.cases] == names
    assert [run(case, 'test_it') for case in bundle.cases] == [(1, [2]), (3, 0)]
    for case in bundle.cases:
        assert getattr(module, case.class_name) is case.klass
        assert case.klass.__module__ == case.module_name == module.__name__
        assert case.klass.__name__ == case.class_name
    assert str(bundle.cases[1].klass('test_it')).endswith("parameter: {'a': 3}")


def test_parameterize_pytest(module):
    bundle = testing.parameterize_pytest('a,b', [(1, 2), (3, 4)])(make(
        module, test_it=lambda self: (self.a, self.b)))
    assert [run(case, 'test_it') for case in bundle.cases] == [(1, 2), (3, 4)]


def test_stacked(module):
    test = make(module, test_it=lambda self: (self.a, self.b))
    inner = testing.parameterize({'a': 1}, {'a': 2})(test)
    bundle = testing.parameterize({'b': 3}, {'b': 4})(inner)
    assert [case.class_name for case in bundle.cases] == [
        'Test_param_%d_{a=%d}_param_%d_{b=%d}' % (i, i + 1, j, j + 3)
        for i in range(2) for j in range(2)]
    assert [run(case, 'test_it') for case in bundle.cases] == [
        (1, 3), (1, 4), (2, 3), (2, 4)]
    # The classes in between are no test cases of the module.
    assert {n for n in vars(module) if n.startswith('Test')} == {
        case.class_name for case in bundle.cases}


def test_functions_are_not_methods(module):
    bound = make(module)('__str__')

    class Callable:
        def __call__(self, x):
            return x

    values = [lambda x: x, Callable(), Callable().__call__, functools.partial(int)]
    bundle = testing.parameterize(*[{'f': f} for f in values])(make(
        module, test_it=lambda self: self.f(5)))
    assert [run(case, 'test_it') for case in bundle.cases] == [5] * 4
    assert bundle.cases[0].klass('test_it').f is values[0]
    assert bound is not None


def test_inherited_tests(module):
    def fail(self):
        raise KeyError

    base = make(module, test_inherited=fail)
    case, = testing.parameterize({'a': 1})(make(module, base)).cases
    with pytest.raises(KeyError, match='a: 1'):
        run(case, 'test_inherited')


def test_static_methods_are_left_alone(module):
    case, = testing.parameterize({'a': 1})(make(
        module, test_static=staticmethod(lambda: 5))).cases
    assert case.klass.test_static() == 5


def test_other_attributes_are_left_alone(module):
    def helper(self):
        raise KeyError('plain')

    case, = testing.parameterize({'a': 1})(make(
        module, helper=helper, test_none=None)).cases
    assert case.klass.test_none is None
    with pytest.raises(KeyError) as e:
        case.klass('helper').helper()
    assert e.value.args == ('plain',)


def test_error_tells_parameters(module):
    def fail(self):
        raise ValueError('the cause', 1)

    case, = testing.parameterize({'b': numpy.float32, 'a': 1})(
        make(module, test_it=fail)).cases
    with pytest.raises(ValueError) as e:
        run(case, 'test_it')
    assert str(e.value).splitlines() == [
        'Test.%s failed with these parameters:' % fail.__name__, '  a: 1',
        "  b: <class 'numpy.float32'>", '', '', '(caused by)',
        "ValueError: ('the cause', 1)"]
    assert any(entry.name == 'fail' for entry in e.traceback)


def test_error_that_takes_more_than_a_message(module):
    error = UnicodeDecodeError('utf8', b'a', 0, 1, 'the reason')

    def fail(self):
        raise error

    case, = testing.parameterize({'a': 1})(make(module, test_it=fail)).cases
    with pytest.raises(UnicodeDecodeError) as e:
        run(case, 'test_it')
    assert e.value is error


@pytest.mark.parametrize('exception', [
    unittest.SkipTest('why'), pytest.skip.Exception('why', allow_module_level=True),
    KeyboardInterrupt('why')])
def test_skips_pass_through(exception, module):
    def skip(self):
        raise exception

    case, = testing.parameterize({'a': 1})(make(module, test_it=skip)).cases
    with pytest.raises(type(exception)) as e:
        run(case, 'test_it')
    assert e.value is exception


def test_marks_are_kept(module):
    @pytest.mark.xfail
    def test_it(self):
        pass

    case, = testing.parameterize({'a': 1})(make(module, test_it=test_it)).cases
    assert [m.name for m in case.klass.test_it.pytestmark] == ['xfail']


def test_no_parameters(module):
    bundle = testing.parameterize()(make(module))
    assert bundle.cases == []
    assert testing.parameterize({'a': 1})(bundle).cases == []


def test_not_a_class():
    with pytest.raises(TypeError, match='test case'):
        testing.parameterize({'a': 1})(lambda: None)
