import unittest

import pytest

from chainer_fast.testing import condition


def decorated(decorator, outcomes, log=None):
    """Return a test case whose decorated test has these outcomes, one by one."""
    outcomes = iter(outcomes)

    class Test(unittest.TestCase):
        def setUp(self):
            self.prepared = getattr(self, 'prepared', 0) + 1

        def tearDown(self):
            if log is not None:
                log.append(self.prepared)

        @decorator
        def test(self):
            outcome = next(outcomes)
            if outcome is not None:
                raise outcome
            return 'ignored'

    return Test('test')


FAIL, ERROR, PASS = AssertionError('failed'), KeyError('error'), None


@pytest.mark.parametrize('times, minimum, outcomes, n_runs, passes', [
    (3, 3, [PASS] * 3, 3, True),
    (3, 3, [PASS, FAIL], 2, False),
    (3, 1, [FAIL, ERROR, PASS], 3, True),
    (3, 1, [PASS], 1, True),
    (3, 1, [FAIL] * 3, 3, False),
    (3, 2, [FAIL, PASS, PASS], 3, True),
    (3, 2, [FAIL, FAIL], 2, False),
    (3, 0, [FAIL], 1, True),
    (0, 0, [], 0, False),
])
def test_repeat_with_success_at_least(times, minimum, outcomes, n_runs, passes):
    log = []
    # StopIteration would be an error if there were more runs.
    test = decorated(
        condition.repeat_with_success_at_least(times, minimum), outcomes, log)
    if passes:
        assert test.test() is None
    else:
        with pytest.raises(AssertionError):
            test.test()
    # Each run has an instance of its own, which is set up and torn down.
    assert log == [1] * n_runs


def test_repeat_and_retry():
    decorated(condition.repeat(2), [PASS, PASS]).test()
    with pytest.raises(AssertionError):
        decorated(condition.repeat(2), [PASS, FAIL]).test()
    decorated(condition.retry(2), [FAIL, PASS]).test()
    with pytest.raises(AssertionError):
        decorated(condition.retry(2), [FAIL, FAIL, PASS]).test()


def test_message():
    with pytest.raises(AssertionError) as e:
        decorated(condition.retry(2), [ERROR, FAIL]).test()
    message = str(e.value)
    assert '0 of 2 runs succeeded and 2 failed, but 1 must succeed' in message
    first = message.split('first error message:')[1]
    assert "KeyError: 'error'" in first
    assert 'failed' not in first


@pytest.mark.parametrize('skip', [
    unittest.SkipTest('the reason'),
    pytest.skip.Exception('the reason', allow_module_level=True)])
def test_skip(skip):
    log = []
    with pytest.raises(unittest.SkipTest, match='the reason'):
        decorated(condition.repeat(3), [skip], log).test()
    assert len(log) == 1


def test_skip_in_set_up():
    class Test(unittest.TestCase):
        def setUp(self):
            pytest.skip('the reason')

        @condition.repeat(3)
        def test(self):
            raise AssertionError

    with pytest.raises(unittest.SkipTest, match='the reason'):
        Test('test').test()


def test_interrupt():
    with pytest.raises(KeyboardInterrupt):
        decorated(condition.retry(3), [KeyboardInterrupt()]).test()


def test_arguments():
    calls = []

    class Test(unittest.TestCase):
        @condition.repeat(2)
        def test(self, a, b):
            """Documentation."""
            calls.append((a, b))

    Test('test').test(1, b=2)
    assert calls == [(1, 2)] * 2
    assert Test.test.__name__ == 'test'
    assert Test.test.__doc__ == 'Documentation.'


def test_sub_tests():
    class Test(unittest.TestCase):
        @condition.repeat(2)
        def test(self):
            with self.subTest():
                self.fail('in sub-test')

    with pytest.raises(AssertionError, match='in sub-test'):
        Test('test').test()


def test_impossible():
    with pytest.raises(AssertionError, match='11 times in 10'):
        condition.repeat_with_success_at_least(10, 11)
    with pytest.raises(AssertionError):
        condition.retry(0)


def test_not_a_test_case():
    with pytest.raises(AssertionError, match='TestCase'):
        condition.repeat(2)(lambda self: None)(3)


def test_quiet_test_runner(capsys):
    result = condition.QuietTestRunner().run(decorated(lambda f: f, [FAIL]))
    assert len(result.failures) == 1
    assert capsys.readouterr() == ('', '')
