"""Type checks, initializers, files, hooks, modules and gradients of earlier years."""
import importlib
import io
import pickle
import sys

import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import functions as F
from chainer_fast import initializers, legacy
from chainer_fast.legacy import _report
from chainer_fast.utils import type_check


@pytest.fixture(autouse=True)
def all_parts(enable):
    enable()
    _report.clear()


def uses():
    return {what: sum(places.values()) for what, places in _report.uses().items()}


X = np.arange(6, dtype=np.float32).reshape(2, 3)


# ---- type checks

class Checked(chainer.Function):

    def check_type_forward(self, in_types):
        type_check.expect(in_types.size() == 2)
        x_type, w_type = in_types
        if x_type.ndim.eval() == 2:
            type_check.expect(x_type.shape[1] == w_type.shape[0])

    def forward(self, inputs):
        return inputs[0] * inputs[1],


def test_eval():
    w = np.ones(3, np.float32)
    np.testing.assert_array_equal(Checked()(X, w).array, X)
    np.testing.assert_array_equal(Checked()(X, w).array, X)
    assert uses() == {'chainer.utils.type_check.Expr.eval': 2}
    with pytest.raises(type_check.InvalidType, match=r'3 != 2'):
        Checked()(X, w[:2])
    with pytest.raises(type_check.InvalidType, match=r'(?s)Checked.*1 != 2'):
        Checked()(X)


def test_expressions_made_directly():
    class Named(Checked):
        def check_type_forward(self, in_types):
            n = type_check.Variable(3, 'n')
            type_check.expect(in_types[0].shape[1] == n)

    Named()(X, X)
    with pytest.raises(type_check.InvalidType, match=r'shape\[1\] == n'):
        Named()(X[:, :2], X[:, :2])


def test_errors_of_checks_are_those_of_the_program():
    class Wrong(Checked):
        def check_type_forward(self, in_types):
            raise AttributeError('mine')

    with pytest.raises(AttributeError, match='mine'):
        Wrong()(X, X)
    with pytest.raises(type_check.InvalidType):
        F.linear(X, X[:, :2])


# ---- initializers

def filled(initializer, *shape):
    array = np.empty(shape, np.float32)
    initializer(array)
    return array


@pytest.mark.parametrize('initializer, value', [
    (2, 6), (np.full(3, 2, np.float32), 6), (initializers.Constant(2), 6),
    (lambda array: array.fill(2), 6)])
def test_scaled_initializers(initializer, value):
    scaled = initializers._get_initializer(initializer, scale=3)
    np.testing.assert_array_equal(filled(scaled, 3), np.full(3, value))
    array = np.empty(3, np.float32)
    chainer.init_weight(array, initializer, 3)
    initializers.init_weight(chainer.Variable(array), initializer, 3)
    np.testing.assert_array_equal(array, np.full(3, value))


def test_default_initializer():
    np.random.seed(0)
    scaled = filled(initializers._get_initializer(None, 3), 4, 4)
    np.random.seed(0)
    np.testing.assert_allclose(
        scaled, 3 * filled(initializers.LeCunNormal(), 4, 4), rtol=1e-6)
    assert type(initializers._get_initializer(None)) is initializers.LeCunNormal
    assert uses() == {'chainer.initializers._get_initializer(scale=)': 1}


# ---- gradients that backward() starts from

def test_gradient_of_the_root():
    x = chainer.Variable(X)
    loss = F.sum(x * x)
    loss.backward()
    assert loss.grad == 1
    loss.backward()
    np.testing.assert_array_equal(x.grad, 4 * X)
    loss.cleargrad()
    assert loss.grad is None
    assert uses() == {'gradient of the variable that backward() starts from': 1}


def test_gradient_of_a_root_with_several_elements():
    x = chainer.Variable(X)
    y = F.relu(x)
    y.grad = np.full_like(X, 3)
    y.backward()
    np.testing.assert_array_equal(y.grad, np.full_like(X, 3))
    y.backward()
    y.grad = np.full_like(X, 5)
    np.testing.assert_array_equal(y.grad, np.full_like(X, 5))
    y.grad = None
    assert y.grad is None
    leaf = chainer.Variable(X)
    leaf.grad = X
    leaf.backward()
    assert leaf.grad is X


# ---- the length of a variable

@pytest.mark.parametrize('parts, length', [((), 2), (('v2',), 2), (('v1',), 6)])
def test_length(parts, length):
    legacy.disable()
    legacy.enable(*parts)
    assert len(chainer.Variable(X)) == length
    assert [y.shape for y in chainer.Variable(X)] == [(3,), (3,)]


