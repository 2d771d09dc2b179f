"""What all examples have in common."""
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.examples import runs

# Without the module of one of them, and what only PyTorch can run.
SCRIPTS = sorted(
    path.relative_to(runs.EXAMPLES).as_posix()
    for path in Path(runs.EXAMPLES).glob('*/*.py')
    if path.name not in ('cart_pole.py', 'pretrain.py'))

# In one process, which saves the time of imports.
PROGRAM = '''
import os, runpy, sys
from chainer_fast import alias
alias.install()
for script in sys.argv[1:]:
    print('===', script)
    sys.path.insert(0, os.path.dirname(script))
    sys.argv = [script, '--help']
    try:
        runpy.run_path(script, run_name='__main__')
    except SystemExit as end:
        assert not end.code
'''


@pytest.fixture(scope='module')
def helps():
    pytest.importorskip('sklearn')
    pytest.importorskip('mpi4py')
    pytest.importorskip('onnx')
    scripts = [os.path.join(runs.EXAMPLES, script) for script in SCRIPTS]
    process = subprocess.run(
        [sys.executable, '-c', PROGRAM, *scripts], capture_output=True, text=True,
        env=dict(os.environ, PYTHONPATH=runs.ROOT, COLUMNS='88'))
    assert process.returncode == 0, process.stderr
    return dict(re.findall(r'^=== .*/(\w+/\w+\.py)\n((?:(?!===).*\n)*)', process.stdout,
                           re.MULTILINE))


@pytest.mark.parametrize('script', SCRIPTS)
def test_help(helps, script):
    """Every option has a text, and the program says what it is an example of."""
    text = helps[script]
    assert 'Chainer example: ' in text
    options = re.findall(r'^  (-.*(?:\n {3,}.*)*)', text, re.MULTILINE)
    assert len(options) > 2
    for option in options:
        assert re.search(r' {2,}\w', option), option


def test_table():
    """The page lists every example once, and nothing else."""
    table = Path(runs.EXAMPLES, 'README.md').read_text(encoding='utf-8')
    listed = re.findall(r'^\| \[(\w+/\w+\.py)\]\(\1\) \|', table, re.MULTILINE)
    assert sorted(listed) == SCRIPTS
