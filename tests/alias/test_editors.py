"""What editors see of our name, and of chainer and its like, without running them."""
import os
import subprocess
import sys

import jedi
import pytest

from tests.compat import processes


@pytest.fixture(scope='module')
def project(tmp_path_factory):
    """Project whose environment has the distribution of ``compat/``."""
    site = tmp_path_factory.mktemp('site')
    subprocess.run(
        [sys.executable, 'setup.py', '--quiet', 'build_py', '--build-lib', site],
        cwd=processes.COMPAT, check=True)
    others = [path for path in sys.path if 'site-packages' in path
              or os.path.basename(path).startswith('python')]
    return jedi.Project(site.parent, sys_path=[str(site), processes.ROOT, *others],
                        load_unsafe_extensions=False)


def script(project, code):
    # It loads compiled modules, whose names it asks for, in a process of its own.
    return jedi.Script(
        code, project=project, environment=jedi.api.environment.SameEnvironment())


@pytest.mark.parametrize('code, completed', [
    ('import chainer_fast\nchainer_fast.Var', 'Variable'),
    ('import chainer_fast.links as L\nL.Linear(2, 3).clearg', 'cleargrads'),
    ('import chainer\nchainer.Var', 'Variable'),
    ('import chainer\nchainer.functions.soft', 'softmax_cross_entropy'),
    ('import chainer.functions as F\nF.convolution_2', 'convolution_2d'),
    ('from chainer import links as L\nL.Classif', 'Classifier'),
    ('from chainer.training import exten', 'extensions'),
    ('from chainer.functions.activation.relu import Re', 'ReLU'),
    ('import chainer.links as L\nL.Linear(2, 3).clearg', 'cleargrads'),
    ('import chainermn\nchainermn.create_comm', 'create_communicator'),
    ('from chainermn.datasets import scatter_d', 'scatter_dataset'),
    ('import chainerx as chx\nchx.batch_n', 'batch_norm'),
    ('import chainerx.linalg\nchainerx.linalg.cho', 'cholesky'),
    ('import onnx_chainer\nonnx_chainer.exp', 'export')])
def test_completion(project, code, completed):
    found = {name.name for name in script(project, code).complete()}
    assert completed in found


@pytest.mark.parametrize('code, parameters', [
    ('import chainer\nchainer.functions.dropout(', ['x', 'ratio']),
    ('import chainer.links as L\nL.Linear(', ['in_size', 'out_size']),
    ('import onnx_chainer\nonnx_chainer.export(', ['model', 'args'])])
def test_signature_and_source(project, code, parameters):
    signature, *_ = script(project, code).get_signatures()
    assert [p.name for p in signature.params[:2]] == parameters
    assert processes.ROOT in str(signature.module_path)
    assert len(signature.docstring()) > 100
