"""Configuration of all tests."""
import pytest
from hypothesis import settings

from tests import devices

# How long an example takes depends on what else the machine does.
settings.register_profile('chainer_fast', deadline=None)
settings.load_profile('chainer_fast')


@pytest.fixture(scope='session')
def device():
    return devices.Device('@numpy')
