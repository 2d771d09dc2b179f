"""Configuration of all tests: devices, and where tests of GPUs run.

``pytest -m gpu``, or any expression that asks for the mark ``gpu``, runs these tests on
the GPU if there are one and CuPy, and otherwise on a stand-in for CuPy 14.2, which is
then installed before chainer_fast is imported. ``HOST_CUPY=13.6`` or ``HOST_CUPY=14.2``
in the environment chooses the stand-in and its version in any case. Without the mark
the tests are deselected, and CuPy is what it is on the machine.
"""
import gc
import multiprocessing
import re
import signal
import sys

import pytest
from _pytest.mark.expression import Expression
from hypothesis import settings

# How long an example takes depends on what else the machine does.
settings.register_profile('chainer_fast', deadline=None)
settings.load_profile('chainer_fast')


def _asks_for_gpu(config):
    text = config.getoption('markexpr')
    if not text:
        return False
    expression = Expression.compile(text)
    with_mark, without = [
        expression.evaluate(lambda name, marks=marks, **kwargs: name in marks)
        for marks in ({'gpu'}, ())]
    return with_mark and not without


def pytest_configure(config):
    # Under nohup, or in the background of a script, the suite and all of its children
    # would ignore the signal that tests of interrupts send.
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # The default until Python 3.13. Tests of other methods choose them.
    methods = multiprocessing.get_all_start_methods()
    if sys.platform == 'linux' and sys.version_info >= (3, 14) and 'fork' in methods:
        multiprocessing.set_start_method('fork')
    if _asks_for_gpu(config):
        from tests.doubles import host_cupy
        host_cupy.install_unless_gpu()


def pytest_collection_modifyitems(config, items):
    wrong = 'host' if _asks_for_gpu(config) else 'gpu'
    for mark in [wrong] + ['posix'] * (sys.platform == 'win32'):
        left_out = [item for item in items if item.get_closest_marker(mark)]
        if left_out:
            config.hook.pytest_deselected(items=left_out)
            items[:] = [item for item in items if not item.get_closest_marker(mark)]
    if wrong == 'host':
        from tests.doubles.host_cupy import versions
        items[:] = versions.chosen(items)


def pytest_collection_finish():
    # What has been imported by now stays. Many tests collect garbage, which takes half
    # a second where all of that is looked through.
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def warnings_that_are_given_once_are_given_again():
    mistakes = sys.modules.get('chainer_fast._help.mistakes')
    if mistakes is not None:
        mistakes._warned.clear()


@pytest.fixture(autouse=True, scope='module')
def names_of_chainer_go_with_a_module():
    """Remove the alias that a module of tests may have left to those that follow."""
    yield
    alias = sys.modules.get('chainer_fast.alias')
    if alias is not None and alias._finder in sys.meta_path:
        alias.uninstall()


def _own_flags():
    """Return the configuration of this thread alone, as far as there is one."""
    chainer_fast = sys.modules.get('chainer_fast')
    return {} if chainer_fast is None else vars(chainer_fast.config._local)


@pytest.fixture(autouse=True)
def flags_stay():
    """Fail a test that leaves another configuration to those that follow."""
    before = dict(_own_flags())
    yield
    left = dict(_own_flags())
    if left != before:
        _own_flags().clear()
        _own_flags().update(before)
        pytest.fail(
            'the test leaves %r in chainer_fast.config; use using_config' % left)


@pytest.fixture
def flags_restored():
    """For tests of programs that set flags, as users do."""
    before = dict(_own_flags())
    yield
    _own_flags().clear()
    _own_flags().update(before)


def pytest_generate_tests(metafunc):
    # Some tests have a parameter of that name.
    own = {name for marker in metafunc.definition.iter_markers('parametrize')
           for name in re.findall(r'\w+', str(marker.args[0]))}
    if ('device' in metafunc.fixturenames and 'device' not in own
            and _asks_for_gpu(metafunc.config)):
        gpu = pytest.param('@cupy:0', id='gpu', marks=pytest.mark.gpu)
        metafunc.parametrize('device', [gpu], indirect=True, scope='session')
    if 'way' in metafunc.fixturenames and 'way' not in own:
        from tests import ways  # not before a stand-in for CuPy is there
        metafunc.parametrize('way', ways.WAYS.values(), ids=list(ways.WAYS))


@pytest.fixture(scope='session')
def device(request):
    """The device that a test runs on: the processor, and with ``-m gpu`` the first GPU.

    See :class:`tests.devices.Device`.
    """
    from tests import devices  # imports chainer_fast, which looks for CuPy
    return devices.Device(getattr(request, 'param', '@numpy'))