# ---- CUDA

@pytest.mark.skipif(chainer.cuda.available, reason='for machines without a GPU')
def test_functions_of_cuda_without_a_gpu():
    with pytest.raises(RuntimeError, match='CUDA environment is not correctly set up'):
        chainer.cuda.init()
    with pytest.raises(RuntimeError, match='CUDA environment is not correctly set up'):
        chainer.cuda.zeros((2, 3))


def test_functions_of_cuda_call_those_of_cupy(monkeypatch):
    cuda = chainer.cuda
    monkeypatch.setattr(cuda, 'check_cuda_available', lambda: None)
    monkeypatch.setattr(cuda, 'cupy', np)
    assert cuda.zeros((2, 3)).dtype == np.float32
    assert cuda.ones((2, 3), np.int32, None).dtype == np.int32
    full = cuda.full((2, 3), 4, np.float64, stream=None)
    assert (full.dtype, full[0, 0]) == (np.float64, 4)
    assert cuda.full_like(X, 4).sum() == 24
    assert cuda.empty_like(X).shape == (2, 3)
    assert uses()['chainer.cuda.full'] == 1


# ---- files and hooks

def test_names_of_files(tmp_path):
    link = chainer.links.Linear(2, 2)
    path = str(tmp_path / 'a.npz')
    chainer.serializers.save_npz(filename=path, obj=link)
    chainer.serializers.load_npz(filename=path, obj=link)
    chainer.serializers.load_npz(path, link)
    assert len(uses()) == 2


def test_functions_for_files_are_sent_to_processes():
    from chainer_fast.serializers import npz
    data = [pickle.dumps(function) for function in (
        chainer.serializers.save_npz, npz.save_npz)]
    assert pickle.loads(data[0]) is chainer.serializers.save_npz
    legacy.disable()
    assert [pickle.loads(item) for item in data] == [npz.save_npz] * 2


def test_reports_of_hooks():
    for hook in (chainer.function_hooks.TimerHook(), chainer.link_hooks.TimerHook()):
        with hook:
            F.relu(X)
        first, named = io.StringIO(), io.StringIO()
        hook.print_report(first)
        hook.print_report(file=named)
        hook.print_report('ms', io.StringIO())
        assert first.getvalue() == named.getvalue() != ''
    assert set(uses().values()) == {1}


# ---- modules

@pytest.mark.parametrize('name, attribute', [
    ('chainer_fast.functions.activation.slstm', 'slstm'),
    ('chainer_fast.functions.connection.n_step_gru', 'n_step_gru'),
    ('chainer_fast.functions.math.squared_difference', 'squared_difference'),
    ('chainer_fast.functions.pooling.max_pooling_2d', 'max_pooling_2d'),
    ('chainer_fast.functions.caffe', 'CaffeFunction'),
    ('chainer_fast.links.connection.zoneoutlstm', 'StatefulZoneoutLSTM'),
    ('chainer_fast.links.connection.mgu', 'StatefulMGU'),
    ('chainer_fast.training.triggers.interval', 'IntervalTrigger'),
    ('chainer_fast.cuda_fusion', 'fuse'),
    ('chainer_fast.backends.cuda_fusion', 'fuse'),
    ('chainer_fast.flag', 'Flag'),
])
def test_modules(name, attribute):
    is_aliased = 'chainer' in sys.modules
    parent, _, last = name.rpartition('.')
    module = getattr(importlib.import_module(parent), last)
    assert hasattr(module, attribute)
    assert importlib.import_module(name) is module
    assert uses() == {name.replace('_fast', ''): 1}
    assert ('chainer' in sys.modules) is is_aliased
    legacy.disable()
    assert name not in sys.modules
    assert not isinstance(
        getattr(importlib.import_module(parent), last, None), type(sys))
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module(name)


def test_names_of_modules():
    from chainer_fast.optimizer_hooks.gradient_noise import exponential_decay_noise
    assert chainer.optimizer.exponential_decay_noise is exponential_decay_noise
    with pytest.raises(AttributeError, match='nothing_of_the_kind'):
        print(chainer.optimizer.nothing_of_the_kind)
    assert chainer.training.extensions.computational_graph.dump_graph is (
        chainer.training.extensions.dump_graph)
    np.random.seed(0)
    sampler = chainer.utils.WalkerAlias([1, 2])
    assert sampler.sample_cpu((4,)).shape == (4,)
    assert len(uses()) == 3
