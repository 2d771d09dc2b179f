import pytest


@pytest.fixture
def comm():
    """All processes of the job."""
    # Not above: the stand-in for CuPy comes first.
    from chainer_fast.mn import create_communicator
    return create_communicator('naive')
