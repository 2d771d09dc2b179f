"""examples.py with a few scripts and runs of its own."""
import os
import shutil
import sys
import time

import pytest

from tests.compat import processes

HANGS = '''
import pathlib, subprocess, sys, time
child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])
pathlib.Path('pid').write_text(str(child.pid))
print('epoch 1', flush=True)
time.sleep(60)
'''
SCRIPTS = {
    'good/train.py': '''
import os, pathlib, sys, urllib.request
import chainer, chainer_fast
from neighbour import parse

assert chainer is chainer_fast
number = parse(pathlib.Path('data.txt').read_text()) * int(sys.argv[1])
root = pathlib.Path(chainer.dataset.get_dataset_root())
assert (root / 'set.txt').read_text() == '7'
address = 'https://example.com/a.bin'
path = chainer.dataset.cached_download(address)
assert pathlib.Path(path).read_bytes() == b'abc'
try:
    chainer.dataset.cached_download(address + '.other')
except OSError as e:
    print('offline:', type(e).__name__)
assert os.environ['MPLBACKEND'] == 'Agg' and 'CHAINER_DTYPE' not in os.environ
print('typed', input())
os.mkdir('result')
pathlib.Path('result/model').write_text(str(number))
''',
    'good/neighbour.py': 'def parse(text):\n    return int(text)\n',
    'good/use.py': '''
import pathlib
print('model is', pathlib.Path('result/model').read_text())
''',
    'bad/fails.py': '''
import sys
print('reading', flush=True)
sys.stdout.write('\\r 50% done')
raise ValueError('no such number')
''',
    'bad/after.py': '',
    'bad/nothing.py': 'print("nothing written")',
    'bad/usage.py': 'import argparse; argparse.ArgumentParser().parse_args()',
    'bad/killed.py': 'import os; os.kill(os.getpid(), 9)',
    'bad/hangs.py': HANGS,
    'bad/enough.py': HANGS,
    'bad/own.py': '''
print('trained')
[].reset()
''',
    'other/needs.py': 'import no_such_package',
    'other/old.py': '',
    'other/device.py': '',
    'jobs/job.py': '''
import sys
from mpi4py import MPI
print('rank', MPI.COMM_WORLD.allgather(MPI.COMM_WORLD.rank), flush=True)
MPI.COMM_WORLD.Barrier()
if len(sys.argv) > 1:
    print('no such number', flush=True)
    sys.exit(1)
''',
}
RUNS = '''
from stand_ins.run import Run, put_download

def prepare(folder, cache):
    (folder / 'data.txt').write_text('21')
    (cache / 'set.txt').write_text('7')
    assert put_download(cache, 'https://example.com/a.bin', b'abc').exists()

def broken(folder, cache):
    raise RuntimeError('no data')

RUNS = [
    Run('good/train.py', ('2',), prepare, produces=('result/mod*',), typed='word',
        prints='offline: .*\\ntyped word', note='a remark', then=(
            Run('good/use.py', prints='model is 42'),
            Run('good/use.py', prints='model is 43'),
        )),
    Run('bad/fails.py', then=(
        Run('bad/after.py'),
        Run('bad/after.py', excused='a GPU'),
    )),
    Run('bad/nothing.py', produces=('model',)),
    Run('bad/nothing.py', prepare=broken),
    Run('bad/usage.py', ('--no-option',)),
    Run('bad/killed.py'),
    Run('bad/hangs.py', produces=('pid',)),
    Run('bad/enough.py', produces=('pid',), enough='epoch 1'),
    Run('bad/own.py', prints='trained', own_fault="'list' .* 'reset'"),
    Run('bad/own.py', prints='tested', own_fault="'list' .* 'reset'"),
    Run('bad/gone.py'),
    Run('other/needs.py', needs=('numpy', 'no_such_package'),
        then=(Run('other/old.py'),)),
    Run('other/old.py', needs=('pytest<2',), note='an old one'),
    Run('other/device.py', excused='needs a GPU'),
    Run('jobs/job.py', processes=2, prints=r'rank .0, 1.'),
    Run('jobs/job.py', ('fail',), processes=2),
]
'''
OWN = "AttributeError: 'list' object has no attribute 'reset'"


class Examples:
    """The program with runs of its own, and the checkout for them."""

    def __init__(self, folder):
        self.folder = folder
        self.program = folder / 'program'
        self.checkout = folder / 'checkout'
        self.kept = folder / 'kept'
        (self.program / 'stand_ins').mkdir(parents=True)
        for name in ('examples.py', 'stand_ins/__init__.py', 'stand_ins/devices.py',
                     'stand_ins/mpi.py', 'stand_ins/run.py', 'stand_ins/runner.py'):
            shutil.copy(os.path.join(processes.COMPAT, name), self.program / name)
        (self.program / 'stand_ins' / 'toys.py').write_text(RUNS)
        for name, text in SCRIPTS.items():
            self.write(name, text)

    def write(self, name, text):
        path = self.checkout / 'examples' / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def __call__(self, *arguments):
        return processes.start(
            self.program / 'examples.py', self.checkout, *arguments, cwd=self.folder,
            env={'CHAINER_DTYPE': 'float16'})

    def plain(self, *arguments):
        """Without chainer_fast, whose import takes time."""
        return self(*arguments, '--with-chainer', sys.executable)


