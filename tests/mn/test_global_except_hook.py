"""What importing chainermn does to a program; faults has what the hook does then."""
import os
import subprocess
import sys

import pytest

_PROGRAM = """
import sys
import chainer_fast.mn
from chainer_fast.mn import global_except_hook
print(sys.excepthook is not sys.__excepthook__, chainer_fast.config.mn_watchdog)
if sys.excepthook is not sys.__excepthook__:
    hook = sys.excepthook
    global_except_hook.add_hook()
    assert sys.excepthook is hook
print('mpi4py' in sys.modules, flush=True)
raise ValueError('a wrong value')
"""


@pytest.mark.parametrize('variables, hooked, watched', [
    ({}, False, True),
    ({'CHAINERMN_FORCE_ABORT_ON_EXCEPTIONS': '1'}, True, True),
    ({'CHAINERMN_FORCE_ABORT_ON_EXCEPTION': 'yes', 'CHAINERMN_WATCHDOG': '0'},
     True, False),
    ({'CHAINERMN_FORCE_ABORT_ON_EXCEPTIONS': ''}, False, True)])
def test_import(variables, hooked, watched):
    ended = subprocess.run(
        [sys.executable, '-c', _PROGRAM], env={**os.environ, **variables},
        capture_output=True, text=True, timeout=60)
    assert ended.stdout.split() == [str(hooked), str(watched), 'False']
    # Without MPI there is nothing to abort.
    assert ended.returncode == 1
    assert ended.stderr.count('Traceback') == 1
    assert ended.stderr.endswith('ValueError: a wrong value\n')
