"""Processes of their own for the tests of what an import does."""
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COMPAT = os.path.join(ROOT, 'compat')


def start(*arguments, path=(), **options):
    """Run Python with the arguments, and return the finished process.

    ``path`` are folders that come before this package on the module search path.
    """
    environment = dict(
        os.environ, PYTHONPATH=os.pathsep.join([*map(str, path), ROOT]),
        OPENBLAS_NUM_THREADS='1', **options.pop('env', {}))
    return subprocess.run(
        [sys.executable, *map(str, arguments)], env=environment, capture_output=True,
        text=True, **options)


def run(*arguments, **options):
    """Return what the program printed; it has to end well."""
    process = start(*arguments, **options)
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout
