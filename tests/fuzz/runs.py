"""Runs of the fuzzer in processes of their own, which may die."""
import os
import pathlib
import subprocess
import sys

#: How many calls to make in the place of the usual ones, such as 20000.
CALLS = os.environ.get('CHAINER_FAST_FUZZ_CALLS', '')
#: The first seed; another one makes other calls.
FIRST = int(os.environ.get('CHAINER_FAST_FUZZ_SEED', '0'))
_MOST_DEATHS = 20
_ROOT = pathlib.Path(__file__).parents[2]


def run(kind, calls):
    """Make calls from seeds.

    Parameters
    ----------
    kind : str
        Name of a module of this package with a function ``compare``.
    calls : int
        Number of calls, unless the environment tells another one.

    Returns
    -------
    int
        Number of calls made.
    list of str
        What is wrong with calls, and reports of those that ended the process.
    """
    first = FIRST
    last = first + int(CALLS or calls)
    faults = []
    deaths = 0
    while first < last and deaths < _MOST_DEATHS:
        seed, found, error = _process(kind, first, last)
        faults += found
        if not error:
            break
        faults.append('the process died of seed %d of %s:\n%s' % (seed, kind, error))
        deaths += 1
        first = seed + 1
    return last - FIRST, faults


def _process(kind, first, last):
    """Return the last seed, faults, and the report if the process did not end well."""
    process = subprocess.Popen(
        [sys.executable, '-m', 'tests.fuzz', kind, str(first), str(last)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=_ROOT,
        # What is too large is a MemoryError, under the sanitizers as well.
        env={**os.environ, 'ASAN_OPTIONS': ':'.join(filter(None, [
            os.environ.get('ASAN_OPTIONS'), 'allocator_may_return_null=1']))})
    out, error = process.communicate()
    seed, faults = first, []
    for line in out.splitlines():
        if line.startswith('seed '):
            seed = int(line[5:])
        elif line.startswith('fault '):
            faults.append(line)
    return seed, faults, error[-6000:] or 'no report' if process.returncode else ''