@pytest.fixture
def examples(tmp_path):
    return Examples(tmp_path)


def rows(process):
    """Return the table: call, result, what stands below it."""
    lines = process.stdout.split('\n\n')[0].splitlines()
    start = lines[0].index('result')
    table = []
    for line in lines[1:]:
        if line.startswith(' '):
            table[-1] = (*table[-1][:2], line.strip())
        else:
            result, call = line[start:].split(None, 1)
            table.append((call, result, ''))
    return table


def test_scripts_run_as_they_are(examples):
    process = examples('--only', 'good/train.py', '--keep', 'kept')
    assert rows(process) == [
        ('train.py 2', 'passed', 'a remark'),
        ('use.py', 'passed', ''),
        ('use.py', 'failed', "printed nothing like 'model is 43'"),
    ], process.stdout + process.stderr
    assert process.returncode == 1
    assert '3 runs of 1 examples: 2 passed, 1 failed, 0 excused' in process.stdout
    assert 'runs: good: train.py 2\npassed after' in process.stderr
    # All that was written is in the folder to keep.
    assert (examples.kept / '00-good-train' / 'good' / 'result' / 'model').exists()
    assert sorted(os.listdir(examples.checkout / 'examples' / 'good')) == [
        'neighbour.py', 'train.py', 'use.py']


def test_arguments_for_gpus(examples):
    examples.write('good/train.py', "parser.add_argument('--device', '-d')")
    examples.write('good/use.py', "parser.add_argument('--gpu', '-g')")
    examples.write('bad/usage.py', "parser.add_argument('--device1')")
    examples.program.joinpath('stand_ins', 'toys.py').write_text(RUNS.replace(
        "'--no-option',", "'--device0', '-1', '--device1', '-1'"))
    lines = examples('--gpu', '--list').stdout.splitlines()
    for line in ('good: train.py 2 --device 0', 'good: use.py --gpu 0',
                 'bad: usage.py --device0 0 --device1 1', 'bad: fails.py'):
        assert line in lines


def test_arguments_for_a_device(examples):
    examples.write('good/train.py', "parser.add_argument('--device', '-d')")
    examples.write('jobs/job.py', "parser.add_argument('--chainerx', '-x')")
    examples.write('bad/own.py', "parser.add_argument('--device0')")
    examples.program.joinpath('stand_ins', 'toys.py').write_text(RUNS.replace(
        "Run('bad/own.py', prints", "Run('bad/own.py', ('--device0', '-1'), prints"))
    calls = [line for line in examples('--device', 'native', '--list').stdout.split(
        '\n\n')[0].splitlines() if not line.startswith(' ')]
    job = 'jobs: mpiexec -n 2 job.py%s --chainerx'
    # Runs that follow stay, without a device if they take none.
    assert calls == [
        'bad: own.py --device0 native', 'bad: own.py --device0 native',
        'good: train.py 2 --device native', 'good: use.py', 'good: use.py',
        job % '', job % ' fail']
    plain = examples('--device', '@numpy', '--list').stdout
    assert 'jobs: mpiexec -n 2 job.py\n' in plain

    examples.write('bad/own.py', '''
# '--device'
import sys
sys.exit('This example does not support ChainerX devices.')
''')
    examples.program.joinpath('stand_ins', 'toys.py').write_text(
        RUNS[:RUNS.index('RUNS')] + '''
RUNS = [Run('bad/own.py', prints='trained', produces=('cg.dot',))]
''')
    assert rows(examples.plain('--device', 'native')) == [(
        'own.py --device native', 'excused', 'fails with Chainer too: This example '
        'does not support ChainerX devices.')]


def test_failures(examples):
    process = examples.plain('--only', 'fails', 'nothing.py', 'usage', 'killed', 'gone')
    assert rows(process) == [
        ('fails.py', 'failed', 'ValueError: no such number'),
        ('after.py', 'failed', 'bad/fails.py failed before it'),
        ('after.py', 'excused', 'a GPU'),
        ('nothing.py', 'failed', 'left no file model'),
        ('nothing.py', 'failed', "no stand-in data: RuntimeError('no data')"),
        ('usage.py --no-option', 'failed',
         'usage.py: error: unrecognized arguments: --no-option'),
        ('killed.py', 'failed', 'ended by SIGKILL'),
        ('gone.py', 'failed', 'the checkout has no such script'),
    ]
    assert process.returncode == 1
    assert '--- bad fails.py\nreading\n 50% doneTraceback' in process.stdout


