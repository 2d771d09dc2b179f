"""Examples of other libraries, of several processes and of earlier years."""
import os
import re

import pytest

from tests.examples import runs
from tests.mn import jobs

pytest.importorskip('sklearn')


@pytest.mark.skipif(jobs.mpiexec() is None, reason='no mpiexec')
def test_chainermn(tmp_path):
    pytest.importorskip('mpi4py')
    script = os.path.join(runs.EXAMPLES, 'chainermn/train_digits.py')
    job = jobs.run(
        2, '-m', 'chainer_fast', script, '--out', str(tmp_path), '--epoch', '8',
        '--unit', '100', env={'PYTHONPATH': runs.ROOT})
    assert job.returncode == 0, job.stderr
    assert 'Processes: 2\nImages of each: 719\n' in job.stdout
    assert 'the same weights: True' in job.stdout
    assert runs.number(r'validation set: (\S+)', job.stdout) > .93
    assert sorted(os.listdir(tmp_path)) == ['log', 'snapshot_epoch_8']


def test_onnx(tmp_path):
    pytest.importorskip('onnx')
    text = runs.run('onnx/export_digits.py', '--out', tmp_path, '--epoch', '3')
    assert runs.number(r'differs by at most (\S+)', text) < 1e-4
    before = runs.number(r'The model: (\S+) of', text)
    assert .7 < before < runs.number(r'after loading: (\S+) are', text)
    assert sorted(os.listdir(tmp_path)) == ['digits.onnx', 'tuned.onnx']


def test_pytorch(tmp_path):
    text = runs.run('pytorch/transfer.py', '--out', tmp_path, '--epoch', '1')
    assert runs.number(r'left it: (\S+) of', text) > .97
    transferred = runs.number(r'epoch 1: (\S+) of', text)
    assert transferred > max(.65, runs.number(r'from random weights (\S+)', text))
    assert os.listdir(tmp_path) == ['model.npz']


def test_pytorch_is_missing(tmp_path):
    (tmp_path / 'torch.py').write_text('raise ImportError')
    path = os.pathsep.join([str(tmp_path), runs.ROOT])
    text = runs.run('pytorch/transfer.py', '--weights', 'model.pt', status=1,
                    PYTHONPATH=path)
    assert text.startswith('model.pt can only be read with PyTorch: pip install torch.')


def test_legacy():
    """It runs in legacy mode, and only there."""
    text = runs.run('legacy/train_v1.py', '--epoch', '6',
                    options=['--legacy=v1,python,numpy'])
    assert runs.number(r'test accuracy (\S+)', text) > .9
    losses = re.findall(r': loss (\S+),', text)
    assert float(losses[-1]) < float(losses[0]) / 3
    error = runs.run('legacy/train_v1.py', status=1)
    assert 'FunctionSet' in error
