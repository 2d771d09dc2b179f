"""Tests of the compiled modules under a sanitizer, in stages: ``make sanitize``.

``addresses`` are those of memory, with undefined behaviour; ``threads`` are threads at
one place of memory. The modules below the working folder have been built for it
(``CHAINER_FAST_SANITIZE``). All stages run, and the status tells whether all passed.
"""
import argparse
import dataclasses
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from tests.mn import jobs

SUPPRESSIONS = Path(__file__).with_name('threads.txt')


@dataclasses.dataclass
class Stage:
    """Tests that run together.

    Parameters
    ----------
    minutes : int or None
        What they took when that was measured last: on two processors, which others used
        as well. None if nobody has.
    tests : str
        Arguments for pytest.
    processes : int
        Of a job with MPI, if there are several.
    """

    minutes: int | None
    tests: str
    processes: int = 1


# Minutes that the build takes.
BUILDS = {'addresses': 3, 'threads': 4}
# The allocator of the sanitizer of addresses (GCC 12) has locks that a thread may hold
# while another one forks: some in a hundred worker processes never begin.
_FORKING = (
    'multiprocess_faults', 'multiprocess_iterator', 'own_reader', 'start_methods',
    'streams')
# This sanitizer loses the frames of a thread that the C library ends with the program.
_ENDED = 'tests/_cpu/test_pool.py::test_a_program_ends_while_daemons_compute'
# The sanitizer of threads has a thread of its own, which wakes up again and again: no
# process looks as if it did nothing.
_IDLE = ('hang_watch.py::test_activity',
         'multiprocess_faults.py::test_worker_that_hangs_is_an_error')
STAGES = {
    'addresses': {
        'core': Stage(3, 'tests/_cpu tests/_core --deselect ' + _ENDED),
        'backends': Stage(2, 'tests/backends'),
        'functions': Stage(1, '-p tests.odd_addresses tests/functions'),
        'links': Stage(1, 'tests/links tests/link tests/distributions'),
        'updates': Stage(1, 'tests/optimizers tests/optimizer_hooks tests/optimizer '
                            'tests/training/updaters'),
        'graphs': Stage(1, 'tests/variable tests/graph_optimizations '
                           'tests/test_backprop.py tests/test_function_node.py'),
        'chainerx': Stage(1, 'tests/chainerx'),
        'examples': Stage(1, 'tests/dataset tests/iterators' + ''.join(
            ' --ignore=tests/iterators/test_%s.py' % name for name in _FORKING)),
        'mn': Stage(3, 'tests/mn'),
        'job': Stage(1, 'tests/mn -m mpi', processes=2),
    },
    'threads': {
        'core': Stage(4, ' '.join(
            'tests/_core/%s.py' % name for name in (
                'configuration/test_many_threads', 'configuration/test_threads',
                'configuration/test_state', 'updates/test_rows'))),
        'loops': Stage(3, ' '.join(
            'tests/backends/kernels/test_%s.py' % name for name in (
                'image_threads', 'shared_loops', 'products', 'packing', 'noise',
                'convolution_vectors'))),
        'chains': Stage(1, 'tests/graph_optimizations'),
        'iterators': Stage(4, 'tests/iterators ' + ' '.join(
            '--deselect tests/iterators/test_%s' % name for name in _IDLE)),
    },
}
if Path('tests/fuzz').is_dir():
    STAGES['addresses']['fuzz'] = Stage(1, 'tests/fuzz')


def library(name):
    """Return the path of a library of the compiler."""
    found = subprocess.run(['gcc', '-print-file-name=' + name], check=True, text=True,
                           capture_output=True)
    return found.stdout.strip()


def environment(sanitizer):
    """Return the variables that tests need."""
    variables = {'PYTHONMALLOC': 'malloc', 'PYTHONPATH': os.getcwd()}
    if sanitizer == 'addresses':
        # Python keeps much until it ends.
        variables['ASAN_OPTIONS'] = 'detect_leaks=0'
        libraries = 'libasan.so', 'libubsan.so', 'libstdc++.so'
    else:
        # OpenBLAS is not built for it either; its own threads have no part in what is
        # tested.
        variables['OPENBLAS_NUM_THREADS'] = '1'
        # Tests fork processes that have threads. After a report, the status is 66.
        variables['TSAN_OPTIONS'] = (
            'die_after_fork=0 history_size=4 exitcode=66 suppressions=%s'
            % SUPPRESSIONS)
        libraries = 'libtsan.so', 'libstdc++.so'
    variables['LD_PRELOAD'] = ' '.join(map(library, libraries))
    return variables


def run(stage, sanitizer):
    """Run a stage, and return whether all tests passed."""
    variables = {**os.environ, **environment(sanitizer)}
    # What pytest has captured of descriptors goes with a process that a report ends.
    pytest = [sys.executable, '-m', 'pytest', '-q', '-p', 'no:cacheprovider',
              '--capture=sys', '--color=no', *stage.tests.split()]
    if stage.processes > 1:
        # The program that starts the job has nothing to do with the sanitizer.
        preload = 'LD_PRELOAD=' + variables.pop('LD_PRELOAD')
        command = [jobs.mpiexec(), '--oversubscribe', '-n', str(stage.processes),
                   'env', preload, *pytest]
        variables = {**jobs.environment(), **variables}
    elif sanitizer == 'addresses':
        command = [*pytest, '-n', '2', '--dist', 'loadfile']
    else:
        # In place of xdist, whose workers would keep the status to themselves. The
        # sanitizer does not know addresses from as wide a range as newer systems use.
        command = ['setarch', os.uname().machine, '-R'] * bool(shutil.which('setarch'))
        command += pytest
    return subprocess.run(command, env=variables).returncode == 0


def clock(seconds):
    return '%d:%02d' % divmod(round(seconds), 60)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('sanitizer', choices=list(STAGES))
    parser.add_argument('stages', nargs='*', help='some of the stages')
    parser.add_argument('--announce', action='store_true',
                        help='only tell how long it takes')
    args = parser.parse_intermixed_args()
    stages = STAGES[args.sanitizer]
    chosen = args.stages or list(stages)
    for name in chosen:
        if name not in stages:
            parser.error('stages are %s, not %s' % (', '.join(stages), name))
    if args.announce:
        known = [stages[name].minutes for name in chosen]
        print('%d stages took %d minutes when they were measured last%s; the build '
              'before them takes %d' % (
                  len(chosen), sum(each or 0 for each in known),
                  ', %d of them never' % known.count(None) if None in known else '',
                  BUILDS[args.sanitizer]))
        return 0
    begin, failed = time.monotonic(), []
    for number, name in enumerate(chosen, 1):
        head = '[%d of %d] %s' % (number, len(chosen), name)
        usual = stages[name].minutes
        print('\n%s: %s' % (head, 'how long is not known' if usual is None
                            else 'about %d minutes' % usual), flush=True)
        since = time.monotonic()
        passed = run(stages[name], args.sanitizer)
        if not passed:
            failed.append(name)
        print('%s: %s after %s minutes' % (
            head, 'passed' if passed else 'FAILED', clock(time.monotonic() - since)),
            flush=True)
    print('\n%s after %s minutes' % (
        'FAILED: ' + ', '.join(failed) if failed else 'all passed',
        clock(time.monotonic() - begin)))
    return len(failed) > 0


if __name__ == '__main__':
    sys.exit(main())
