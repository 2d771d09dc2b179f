"""conformance.py on the smallest checkout there can be."""
import json
import os
import shutil

import pytest

from tests.compat import processes

# What Chainer's tests may be, and do.
TESTS = {
    'test_top.py': '''
import numpy
import chainer
import chainer_fast
import pytest

def test_passes():
    assert chainer is chainer_fast

def test_old_names_of_numpy():
    assert numpy.product([2, 3]) == 6 and numpy.float_ is numpy.float64

@pytest.mark.parametrize('x', [1, 2])
def test_fails(x):
    assert x == 3

@pytest.mark.skip(reason='why not')
def test_skipped():
    pass

@pytest.mark.xfail
def test_expected_to_fail():
    assert False

@pytest.mark.gpu
def test_of_gpu():
    from chainer.backends import cuda
    assert cuda.cupy.ones(3).sum() == 3

@pytest.mark.gpu
def test_fails_on_gpu():
    assert False
''',
    'parts_tests/test_part.py': '''
import pytest

@pytest.fixture
def broken():
    raise RuntimeError

def test_passes():
    pass

def test_error(broken):
    pass
''',
    'parts_tests/deeper_tests/test_deep.py': 'def test_passes(): pass',
    'broken_tests/test_broken.py': 'import chainer.no_such_module',
}
REFERENCE = '''\
file	passed	failed	skipped
chainer_tests/test_top.py	4	0	1
chainer_tests/test_missing.py	2	0	0
chainer_tests/parts_tests/test_part.py	1	0	0
chainer_tests/parts_tests/deeper_tests/test_deep.py	1	0	0
'''
EXPLAINED = '''\
test	explanation
chainer_tests/test_top.py::test_fails[[]1]	The first is wrong by design.
chainer_tests/parts_tests/*::test_error	A fixture for breaking.
'''
TOP = 'chainer_tests/test_top.py::'
PART = 'chainer_tests/parts_tests/test_part.py::'
OUTCOMES = {
    TOP + 'test_passes': 'passed',
    TOP + 'test_old_names_of_numpy': 'passed',
    TOP + 'test_fails[1]': 'failed',
    TOP + 'test_fails[2]': 'failed',
    TOP + 'test_skipped': 'skipped',
    TOP + 'test_expected_to_fail': 'skipped',
    PART + 'test_passes': 'passed',
    PART + 'test_error': 'error',
    'chainer_tests/parts_tests/deeper_tests/test_deep.py::test_passes': 'passed',
    'chainer_tests/broken_tests/test_broken.py': 'error',
}


class Conformance:
    """The program with data of its own, and the checkout for it."""

    def __init__(self, folder):
        self.folder = folder
        self.program = folder / 'program'
        self.checkout = folder / 'checkout'
        self.program.mkdir()
        for name in ('conformance.py', 'conformance_plugin.py', 'suites.py'):
            shutil.copy(os.path.join(processes.COMPAT, name), self.program)
        shutil.copytree(
            os.path.join(processes.COMPAT, 'stand_ins'), self.program / 'stand_ins')
        (self.program / 'reference.tsv').write_text(REFERENCE)
        self.explain(EXPLAINED)
        for name, text in TESTS.items():
            path = self.checkout / 'tests' / 'chainer_tests' / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        (self.checkout / 'setup.cfg').write_text(
            '[tool:pytest]\nmarkers =\n    gpu: needs one\naddopts = --no-option\n')
        self.out = folder / 'outcomes.json'

    def explain(self, text):
        (self.program / 'explained.tsv').write_text(text)

    def __call__(self, *arguments):
        self.process = processes.start(
            self.program / 'conformance.py', self.checkout, *arguments, cwd=self.folder)
        return self.process

    def outcomes(self):
        assert self.out.exists(), self.process.stdout + self.process.stderr
        return json.loads(self.out.read_text())


@pytest.fixture
def conformance(tmp_path):
    return Conformance(tmp_path)


def rows(printed):
    """Return the table as a dictionary of lines, the numbers of each as text."""
    lines = printed.splitlines()
    start = next(i for i, line in enumerate(lines) if line.split()[-1:] == ['share'])
    end = next(i for i, line in enumerate(lines) if line.startswith('all '))
    return {line.split()[0]: line.split()[1:] for line in lines[start + 1:end + 1]}


@pytest.mark.parametrize('number', [1, 2])
def test_everything(conformance, number):
    process = conformance('--out', 'outcomes.json', '--failures', '-n', number)
    assert conformance.outcomes() == OUTCOMES
    #                passed failed error skipped reference share
    assert rows(process.stdout) == {
        'broken_tests': ['0', '0', '1', '0', '0', '-'],
        'parts_tests': ['2', '0', '1', '0', '2', '100.00%'],
        'test_missing.py': ['0', '0', '0', '0', '2', '0.00%'],
        'test_top.py': ['2', '2', '0', '2', '4', '50.00%'],
        'all': ['4', '2', '2', '2', '8', '50.00%'],
    }
    report = process.stdout[process.stdout.index('\nall '):]
    assert '4 failures, 2 of them explained' in report
    assert (TOP + 'test_fails[1]\n    The first is wrong by design.\n') in report
    assert (PART + 'test_error\n    A fixture for breaking.\n') in report
    assert '  unexplained: %stest_fails[2]\n' % TOP in report
    assert '  unexplained: chainer_tests/broken_tests/test_broken.py\n' in report
    assert process.returncode == 1


