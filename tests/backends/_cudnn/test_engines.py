"""cuDNN has engines for the graphs of the package, on cards that are not there."""
import importlib.util
import json
import pathlib
import shutil
import subprocess
import sys

import pytest

SCRIPT = pathlib.Path(__file__).parents[2] / 'host_cudnn' / 'without_driver.py'


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec('cudnn') is None or not shutil.which('cc'),
                    reason='needs nvidia-cudnn-frontend, cuDNN and a C compiler')
def test_engines():
    found = subprocess.run(
        [sys.executable, str(SCRIPT)], capture_output=True, text=True)
    if 'there is no libcudnn.so.9' in found.stderr:
        pytest.skip(found.stderr)
    assert found.returncode == 0, found.stderr
    answers = [json.loads(line) for line in found.stdout.splitlines()]
    assert len(answers) > 2000
    # Nothing else is refused, at the sizes of models neither.
    assert [answer for answer in answers if ('refused' in answer) != (
        answer['card'] == 'T4' and answer['graph'].startswith('batch'))] == []
    read = [answer for answer in answers if 'read again' in answer]
    assert len(read) == 32
    assert all([answer['read again'] == answer['workspace'] for answer in read])
