"""What the tests of recordings share."""
import pytest

from chainer_fast.backends import cuda


@pytest.fixture
def ledger():
    """Counts of launches, on the stand-in."""
    from tests.doubles.host_cupy import array, ledger
    if cuda.ndarray is not array.ndarray:
        pytest.skip('counts are those of the stand-in')
    return ledger
