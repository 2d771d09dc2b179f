"""Jobs on hosts that are namespaces of this machine: ``make test-network``."""
import functools

import pytest

from tests.mn.network import hosts


@functools.cache
def _missing():
    return hosts.missing()


@pytest.fixture(autouse=True)
def _possible():
    if _missing() is not None:
        pytest.skip('no network of namespaces: ' + _missing())
