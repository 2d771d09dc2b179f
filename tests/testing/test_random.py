import random
import unittest

import numpy
import pytest

from chainer_fast import testing
from chainer_fast.testing import random as testing_random

# What numpy.random.seed(100) gives.
FIRST, SECOND = 0.5434049417909654, 0.27836938509379616


@pytest.fixture(autouse=True)
def states():
    python, numpys = random.getstate(), numpy.random.get_state()
    yield
    assert testing_random._nest_count == 0
    random.setstate(python)
    numpy.random.set_state(numpys)


def run(klass):
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(klass).run(result)
    return result


def test_fix_random():
    drawn = []

    class Test(unittest.TestCase):
        def setUp(self):
            drawn.append(numpy.random.rand())

        def test(self):
            drawn.append(numpy.random.rand())

    assert testing.fix_random()(Test) is Test
    numpy.random.seed(3)
    expected_next = numpy.random.rand()
    numpy.random.seed(3)
    assert run(Test).wasSuccessful()
    assert run(Test).wasSuccessful()
    assert drawn == [FIRST, SECOND] * 2
    assert numpy.random.rand() == expected_next


def test_python_state_is_restored():
    @testing.fix_random()
    class Test(unittest.TestCase):
        def test(self):
            random.random()

    random.seed(3)
    state = random.getstate()
    assert run(Test).wasSuccessful()
    assert random.getstate() == state


def test_bundle():
    drawn = []

    @testing.fix_random()
    @testing.parameterize({'a': 1}, {'a': 2})
    class Test(unittest.TestCase):
        def test_it(self):
            drawn.append((self.a, numpy.random.rand()))

    for case in Test.cases:
        assert run(case.klass).wasSuccessful()
    assert drawn == [(1, FIRST), (2, FIRST)]


def test_other_method_names():
    @testing.fix_random(setup_method='set_up', teardown_method='tear_down')
    class Test:
        def set_up(self):
            return numpy.random.rand()

        def tear_down(self):
            return numpy.random.rand()

    test = Test()
    assert test.set_up() == FIRST
    assert test.tear_down() == SECOND


@pytest.mark.parametrize('method', ['setUp', 'test', 'tearDown'])
def test_errors(method):
    @testing.fix_random()
    class Test(unittest.TestCase):
        def setUp(self):
            self.step('setUp')

        def tearDown(self):
            self.step('tearDown')

        def test(self):
            self.step('test')

        def step(self, name):
            if name == method:
                raise KeyError(name)

    assert len(run(Test).errors) == 1
    assert testing_random._nest_count == 0


@pytest.mark.parametrize('decorated', [lambda: None, 3])
def test_not_a_class(decorated):
    with pytest.raises(TypeError, match='test case'):
        testing.fix_random()(decorated)


def test_generate_seed():
    seeds = []

    @testing.fix_random()
    class Test(unittest.TestCase):
        def test(self):
            seeds.extend(testing.generate_seed() for _ in range(2))

    assert run(Test).wasSuccessful()
    assert seeds == [2333906440, 2882591512]
    with pytest.raises(AssertionError, match='fix_random'):
        testing.generate_seed()


def test_nested():
    testing_random._setup_random()
    assert numpy.random.rand() == FIRST
    # An inner test goes on with the numbers of the outer one.
    testing_random._setup_random()
    assert numpy.random.rand() == SECOND
    with pytest.raises(AssertionError, match='not torn down'):
        testing_random._check_teardown()
    testing_random._teardown_random()
    testing_random._teardown_random()
    testing_random._check_teardown()
    with pytest.raises(AssertionError):
        testing_random._teardown_random()


def test_nondeterministic(monkeypatch):
    monkeypatch.setenv('CHAINER_TEST_RANDOM_NONDETERMINISTIC', '1')
    drawn = []
    for _ in range(2):
        testing_random._setup_random()
        drawn.append(numpy.random.rand())
        testing_random._teardown_random()
    assert len({*drawn, FIRST}) == 3


def test_cupy(monkeypatch):
    calls = []

    class Counterpart:
        def do_setup(self, deterministic):
            calls.append(deterministic)

        def do_teardown(self):
            calls.append('teardown')

    monkeypatch.setattr(testing_random.cuda, 'available', True)
    monkeypatch.setattr(testing_random, '_cupy_testing_random', Counterpart)
    testing_random.do_setup(False)
    testing_random.do_teardown()
    assert calls == [False, 'teardown']
