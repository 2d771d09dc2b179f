"""Examples, run as their users run them."""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXAMPLES = os.path.join(ROOT, 'examples')


def run(script, *arguments, options=(), status=0, **variables):
    """Run a script below ``examples`` under the name chainer.

    Parameters
    ----------
    options : list of str
        Options of the command ``chainer-fast``.
    status : int
        The exit status that is expected.
    variables : dict
        More variables of the environment.

    Returns
    -------
    str
        Its standard output, which has no escape codes; with another status than 0, its
        standard error.
    """
    environment = dict(os.environ, PYTHONPATH=ROOT, OPENBLAS_NUM_THREADS='1',
                       OMP_NUM_THREADS='1')
    process = subprocess.run(
        [sys.executable, '-m', 'chainer_fast', *options, os.path.join(EXAMPLES, script),
         *map(str, arguments)],
        env=dict(environment, **variables), capture_output=True, text=True)
    assert process.returncode == status, process.stderr
    if status:
        return process.stderr
    assert '\033' not in process.stdout
    return process.stdout


def number(pattern, text):
    """Return the number that the group of a pattern matches at its last place."""
    return float(re.findall(pattern, text)[-1])


def is_png(path):
    with open(path, 'rb') as file:
        return file.read(8) == b'\x89PNG\r\n\x1a\n'
