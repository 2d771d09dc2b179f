"""Objects of compiled classes on which no ``__init__`` was called; none is a crash.

A process calls everything that a class has, on objects made by ``__new__`` alone and on
objects of other classes, and announces each call before it is made.
"""
import os
import pathlib
import subprocess
import sys

import pytest

_ROOT = pathlib.Path(__file__).parents[2]


def _walk(kind):
    process = subprocess.run(
        [sys.executable, '-W', 'ignore', '-m', 'tests._core.half_made', kind],
        cwd=_ROOT, capture_output=True, text=True, env={
            **os.environ, 'ASAN_OPTIONS': ':'.join(filter(None, [
                os.environ.get('ASAN_OPTIONS'), 'allocator_may_return_null=1']))})
    lines = process.stdout.splitlines()
    assert lines, process.stderr[-3000:]
    return process.returncode, lines, process.stderr


@pytest.mark.parametrize('kind', ['own', 'alien'])
def test_no_call_ends_the_process(kind):
    code, lines, error = _walk(kind)
    assert lines[-1].startswith('done') and code == 0, (
        'the process ended with %d in %s\n%s' % (code, lines[-1], error[-3000:]))
    assert int(lines[-1].split()[1]) > 1000
