import pytest


@pytest.fixture
def place(device):
    """Make the device that a test runs on the default one of ChainerX."""
    from chainer_fast import chainerx  # which looks for CuPy

    with chainerx.using_device('native:0' if device.name == '@numpy' else 'cuda:0'):
        yield
