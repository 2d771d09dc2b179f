"""Jobs without a fault are left alone."""
import multiprocessing
import os

import pytest

from tests.mn import jobs

_PROGRAM = os.path.join(os.path.dirname(__file__), 'healthy.py')


@pytest.mark.parametrize('processes, end, method', [
    *[pytest.param(*values, marks=pytest.mark.posix('the program is forked'))
      for values in [
          (3, 'normal', 'fork'), (2, 'finalize', 'fork'), (2, 'normal', 'forkserver'),
          (2, 'normal', 'spawn')]],
    *[(2, 'normal', 'spawn, no fork')] * (
        'fork' not in multiprocessing.get_all_start_methods())])
def test_ends_at_different_times(processes, end, method):
    ended = jobs.run(processes, '-W', 'error', _PROGRAM, end, method, timeout=60)
    assert (ended.returncode, ended.stderr) == (0, '')
