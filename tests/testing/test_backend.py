import contextlib
import sys
import types
import unittest

import numpy
import pytest

import chainer_fast
from chainer_fast import backend, testing
from chainer_fast.testing import attr

CPU_NAME = (
    'use_chainerx_false__chainerx_device_None__use_cuda_false__cuda_device_None'
    '__use_cudnn_never__cudnn_deterministic_false__autotune_false'
    '__cudnn_fast_batch_normalization_false__use_ideep_never')
GPU_NAME = CPU_NAME.replace(
    'use_cuda_false__cuda_device_None', 'use_cuda_true__cuda_device_0')


# Configurations
#

def test_defaults():
    config = testing.BackendConfig({})
    assert config.device == backend.CpuDevice()
    assert config.xp is numpy
    assert config.get_func_str() == CPU_NAME
    assert repr(config) == (
        "<BackendConfig use_chainerx=False chainerx_device=None use_cuda=False "
        "cuda_device=None use_cudnn='never' cudnn_deterministic=False autotune=False "
        "cudnn_fast_batch_normalization=False use_ideep='never'>")
    x = numpy.ones(2)
    assert config.get_array(x) is x
    assert config.get_array(None) is None


def test_cuda_device():
    assert testing.BackendConfig({'use_cuda': True}).cuda_device == 0
    assert testing.BackendConfig({'use_cuda': True, 'cuda_device': 1}).cuda_device == 1
    assert testing.BackendConfig({}).cuda_device is None


@pytest.mark.parametrize('params, specifier', [
    ({'use_cuda': True}, '@cupy:0'),
    ({'use_cuda': True, 'cuda_device': 1}, '@cupy:1'),
    ({'use_chainerx': True, 'chainerx_device': 'native:0'}, 'native:0'),
    ({'use_ideep': 'auto'}, '@intel64'),
    ({'use_cudnn': 'always'}, '@numpy'),
])
def test_device_specifier(params, specifier, monkeypatch):
    monkeypatch.setattr(backend, 'get_device', lambda s: 'device ' + s)
    assert testing.BackendConfig(params).device == 'device ' + specifier


def test_context():
    settings = {'use_cudnn': 'always', 'cudnn_deterministic': True, 'autotune': True,
                'cudnn_fast_batch_normalization': True}
    before = {name: getattr(chainer_fast.config, name) for name in settings}
    assert all(before[name] != settings[name] for name in settings)
    config = testing.BackendConfig(settings)
    with config as entered:
        assert entered is config
        with config:
            pass
        assert {
            name: getattr(chainer_fast.config, name) for name in settings} == settings
        assert chainer_fast.config.use_ideep == 'never'
    assert {name: getattr(chainer_fast.config, name) for name in settings} == before


def test_context_makes_device_current(monkeypatch):
    events = []

    @contextlib.contextmanager
    def using_device(device):
        events.append(device)
        yield
        events.append('end')

    monkeypatch.setattr(backend, 'using_device', using_device)
    config = testing.BackendConfig({})
    with config:
        assert events == [config.device]
    assert events == [config.device, 'end']


def test_context_ends_on_error():
    before = chainer_fast.config.autotune
    with pytest.raises(KeyError), testing.BackendConfig({'autotune': not before}):
        raise KeyError
    assert chainer_fast.config.autotune == before


@pytest.mark.parametrize('params, error', [
    (None, TypeError), ([('use_cuda', True)], TypeError), ({'other': 1}, ValueError),
    ({'use_chainerx': True}, AssertionError)])
def test_invalid(params, error):
    with pytest.raises(error):
        testing.BackendConfig(params)


@pytest.mark.parametrize('params, names', [
    ({}, []),
    ({'use_cudnn': 'always'}, []),
    ({'cuda_device': 1}, []),
    ({'use_cuda': True}, ['gpu']),
    ({'use_cuda': True, 'cuda_device': 1}, ['gpu', 'gpu']),
    ({'use_cuda': True, 'use_cudnn': 'auto'}, ['gpu', 'cudnn']),
    ({'use_ideep': 'always'}, ['ideep']),
    ({'use_ideep': 'always', 'use_cuda': True}, ['gpu']),
    ({'use_chainerx': True, 'chainerx_device': 'native:0'}, ['chainerx']),
    ({'use_chainerx': True, 'chainerx_device': 'cuda:0'}, ['chainerx', 'gpu']),
    ({'use_chainerx': True, 'chainerx_device': 'cuda:1', 'use_cudnn': 'always'},
     ['chainerx', 'gpu', 'gpu']),
])
def test_marks(params, names, monkeypatch):
    monkeypatch.setattr(attr, '_gpu_limit', -1)

    def f():
        pass

    for mark in testing.BackendConfig(params).get_pytest_marks():
        f = mark(f)
    assert [m.name for m in getattr(f, 'pytestmark', [])] == names


