"""A share of the damaged snapshots that compat/mutate_snapshots.py tries."""
import os
import subprocess
import sys

import pytest

SCRIPT = os.path.join(
    os.path.dirname(__file__), os.pardir, os.pardir, 'compat', 'mutate_snapshots.py')


@pytest.mark.skipif(sys.platform != 'linux', reason='limits memory as Linux does')
def test_mutated_snapshots():
    pytest.importorskip('h5py')
    result = subprocess.run(
        [sys.executable, SCRIPT, '--count', '300', '--seed', '1'],
        capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    assert 'mutations 300, crashes 0, failures 0' in result.stdout
