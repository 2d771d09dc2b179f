"""Whether an installed chainer_fast works: ``python smoke.py [--chainer] [--onednn]``.

It needs NumPy and SciPy alone, takes some seconds, and fails at the first thing that
does not work. ``--chainer`` looks for the distribution of that name, too, and
``--onednn`` for oneDNN, whose threads must be those of the compiled modules.
"""
import argparse
import importlib.metadata
import importlib.util
import multiprocessing
import os
import pathlib
import subprocess
import sys
import sysconfig
import tempfile
import traceback

import numpy as np

import chainer_fast as chainer
import chainer_fast.functions as F
import chainer_fast.links as L
from chainer_fast import gradient_check, optimizers, serializers, training
from chainer_fast.backends._cuda_kernel import header
from chainer_fast.training import extensions

PACKAGE = pathlib.Path(chainer.__file__).parent

PROGRAM = '''
import sys
import chainer
import chainer.functions as F
import numpy as np
assert sys.argv[1:] == ['argument'], sys.argv
x = chainer.Variable(np.array([3.], np.float32))
F.sum(x ** 2).backward()
print(chainer.__version__, x.grad[0])
'''


class Net(chainer.Chain):
    """A small network of convolution, batch normalization and linear layers."""

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.convolution = L.Convolution2D(1, 8, 3, pad=1)
            self.normalization = L.BatchNormalization(8)
            self.linear = L.Linear(None, 4)

    def forward(self, x):
        h = F.relu(self.normalization(self.convolution(x)))
        return self.linear(F.max_pooling_2d(h, 2))


def images(n=200):
    """Return bright quarters of noisy images, and the numbers of these quarters."""
    random = np.random.RandomState(0)
    labels = random.randint(0, 4, n).astype(np.int32)
    x = random.rand(n, 1, 8, 8).astype(np.float32)
    for image, label in zip(x, labels, strict=True):
        row, column = divmod(int(label), 2)
        image[0, 4 * row:4 * row + 4, 4 * column:4 * column + 4] += 0.5
    return x, labels


def check_installation():
    """Check where the package comes from, and that it is whole."""
    site = pathlib.Path(sysconfig.get_path('platlib')).resolve()
    assert site in PACKAGE.resolve().parents, 'imported from %s' % PACKAGE
    installed = importlib.metadata.files('chainer-fast')
    missing = [file for file in installed if not pathlib.Path(file.locate()).exists()]
    assert not missing, 'missing files: %s' % ', '.join(map(str, missing))
    suffix = sysconfig.get_config_var('EXT_SUFFIX')
    for source in PACKAGE.rglob('*.pyx'):
        assert source.with_suffix(suffix).exists(), 'not compiled: %s' % source
        path = source.relative_to(PACKAGE.parent).with_suffix('')
        importlib.import_module('.'.join(path.parts))


def check_training(folder):
    """Train with a trainer; the loss has to fall by half."""
    np.random.seed(0)
    model = L.Classifier(Net())
    optimizer = optimizers.Adam(0.01).setup(model)
    data = chainer.datasets.TupleDataset(*images())
    updater = training.updaters.StandardUpdater(
        chainer.iterators.SerialIterator(data, 20), optimizer)
    trainer = training.Trainer(updater, (5, 'epoch'), out=folder)
    trainer.extend(extensions.LogReport())
    trainer.run()
    losses = [entry['main/loss'] for entry in trainer.get_extension('LogReport').log]
    assert np.isfinite(losses).all() and losses[-1] < losses[0] / 2, losses
    return model


def check_snapshot(model, folder):
    """Save a model and load it: every array comes back."""
    path = os.path.join(folder, 'model.npz')
    serializers.save_npz(path, model)
    loaded = L.Classifier(Net())
    serializers.load_npz(path, loaded)
    found = dict(loaded.namedparams())
    for name, parameter in model.namedparams():
        np.testing.assert_array_equal(parameter.array, found.pop(name).array, name)
    assert not found


