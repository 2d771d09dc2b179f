"""Configuration of all tests: devices, and where tests of GPUs run.

``pytest -m gpu``, or any expression that asks for the mark ``gpu``, runs these tests on
the GPU if there are one and CuPy, and otherwise on a stand-in for CuPy 14.2, which is
then installed before chainer_fast is imported. ``HOST_CUPY=13.6`` or ``HOST_CUPY=14.2``
in the environment chooses the stand-in and its version in any case. Without the mark
the tests are deselected, and CuPy is what it is on the machine.
"""
import ctypes
import importlib.util
import os

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


def _has_gpu():
    """Whether the driver finds a card and CuPy is installed."""
    count = ctypes.c_int()
    try:
        driver = ctypes.CDLL('libcuda.so.1')
    except OSError:
        return False
    return (driver.cuInit(0) == 0
            and driver.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value > 0
            and importlib.util.find_spec('cupy') is not None)


def pytest_configure(config):
    if not _asks_for_gpu(config):
        return
    version = os.environ.get('HOST_CUPY')
    if version or not _has_gpu():
        from tests import host_cupy
        host_cupy.install(version or host_cupy.VERSIONS[-1])


def pytest_collection_modifyitems(config, items):
    if _asks_for_gpu(config):
        return
    gpu = [item for item in items if item.get_closest_marker('gpu')]
    if gpu:
        config.hook.pytest_deselected(items=gpu)
        items[:] = [item for item in items if not item.get_closest_marker('gpu')]


def pytest_generate_tests(metafunc):
    if 'device' in metafunc.fixturenames and _asks_for_gpu(metafunc.config):
        gpu = pytest.param('@cupy:0', id='gpu', marks=pytest.mark.gpu)
        metafunc.parametrize('device', [gpu], indirect=True, scope='session')


@pytest.fixture(scope='session')
def device(request):
    """The device that a test runs on: the processor, and with ``-m gpu`` the first GPU.

    See :class:`tests.devices.Device`.
    """
    from tests import devices  # imports chainer_fast, which looks for CuPy
    return devices.Device(getattr(request, 'param', '@numpy'))
