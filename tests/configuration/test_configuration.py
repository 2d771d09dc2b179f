import io
import os
import subprocess
import sys

import numpy as np
import pytest

import chainer_fast
from chainer_fast import configuration
from chainer_fast.configuration import GlobalConfig, LocalConfig, using_config
from tests.in_thread import in_thread


@pytest.fixture
def configs():
    shared = GlobalConfig()
    shared.a = 1
    shared.bb = [2]
    return shared, LocalConfig(shared)


def test_global_values_show_through(configs):
    shared, local = configs
    assert local.a == 1
    assert local.bb is shared.bb
    shared.a = 3
    shared.later = 'x'
    assert (local.a, local.later) == (3, 'x')
    del shared.later
    assert not hasattr(local, 'later')


def test_own_values_hide_global_ones(configs):
    shared, local = configs
    local.a = 5
    shared.a = 6
    assert (local.a, shared.a) == (5, 6)
    del local.a
    assert local.a == 6


def test_own_values_belong_to_one_thread(configs):
    shared, local = configs
    local.a = 5

    def other():
        before = local.a
        local.a = 7
        return before, local.a

    assert in_thread(other) == (1, 7)
    assert local.a == 5
    assert in_thread(lambda: local.a) == 1


@pytest.mark.parametrize('name', ['bb', 'never'])
def test_only_own_values_can_be_deleted(configs, name):
    with pytest.raises(AttributeError, match=name):
        delattr(configs[1], name)


def test_unknown_entries(configs):
    for config in configs:
        with pytest.raises(AttributeError, match='never'):
            getattr(config, 'never')  # noqa: B009
        assert getattr(config, 'never', 4) == 4
    with pytest.raises(AttributeError):
        del configs[0].never


def test_show(configs):
    shared, local = configs
    local.a = 5

    def text(config):
        file = io.StringIO()
        config.show(file)
        return file.getvalue()

    assert text(shared) == 'a  1\nbb [2]\n'
    assert text(local) == 'a  5\nbb [2]\n'


def test_show_prints(configs, capsys):
    configs[0].show()
    assert capsys.readouterr().out == 'a  1\nbb [2]\n'


def test_using_config(configs):
    shared, local = configs
    with using_config('a', 9, local) as nothing:
        assert nothing is None
        assert local.a == 9
        with using_config('a', 10, local):
            assert local.a == 10
        assert local.a == 9
        assert in_thread(lambda: local.a) == 1
    assert local.a == 1
    # No value of the thread's own is left behind.
    shared.a = 2
    assert local.a == 2


def test_using_config_puts_back_an_own_value(configs):
    local = configs[1]
    local.a = None
    with using_config('a', 9, local):
        pass
    assert local.a is None


def test_using_config_puts_back_after_an_exception(configs):
    local = configs[1]
    with pytest.raises(KeyError), using_config('a', 9, local):
        raise KeyError
    assert local.a == 1


def test_using_config_of_an_unknown_entry(configs):
    with using_config('never', 3, configs[1]):
        assert configs[1].never == 3
    assert not hasattr(configs[1], 'never')


def test_using_config_decorates_functions(configs):
    local = configs[1]

    @using_config('a', 9, local)
    def nested(depth):
        return [local.a] + (nested(depth - 1) if depth else [])

    assert nested(2) == [9, 9, 9]
    assert local.a == 1


def test_using_config_has_the_main_configuration_by_default():
    with using_config('train', False):
        assert chainer_fast.config.train is False
    assert chainer_fast.config.train is True
    assert configuration.config is chainer_fast.config


def test_local_config_needs_a_global_one():
    with pytest.raises(TypeError):
        LocalConfig(3)


ENTRIES = ('debug', 'type_check', 'keep_graph_on_report', 'lazy_grad_sum',
           'cudnn_fast_batch_normalization', 'use_cudnn', 'use_ideep', 'dtype',
           'cudnn_channels_last')


def in_process(**variables):
    """Import the package with environment variables; return the process."""
    code = 'import chainer_fast\nfor name in %r: print(getattr(chainer_fast.config, ' \
        'name))' % (ENTRIES,)
    environment = {
        key: value for key, value in os.environ.items() if key[:8] != 'CHAINER_'}
    return subprocess.run(
        [sys.executable, '-c', code], env={**environment, **variables}, text=True,
        capture_output=True)


@pytest.mark.parametrize(('variables', 'expected'), [
    ({}, ['False', 'True', 'False', 'False', 'False', 'auto', 'never', 'float32',
          'False']),
    ({'CHAINER_DEBUG': '1', 'CHAINER_TYPE_CHECK': '0',
      'CHAINER_KEEP_GRAPH_ON_REPORT': '1', 'CHAINER_LAZY_GRAD_SUM': '1',
      'CHAINER_CUDNN_FAST_BATCH_NORMALIZATION': '1', 'CHAINER_USE_CUDNN': 'never',
      'CHAINER_USE_IDEEP': 'auto', 'CHAINER_DTYPE': 'float16',
      'CHAINER_CUDNN_CHANNELS_LAST': '1'},
     ['True', 'False', 'True', 'True', 'True', 'never', 'auto', 'float16',
      'True']),
    ({'CHAINER_DTYPE': 'mixed16', 'CHAINER_DEBUG': '2', 'CHAINER_USE_CUDNN': '0'},
     ['True', 'True', 'False', 'False', 'False', '0', 'never', "dtype('mixed16')",
      'False'])])
def test_environment_variables(variables, expected):
    process = in_process(**variables)
    assert process.stderr == ''
    assert process.stdout.split('\n')[:-1] == expected


@pytest.mark.parametrize(('name', 'value', 'error'), [
    ('CHAINER_DEBUG', 'yes', 'ValueError'), ('CHAINER_DTYPE', 'int32', 'TypeError'),
    ('CHAINERMN_WATCHDOG_TIMEOUT', 'never', 'ValueError'),
    ('CHAINERMN_WATCHDOG_TIMEOUT', '-1', 'ValueError'),
    ('CHAINERMN_WATCHDOG_TIMEOUT', 'inf', 'ValueError')])
def test_bad_environment_variables(name, value, error):
    process = in_process(**{name: value})
    assert process.returncode == 1
    last = process.stderr.strip().split('\n')[-1]
    assert last.startswith(error)
    assert name in last
    assert value in last


def test_defaults_of_other_entries():
    config = chainer_fast.global_config
    for name in 'enable_backprop', 'train', 'use_static_graph':
        assert getattr(config, name) is True
    for name in ('cudnn_deterministic', 'warn_nondeterministic', 'autotune',
                 'in_recomputing'):
        assert getattr(config, name) is False
    assert config.use_cudnn_tensor_core == 'auto'
    assert config.schedule_func is None
    assert config.compute_mode is None
    assert config.dtype == np.float32


def test_compute_mode():
    assert chainer_fast.get_compute_mode() is None
    with chainer_fast.using_config('compute_mode', 'cudnn_fast'):
        assert chainer_fast.get_compute_mode() == 'cudnn_fast'
