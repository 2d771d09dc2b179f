import unittest
import unittest.mock
import warnings

import packaging.requirements
import pytest

from chainer_fast import testing
from chainer_fast.testing import helper


@pytest.mark.parametrize('warned, expected', [
    ([UserWarning], UserWarning),
    ([DeprecationWarning, UserWarning], UserWarning),
    ([DeprecationWarning], Warning),
    ([DeprecationWarning], (UserWarning, DeprecationWarning)),
])
def test_assert_warns(warned, expected):
    with testing.assert_warns(expected):
        for category in warned:
            warnings.warn('something', category)


@pytest.mark.parametrize('warned', [[], [DeprecationWarning]])
def test_assert_warns_missing(warned):
    with pytest.raises(AssertionError, match='UserWarning'), \
            testing.assert_warns(UserWarning):
        for category in warned:
            warnings.warn('something', category)


def test_assert_warns_lets_errors_through():
    with pytest.raises(KeyError), testing.assert_warns(UserWarning):
        raise KeyError


@pytest.mark.parametrize('requirements, satisfied', [
    (['numpy'], True),
    (['NumPy>=1.0'], True),
    (['numpy>=999'], False),
    (['numpy', 'scipy>=999'], False),
    (['no-such-distribution-at-all'], False),
    (['no-such-distribution-at-all; python_version < "3"'], True),
    (['chainer>=5.0.0'], True),
    (['chainer>=8'], False),
    ([], True),
])
def test_requires(requirements, satisfied):
    with_ = testing.with_requires(*requirements)(lambda: 1)
    without = testing.without_requires(*requirements)(lambda: 1)
    skipped, run = (without, with_) if satisfied else (with_, without)
    assert not hasattr(run, '__unittest_skip__')
    assert run() == 1
    with pytest.raises(unittest.SkipTest, match='requires: '):
        skipped()


def test_requires_takes_prereleases(monkeypatch):
    monkeypatch.setattr(helper.importlib.metadata, 'version', lambda name: '2.0rc1')
    assert helper._are_satisfied(['anything>=1.0'])


def test_requires_of_class():
    @testing.with_requires('numpy>=999')
    class Test(unittest.TestCase):
        pass

    assert Test.__unittest_skip__


def test_requires_malformed():
    with pytest.raises(packaging.requirements.InvalidRequirement):
        testing.with_requires('numpy!!')


def double(x):
    return 2 * x


class Class:
    def method(self, x):
        return x, self


def test_patch_passes_on():
    with testing.patch(__name__ + '.double') as mock:
        assert double(3) == 6
    mock.assert_called_once_with(3)
    assert not isinstance(double, unittest.mock.Mock)


def test_patch_method():
    with testing.patch(__name__ + '.Class.method', autospec=True) as mock:
        instance = Class()
        instance.method(3)
    mock.assert_called_once_with(instance, 3)


def test_patch_by_another_object():
    with testing.patch(__name__ + '.double', lambda x: 3 * x):
        assert double(3) == 9


@pytest.mark.parametrize('name, error', [
    ('os.nothing', AttributeError), ('no_such_module_at_all.x', RuntimeError)])
def test_import_object_from_name(name, error):
    assert helper._import_object_from_name(__name__ + '.Class.method') is Class.method
    with pytest.raises(error):
        helper._import_object_from_name(name)