def test_second_gpu_needs_two(monkeypatch):
    monkeypatch.setattr(attr, '_gpu_limit', 1)

    def f():
        pass

    for mark in testing.BackendConfig(
            {'use_cuda': True, 'cuda_device': 1}).get_pytest_marks():
        f = mark(f)
    with pytest.raises(unittest.SkipTest):
        f()


# Test cases
#

@pytest.fixture
def test_class(monkeypatch):
    module = types.ModuleType('module_of_test_cases')
    monkeypatch.setitem(sys.modules, module.__name__, module)

    class Test(unittest.TestCase):
        __module__ = module.__name__

        def test_a(self, *configs):
            return configs

        def test_b(self, *configs):
            return configs

        def check(self):
            return 'checked'

    Test.__name__ = 'Test'
    return Test


def call(case, name):
    return getattr(case.klass(name), name)()


def test_all_methods(test_class):
    bundle = testing.inject_backend_tests(None, [{}, {'use_cuda': True}])(test_class)
    assert [case.class_name for case in bundle.cases] == [
        'Test_' + CPU_NAME, 'Test_' + GPU_NAME]
    on_cpu, on_gpu = bundle.cases
    for name in ('test_a', 'test_b'):
        config, = call(on_cpu, name)
        assert not config.use_cuda
        config, = call(on_gpu, name)
        assert config.use_cuda
        assert [m.name for m in getattr(on_gpu.klass, name).pytestmark] == ['gpu']
        assert not hasattr(getattr(on_cpu.klass, name), 'pytestmark')
    assert call(on_cpu, 'check') == 'checked'


def test_named_methods(test_class):
    bundle = testing.inject_backend_tests(['test_a'], [{}])(test_class)
    base, on_cpu = bundle.cases
    assert base.class_name == 'Test'
    assert base.klass.test_a is None
    assert call(base, 'test_b') == ()
    assert len(call(on_cpu, 'test_a')) == 1
    assert on_cpu.klass.test_b is None


def test_named_methods_with_other_decorators(test_class):
    decorated = testing.fix_random()(testing.parameterize({'p': 1}, {'p': 2})(
        testing.inject_backend_tests(['test_a'], [{}])(test_class)))
    assert [case.class_name for case in decorated.cases] == [
        'Test_param_0_{p=1}', 'Test_param_1_{p=2}',
        'Test_%s_param_0_{p=1}' % CPU_NAME, 'Test_%s_param_1_{p=2}' % CPU_NAME]
    module = sys.modules[test_class.__module__]
    assert {n for n in vars(module) if n.startswith('Test')} == {
        case.class_name for case in decorated.cases}


def test_configuration_is_not_entered(test_class):
    # That is up to the test.
    before = chainer_fast.config.autotune
    test_class.test_a = lambda self, config: chainer_fast.config.autotune
    test_class.test_a.__name__ = 'test_a'
    case, = testing.inject_backend_tests(
        None, [{'autotune': not before}])(test_class).cases
    assert call(case, 'test_a') == before


def test_stacked(test_class):
    bundle = testing.inject_backend_tests(None, [{'use_cudnn': 'auto'}])(
        testing.inject_backend_tests(None, [{'autotune': True}])(test_class))
    case, = bundle.cases
    inner, outer = call(case, 'test_a')
    assert inner.autotune
    assert outer.use_cudnn == 'auto'


def test_with_parameterize(test_class):
    test_class.test_a = lambda self, config: (self.p, config.autotune)
    test_class.test_a.__name__ = 'test_a'
    for decorators in (
            [testing.inject_backend_tests(None, [{}, {'autotune': True}]),
             testing.parameterize({'p': 1})],
            [testing.parameterize({'p': 1}),
             testing.inject_backend_tests(None, [{}, {'autotune': True}])]):
        bundle = test_class
        for decorator in decorators:
            bundle = decorator(bundle)
        assert [call(case, 'test_a') for case in bundle.cases] == [
            (1, False), (1, True)]


@pytest.mark.parametrize('method_names, params', [
    ('test_a', [{}]), (('test_a',), [{}]), (None, {}), (None, ({},)), (None, [3])])
def test_inject_invalid(method_names, params):
    with pytest.raises(TypeError, match='expected a list'):
        testing.inject_backend_tests(method_names, params)