def test_selection_and_explanations(conformance):
    conformance.explain(EXPLAINED + TOP + 'test_fails[2]\tSo is the second.\n')
    process = conformance('parts_tests', 'test_top.py', '--out', 'outcomes.json')
    assert list(rows(process.stdout)) == ['parts_tests', 'test_top.py', 'all']
    assert rows(process.stdout)['all'] == ['4', '2', '1', '2', '6', '66.67%']
    assert '3 failures, 3 of them explained' in process.stdout
    assert 'wrong by design' not in process.stdout
    assert process.returncode == 0
    assert {name.split('/')[1].split('::')[0] for name in conformance.outcomes()} == {
        'parts_tests', 'test_top.py'}


def test_selection_of_one_file(conformance):
    process = conformance('parts_tests/deeper_tests/')
    assert rows(process.stdout)['all'] == ['1', '0', '0', '0', '1', '100.00%']
    assert process.returncode == 0


def test_an_explanation_that_is_not_needed(conformance):
    conformance.explain(EXPLAINED + PART + 'test_passes\tIt once failed.\n')
    process = conformance('parts_tests')
    assert 'explained, but passes: %stest_passes\n' % PART in process.stdout
    assert process.returncode == 0


def test_compare(conformance):
    earlier = dict(OUTCOMES)
    earlier[PART + 'test_passes'] = 'failed'
    del earlier[PART + 'test_error']
    earlier[PART + 'test_gone'] = 'passed'
    before = conformance.folder / 'before.json'
    before.write_text(json.dumps(earlier))
    process = conformance('parts_tests', '--compare', before)
    assert process.stdout.endswith(f'''\
3 tests differ from the earlier run
  {PART}test_error: None -> error
  {PART}test_gone: passed -> None
  {PART}test_passes: failed -> passed
''')


def test_pytest_arguments_and_markers(conformance):
    process = conformance(
        'parts_tests', '--out', 'outcomes.json', '--', '-k', 'passes')
    assert conformance.outcomes() == {
        PART + 'test_passes': 'passed',
        'chainer_tests/parts_tests/deeper_tests/test_deep.py::test_passes': 'passed'}
    assert process.returncode == 0
    conformance('test_top.py', '--markers', 'gpu', '--out', 'outcomes.json')
    assert conformance.outcomes() == {
        TOP + 'test_of_gpu': 'failed', TOP + 'test_fails_on_gpu': 'failed'}


def test_gpu(conformance):
    for name in ('reference', 'explained'):
        (conformance.program / (name + '_gpu.tsv')).write_text({
            'reference': REFERENCE, 'explained': EXPLAINED}[name])
    process = conformance('test_top.py', '--gpu', '--out', 'outcomes.json')
    assert conformance.outcomes() == {
        TOP + 'test_of_gpu': 'passed', TOP + 'test_fails_on_gpu': 'failed'}
    assert '1 failures, 0 of them explained in explained_gpu.tsv' in process.stdout
    assert process.returncode == 1


CHAINERX_TEST = '''
import chainerx
import pytest

@pytest.mark.parametrize('device', ['native:0', 'cuda:0'])
def test_passes(device):
    assert chainerx.ones(2, device=device).device.name == device

@pytest.mark.parametrize('device', ['native:0', 'cuda:0'])
def test_fails(device):
    assert chainerx.ones(2, device=device).device.index
'''


def test_chainerx_on_gpu(conformance):
    tests = conformance.checkout / 'tests' / 'chainerx_tests'
    tests.mkdir()
    (tests / 'test_arrays.py').write_text(CHAINERX_TEST)
    name = 'chainerx_tests/test_arrays.py::test_'
    (conformance.program / 'reference_chainerx_gpu.tsv').write_text(
        'file\tpassed\tfailed\tskipped\nchainerx_tests/test_arrays.py\t2\t1\t0\n')
    for table, line in ('', name + 'fails*\tOn all devices.\n'), ('_gpu', ''):
        (conformance.program / ('explained_chainerx%s.tsv' % table)).write_text(
            'test\texplanation\n' + line)
    process = conformance('--chainerx', '--gpu', '--out', 'outcomes.json')
    assert conformance.outcomes() == {
        name + 'passes[cuda:0]': 'passed', name + 'fails[cuda:0]': 'failed'}
    assert ('1 failures, 1 of them explained in explained_chainerx.tsv and '
            'explained_chainerx_gpu.tsv') in process.stdout
    assert process.returncode == 0


def test_gpu_goes_with_chainerx_alone(conformance):
    process = conformance('--gpu', '--onnx')
    assert process.returncode == 2
    assert '--gpu goes with' in process.stderr


