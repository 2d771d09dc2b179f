import pytest

from chainer_fast.mn import create_communicator


@pytest.fixture
def comm():
    """All processes of the job."""
    return create_communicator('naive')
