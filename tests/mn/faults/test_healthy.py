"""Jobs without a fault are left alone."""
import os

import pytest

from tests.mn import jobs

_PROGRAM = os.path.join(os.path.dirname(__file__), 'healthy.py')


@pytest.mark.parametrize('processes, end', [(3, 'normal'), (2, 'finalize')])
def test_ends_at_different_times(processes, end):
    ended = jobs.run(processes, '-W', 'error', _PROGRAM, end, timeout=60)
    assert (ended.returncode, ended.stderr) == (0, '')
