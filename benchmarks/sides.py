"""The sides of the comparison: their environments, and the processes that run them."""
import json
import os
import subprocess
import sys
import typing as tp

HERE = os.path.dirname(os.path.abspath(__file__))
PEERS = os.path.join(os.path.dirname(HERE), '.peers')

# Columns of the table. ``onednn`` is chainer_fast with oneDNN.
NAMES = {'chainer_fast': 'chainer_fast', 'chainer': 'Chainer 7.8.1',
         'torch': 'PyTorch', 'numpy': 'NumPy', 'chainerx': 'over ChainerX',
         'onednn': 'with oneDNN', 'static': 'static_graph',
         'general': 'general way',
         'torch_compile': 'torch.compile', 'jax': 'jax.jit'}
# Sides that are ours, each with a separate table.
OWN = 'chainer_fast', 'onednn', 'static'
# Sides that compile a step in its first calls.
COMPILERS = 'static', 'torch_compile', 'jax'
# Variables by which all libraries use no longer vectors than those of AVX2.
AVX2 = {
    'CHAINER_FAST_CPU': 'avx2', 'ATEN_CPU_CAPABILITY': 'avx2',
    'ONEDNN_MAX_CPU_ISA': 'AVX2', 'MKL_ENABLE_INSTRUCTIONS': 'AVX2',
    'OPENBLAS_CORETYPE': 'Haswell'}
# JAX uses all processors by default.
_JAX_ALONE = '--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1'


class Side(tp.NamedTuple):
    """A library with a number of threads."""

    name: str
    interpreter: str
    threads: int

    @property
    def environment(self):
        """Variables of the process."""
        variables = dict(os.environ, PYTHONWARNINGS='ignore')
        variables.pop('CHAINER_USE_IDEEP', None)
        if self.name == 'onednn':
            variables['CHAINER_USE_IDEEP'] = 'auto'
        for name in 'OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'MKL_NUM_THREADS':
            variables[name] = str(self.threads)
        if self.name == 'jax':
            variables['JAX_PLATFORMS'] = 'cpu'
            variables['XLA_FLAGS'] = _JAX_ALONE if self.threads == 1 else ''
        return variables


class Worker:
    """A process that runs the workloads of a side.

    It has as many processors as threads, or all of them if it is not ``pinned``.
    """

    def __init__(self, side, pinned=True):
        self.side = side
        self.process = subprocess.Popen(
            [side.interpreter, os.path.join(HERE, 'worker.py'), side.name,
             str(side.threads) if pinned else ''],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env=side.environment)

    def ask(self, do, workload, count=0, wait=0):
        task = {'do': do, 'workload': workload, 'count': count, 'wait': wait}
        print(json.dumps(task), file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            sys.exit('the process of %s ended: see its message above'
                     % NAMES[self.side.name])
        return json.loads(line)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()


def log(text):
    print(text, file=sys.stderr, flush=True)


def _environment(name, python, *steps):
    """Return the interpreter of a peer's environment, made on first use."""
    folder = os.path.join(PEERS, name)
    interpreter = os.path.join(folder, 'bin', 'python')
    ready = os.path.join(folder, '.ready')
    if not os.path.exists(ready):
        log('making the environment of %s ...' % name)
        subprocess.run([python, '-m', 'venv', '--clear', folder], check=True)
        for step in steps:
            subprocess.run([interpreter, '-m', 'pip', 'install', '--quiet', *step],
                           check=True)
        open(ready, 'w').close()
    return interpreter


def interpreters(peers, python, torch, jax, onednn):
    """Return the interpreter of each side, ours first.

    Parameters
    ----------
    peers : list of str
        Of ``'chainer'``, ``'torch'``, ``'torch_compile'``, ``'jax'``, ``'numpy'``,
        ``'static'``, which is chainer_fast by ``static_graph``, ``'general'``, which is
        chainer_fast without shortcuts, and ``'chainerx'``, which is chainer_fast over
        arrays of ChainerX.
    python : str
        Interpreter for environments that have to be made.
    torch : str
        What to install as PyTorch.
    jax : str
        What to install as JAX.
    onednn : bool
        Whether chainer_fast with oneDNN is a side, too.
    """
    found = {'chainer_fast': sys.executable}
    if 'chainer' in peers:
        found['chainer'] = _environment(
            'chainer', python,
            ['setuptools<70', 'wheel', 'numpy==1.23.5', 'protobuf==3.20.3'],
            ['--no-build-isolation', 'chainer==7.8.1'])
    for name in 'torch', 'torch_compile':
        if name in peers:
            found[name] = _environment('torch', python, ['numpy', torch])
    if 'jax' in peers:
        found['jax'] = _environment('jax', python, ['numpy', jax])
    for name in 'static', 'general', 'numpy', 'chainerx':
        if name in peers:
            found[name] = sys.executable
    if onednn:
        found['onednn'] = sys.executable
    return found
