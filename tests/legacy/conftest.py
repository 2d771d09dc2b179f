"""What the tests of the parts of legacy mode share."""
import pytest

from chainer_fast import legacy
from chainer_fast.legacy import _report


@pytest.fixture
def enable():
    """``enable(*parts)``, which is undone after the test, and what was adapted."""
    def call(*parts):
        legacy.enable(*parts)
        return lambda: set(_report.uses())
    yield call
    legacy.disable()