MPI_TEST = '''
import chainermn
import pytest
from chainer import datasets

comm = chainermn.create_communicator('naive')

def test_passes():
    assert comm.size == 2 and comm.allreduce_obj(comm.rank) == 1

def test_fails_in_one_process():
    assert comm.rank == 0

def test_data():
    assert len(datasets.get_mnist()[0]) == 6000
'''


def test_processes_of_an_mpi_job(conformance):
    tests = conformance.checkout / 'tests' / 'chainermn_tests'
    tests.mkdir()
    (tests / 'test_job.py').write_text(MPI_TEST)
    (tests / 'test_fault.py').write_text(
        'import os, chainermn\nif chainermn.create_communicator("naive").rank:'
        ' os._exit(3)\ndef test(): pass')
    (conformance.program / 'reference_mpi2.tsv').write_text(
        'file\tpassed\tfailed\tskipped\nchainermn_tests/test_job.py\t3\t0\t0\n')
    (conformance.program / 'explained_mpi.tsv').write_text('test\texplanation\n')
    process = conformance('--mpi', 2, '--out', 'outcomes.json')
    job = 'chainermn_tests/test_job.py::'
    assert conformance.outcomes() == {
        job + 'test_passes': 'passed', job + 'test_fails_in_one_process': 'failed',
        job + 'test_data': 'passed', 'chainermn_tests/test_fault.py': 'error'}
    assert rows(process.stdout)['test_job.py'] == ['2', '1', '0', '0', '3', '66.67%']
    assert process.returncode == 1


def test_onnx(conformance):
    tests = conformance.checkout / 'tests' / 'onnx_chainer_tests'
    tests.mkdir()
    (tests / '__init__.py').write_text('')
    (tests / 'helper.py').write_text('import onnx_chainer')
    (tests / 'test_export.py').write_text(
        'from onnx_chainer_tests import helper\ndef test():\n'
        '    assert helper.onnx_chainer.__name__ == "chainer_fast.onnx"')
    (conformance.program / 'reference_onnx.tsv').write_text(
        'file\tpassed\tfailed\tskipped\n'
        'onnx_chainer_tests/test_export.py\t1\t0\t0\n')
    (conformance.program / 'explained_onnx.tsv').write_text('test\texplanation\n')
    process = conformance('--onnx')
    assert rows(process.stdout)['all'] == ['1', '0', '0', '0', '1', '100.00%']
    assert process.returncode == 0


@pytest.mark.parametrize('arguments, message', [
    (['nothing_tests'], 'there is no'),
    (['test_top.py', '--', '--no-such-option'], 'pytest did not run to its end')])
def test_nothing_runs(conformance, arguments, message):
    process = conformance(*arguments)
    assert process.returncode == 1
    assert message in process.stderr


def test_no_checkout(conformance):
    shutil.rmtree(conformance.checkout / 'tests')
    process = conformance()
    assert process.returncode == 2
    assert 'clone Chainer and check out v7.8.1' in process.stderr


def test_a_fault_counts_against_its_files(conformance):
    path = conformance.checkout / 'tests' / 'chainer_tests' / 'test_top.py'
    path.write_text('import os\ndef test_passes(): os.abort()')
    process = conformance(
        'test_top.py', 'parts_tests', '-n', '3', '--out', conformance.out)
    assert process.returncode == 1
    assert rows(process.stdout)['test_top.py'] == ['0', '0', '1', '0', '4', '0.00%']
    assert conformance.outcomes()['chainer_tests/test_top.py'] == 'error'
    assert conformance.outcomes()[PART + 'test_passes'] == 'passed'


def test_data_of_the_reference():
    """The counts of the released Chainer, as the table adds them up."""
    with open(os.path.join(processes.COMPAT, 'reference.tsv')) as f:
        lines = [line.rstrip('\n').split('\t') for line in f]
    assert lines[0] == ['file', 'passed', 'failed', 'skipped']
    assert sum(int(line[1]) for line in lines[1:]) == 31670
    assert all(line[0].startswith('chainer') for line in lines[1:])


def test_data_of_tests_of_gpus():
    with open(os.path.join(processes.COMPAT, 'reference_gpu.tsv')) as f:
        lines = [line.rstrip('\n').split('\t') for line in f]
    assert lines[0] == ['file', 'passed', 'failed', 'skipped']
    assert sum(int(line[1]) for line in lines[1:]) > 40000
    assert sum(int(line[2]) for line in lines[1:]) == 134


@pytest.mark.parametrize('suite, passed', [
    ('mpi1', 85), ('mpi2', 184), ('mpi3', 170), ('onnx', 283),
    ('chainerx_gpu', 87064), ('chainer_on_chainerx_gpu', 26283)])
def test_data_of_other_packages(suite, passed):
    with open(os.path.join(processes.COMPAT, 'reference_%s.tsv' % suite)) as f:
        lines = [line.rstrip('\n').split('\t') for line in f]
    assert lines[0] == ['file', 'passed', 'failed', 'skipped']
    assert sum(int(line[1]) for line in lines[1:]) == passed
