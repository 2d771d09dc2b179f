"""The decorators as pytest sees them."""
import os
import subprocess
import sys

import pytest

import chainer_fast

SOURCE = '''
import unittest
import pytest
from chainer_fast import testing

@testing.inject_backend_tests(None, [{}, {'use_cuda': True}])
@testing.parameterize({'a': 1}, {'a': 2})
class TestBoth(unittest.TestCase):
    def setUp(self):
        self.b = self.a

    def test_it(self, backend_config):
        assert self.a == self.b

@testing.inject_backend_tests(['test_injected'], [{}])
@testing.parameterize({'a': 1})
class TestSome(unittest.TestCase):
    def test_injected(self, backend_config):
        pass

    def test_plain(self):
        pass

@testing.parameterize({'a': 1})
class TestPlainClass:
    def test_it(self):
        assert self.a == 1

@testing.fix_random()
class TestFixRandom(unittest.TestCase):
    def test_it(self):
        assert testing.generate_seed() == 2333906440

@testing.parameterize({'a': 1})
@pytest.mark.xfail(strict=True, raises=KeyError)
class TestExpectedFailure(unittest.TestCase):
    def test_it(self):
        raise KeyError

testing.run_module(__name__, __file__)
'''

CPU = (
    'use_chainerx_false__chainerx_device_None__use_cuda_false__cuda_device_None'
    '__use_cudnn_never__cudnn_deterministic_false__autotune_false'
    '__cudnn_fast_batch_normalization_false__use_ideep_never')
GPU = CPU.replace('cuda_false__cuda_device_None', 'cuda_true__cuda_device_0')


@pytest.fixture
def run(tmp_path):
    def run(*args):
        root = os.path.dirname(os.path.dirname(chainer_fast.__file__))
        environment = {**os.environ, 'PYTHONPATH': root}
        return subprocess.run(
            [sys.executable, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', '-W',
             'ignore::pytest.PytestUnknownMarkWarning', *args],
            cwd=tmp_path, env=environment, capture_output=True, text=True).stdout

    (tmp_path / 'test_it.py').write_text(SOURCE)
    return run


def test_collected_and_run(run):
    lines = run('-vv', '-m', 'not gpu', '-rN').splitlines()
    assert [line.split(' [')[0].rstrip() for line in lines if '::' in line] == [
        'test_it.py::TestBoth_param_0_{a=1}_%s::test_it PASSED' % CPU,
        'test_it.py::TestBoth_param_1_{a=2}_%s::test_it PASSED' % CPU,
        'test_it.py::TestSome_param_0_{a=1}::test_plain PASSED',
        'test_it.py::TestSome_param_0_{a=1}_%s::test_injected PASSED' % CPU,
        'test_it.py::TestPlainClass_param_0_{a=1}::test_it PASSED',
        'test_it.py::TestFixRandom::test_it PASSED',
        'test_it.py::TestExpectedFailure_param_0_{a=1}::test_it XFAIL',
    ]


def test_deselected(run):
    output = run('--collect-only', '-m', 'gpu')
    assert 'TestBoth_param_1_{a=2}_%s::test_it' % GPU in output
    assert CPU not in output
