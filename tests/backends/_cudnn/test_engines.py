"""cuDNN has engines for the graphs of the package, on cards that are not there."""
import importlib.util
import json
import pathlib
import shutil
import subprocess
import sys

import pytest

SCRIPTS = pathlib.Path(__file__).parents[2] / 'doubles' / 'host_cudnn'

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        importlib.util.find_spec('cudnn') is None or not shutil.which('cc'),
        reason='needs nvidia-cudnn-frontend, cuDNN and a C compiler')]


def answers(script):
    found = subprocess.run(
        [sys.executable, str(SCRIPTS / script)], capture_output=True, text=True)
    if 'there is no libcudnn.so.9' in found.stderr:
        pytest.skip(found.stderr)
    assert found.returncode == 0, found.stderr
    return [json.loads(line) for line in found.stdout.splitlines()]


def test_engines():
    found = answers('without_driver.py')
    assert len(found) > 2000
    # Nothing else is refused, at the sizes of models neither.
    assert [answer for answer in found if ('refused' in answer) != (
        answer['card'] == 'T4' and answer['graph'].startswith('batch'))] == []
    read = [answer for answer in found if 'read again' in answer]
    assert len(read) == 32
    assert all([answer['read again'] == answer['workspace'] for answer in read])


def test_executions():
    found = answers('executions.py')
    assert [answer['tensors'] for answer in found] == [3, 4, 12, 8]
    for answer in found:
        assert answer['fast'] == answer['public']
        assert answer['others'] == 1