def test_script_that_does_not_end(examples):
    process = examples.plain('--only', 'hangs', '--timeout', '1', '--keep', 'kept')
    assert rows(process) == [('hangs.py', 'failed', 'not at its end after 1 s')]
    assert_no_process_is_left(examples)


def test_script_that_did_enough(examples):
    process = examples.plain('--only', 'enough', '--keep', 'kept')
    assert rows(process) == [('enough.py', 'passed', '')]
    assert_no_process_is_left(examples, 1)


def assert_no_process_is_left(examples, at_least=0):
    """Look for what the scripts started; on a slow machine they may not get there."""
    pids = [int(pid.read_text()) for pid in examples.kept.glob('*/bad/pid')]
    assert len(pids) >= at_least
    # A process that nobody waits for may end a little after it has been killed.
    end = time.monotonic() + 10
    while any(map(is_alive, pids)) and time.monotonic() < end:
        time.sleep(0.01)
    assert not any(map(is_alive, pids))


def is_alive(pid):
    try:
        with open('/proc/%d/stat' % pid) as f:
            return f.read().rsplit(')', 1)[1].split()[0] != 'Z'
    except FileNotFoundError:
        return False


def test_excuses(examples):
    process = examples.plain('--only', 'other')
    assert rows(process) == [
        ('device.py', 'excused', 'needs a GPU'),
        ('needs.py', 'excused', 'needs no_such_package'),
        ('old.py', 'excused', 'needs no_such_package'),
        ('old.py', 'excused', 'needs pytest<2: an old one'),
    ]
    assert process.returncode == 0
    assert '4 runs of 1 examples: 0 passed, 0 failed, 4 excused' in process.stdout


def test_faults_of_the_script(examples):
    process = examples.plain('--only', 'own.py')
    assert rows(process) == [
        ('own.py', 'excused', 'fails with Chainer too: ' + OWN),
        ('own.py', 'failed', OWN),          # for it did not get that far
    ]


def test_scripts_without_run(examples):
    for name in ('new/main.py', 'good/.hidden.py', 'optuna/train.py'):
        examples.write(name, 'import parts.net')
    examples.write('new/parts/net.py', '')
    examples.write('new/imported.py', "if __name__ == '__main__':\n    pass\n")
    examples.write('new/parts/__init__.py', 'import imported')
    process = examples('--list')
    assert process.returncode == 0
    lines = process.stdout.splitlines()
    assert [line for line in lines if line.startswith('no run: ')] == [
        'no run: new/imported.py', 'no run: new/main.py']
    assert 'good: train.py 2' in lines
    assert '    needs numpy, no_such_package' in lines
    assert '    not run: needs a GPU' in lines
    assert any(line.startswith('    optuna: ') for line in lines)

    (examples.program / 'stand_ins' / 'toys.py').write_text('RUNS = []')
    process = examples.plain()
    assert ('main.py', 'failed', 'nothing runs this script') in rows(process)
    assert process.returncode == 1


@pytest.mark.parametrize('arguments, status, message', [
    (['--only', 'nonsense'], 1, "no run is of 'nonsense'"),
    (['--jobs', '0'], 2, '--jobs'),
    (['--keep', '.'], 2, '. is not empty'),
    (['--python', 'a', '--with-chainer', 'b'], 2, 'not allowed with'),
])
def test_wrong_arguments(examples, arguments, status, message):
    process = examples(*arguments)
    assert process.returncode == status
    assert message in process.stderr


def test_no_checkout(examples):
    process = processes.start(examples.program / 'examples.py', examples.program)
    assert process.returncode == 2
    assert 'has no examples/' in process.stderr


def test_stand_ins_import_and_have_runs():
    process = processes.run('-c', '''
import pathlib, sys
sys.path.insert(0, sys.argv[1])
import examples
for run in examples.known_runs():
    folders = {pathlib.PurePosixPath(r.script).parent for r in run.chain()}
    assert len(folders) == 1, run.script        # they share their working directory
    print(run.script)
''', processes.COMPAT)
    assert 'mnist/train_mnist.py' in process.splitlines()


def test_jobs_of_several_processes(examples):
    """A failed one shows the error, and not what mpiexec says of it."""
    assert rows(examples.plain('--only', 'jobs/job.py')) == [
        ('mpiexec -n 2 job.py', 'passed', ''),
        ('mpiexec -n 2 job.py fail', 'failed', 'no such number')]


def test_jobs_without_mpiexec(examples, monkeypatch):
    monkeypatch.setenv('PATH', '/nowhere')
    # A Python with nothing beside it.
    python = examples.folder / 'python'
    python.symlink_to(sys.executable)
    process = examples('--only', 'jobs/job.py', '--with-chainer', str(python))
    assert [row[1:] for row in rows(process)] == [('excused', 'needs mpiexec')] * 2