def check_gradients():
    """Compare gradients with differences."""
    random = np.random.RandomState(0)
    x, W, b = (
        random.uniform(-1, 1, shape) for shape in ((2, 3, 5, 5), (4, 3, 3, 3), 4))
    gradient_check.check_backward(
        lambda *inputs: F.tanh(F.convolution_2d(*inputs)), (x, W, b),
        random.uniform(-1, 1, (2, 4, 3, 3)), dtype=np.float64, atol=1e-4, rtol=1e-3)


def check_programs(folder):
    """Run a program that imports ``chainer``, in each way, and the doctor."""
    path = os.path.join(folder, 'program.py')
    pathlib.Path(path).write_text(PROGRAM)
    script = os.path.join(sysconfig.get_path('scripts'), 'chainer-fast')
    for command in ([script], [sys.executable, '-m', 'chainer_fast']):
        assert run([*command, path, 'argument']) == '7.8.1 6.0\n'
        assert 'numpy' in run([*command, '--doctor']).lower()


def check_tracebacks():
    """Check that a traceback shows lines of compiled modules."""
    try:
        F.relu('text')
    except TypeError as error:
        frames = traceback.extract_tb(error.__traceback__)
        compiled = [f for f in frames if f.filename.endswith(('.pyx', '.pxi'))]
        assert compiled and all(frame.line for frame in compiled), frames
    else:
        raise AssertionError('no TypeError')


def check_headers():
    """Check that all headers that CUDA kernels may need can be read."""
    families = [*PACKAGE.glob('backends/kernels/*/elements.hpp')]
    assert families
    for path in families:
        header(path.relative_to(PACKAGE.parent).as_posix())


def check_chainer():
    """Check the names that the distribution ``chainer`` installs."""
    code = ('import chainer, chainermn, chainerx, chainer_fast; '
            'assert chainer is chainer_fast; print(chainer.__version__)')
    assert run([sys.executable, '-c', code]) == '7.8.1\n'
    assert importlib.metadata.version('chainer').startswith('7.8.1')


def check_onednn():
    """Check that oneDNN convolves, as NumPy does, in one pool of threads.

    A process that is forked has none of its parent's threads: one that waited for those
    of a second pool would never end.
    """
    from chainer_fast.backends._onednn import library

    assert library.available(), library.reason()
    random = np.random.RandomState(0)
    x, W = (random.rand(*shape).astype(np.float32)
            for shape in ((8, 32, 32, 32), (32, 32, 3, 3)))

    def convolve(mode, n_threads=2):
        with chainer.using_config('use_ideep', mode), \
                chainer.using_config('num_threads', n_threads):
            return F.convolution_2d(x, W).array

    library.count(True)
    result = convolve('always')
    assert library.counted()
    library.count(False)
    np.testing.assert_allclose(result, convolve('never'), rtol=1e-4)
    # OpenMP of the modules and of oneDNN, and two OpenBLAS with one thread each.
    assert n_threads() <= 2, 'there are %d threads' % n_threads()
    forked = multiprocessing.get_context('fork')
    child = forked.Process(target=convolve, args=('always',))
    child.start()
    child.join(60)
    hangs = child.is_alive()
    child.kill()
    assert not hangs, 'a forked process waits for threads that it does not have'
    assert child.exitcode == 0, 'a forked process failed: %d' % child.exitcode


def n_threads():
    """Return how many threads this process has, under Linux."""
    return len(os.listdir('/proc/self/task'))


def run(command):
    """Return what a command prints."""
    process = subprocess.run(
        command, capture_output=True, text=True, cwd=tempfile.gettempdir())
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition('\n')[0])
    parser.add_argument('--chainer', action='store_true')
    parser.add_argument('--onednn', action='store_true')
    args = parser.parse_args()
    check_installation()
    check_headers()
    check_gradients()
    check_tracebacks()
    with tempfile.TemporaryDirectory() as folder:
        model = check_training(folder)
        check_snapshot(model, folder)
        check_programs(folder)
    if args.chainer:
        check_chainer()
    if args.onednn:
        check_onednn()
    print('chainer_fast %s works with Python %s, NumPy %s and SciPy %s' % (
        importlib.metadata.version('chainer-fast'), sys.version.partition(' ')[0],
        np.__version__, importlib.metadata.version('scipy')))


if __name__ == '__main__':
    main()
