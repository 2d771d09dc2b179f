import pytest

from chainer_fast import legacy


@pytest.fixture
def enable():
    """Function that enables legacy mode until the end of the test."""
    yield legacy.enable
    legacy.disable()
