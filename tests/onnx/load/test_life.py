"""Loaded networks in use: copies, files, devices and memory."""
import copy
import gc
import io
import pickle
import weakref

import numpy as np
import onnx
import pytest

import chainer_fast
import chainer_fast.functions as F
from chainer_fast import optimizers, serializers
from chainer_fast.onnx import load
from tests.compare import assert_allclose, assert_array_equal
from tests.onnx.load import models
from tests.onnx.load.models import X, helper, mlp, weights


def _trained(chain, optimizer):
    optimizer.setup(chain)
    for _ in range(3):
        np.random.seed(0)
        optimizer.update(lambda: F.sum(chain(X)[0] ** 2))
    return chain


def _state(chain):
    state = {}
    serializers.DictionarySerializer(state).save(chain)
    return state


def _assert_equal_chains(a, b):
    state, other = _state(a), _state(b)
    assert state.keys() == other.keys() and len(state) == 8
    for name in state:
        np.testing.assert_array_equal(state[name], other[name])
    with chainer_fast.using_config('train', False):
        for y, z in zip(a(X), b(X), strict=True):
            np.testing.assert_array_equal(y.array, z.array)


@pytest.mark.parametrize('copied', [
    copy.deepcopy, lambda chain: chain.copy('copy'),
    lambda chain: pickle.loads(pickle.dumps(chain))],
    ids=['deepcopy', 'copy', 'pickle'])
def test_copies_stand_alone(copied):
    chain = load(mlp())
    before = _state(chain)
    another = copied(chain)
    _assert_equal_chains(chain, another)
    _trained(another, optimizers.Adam())
    for name, array in _state(chain).items():
        np.testing.assert_array_equal(array, before[name])
    assert (another.l1_W.array != chain.l1_W.array).any()
    assert (another.mean != chain.mean).any()
    _assert_equal_chains(_trained(chain, optimizers.Adam()), another)


def test_npz():
    model, file = mlp(), io.BytesIO()
    chain, another = load(model), load(model)
    _trained(chain, optimizers.MomentumSGD())
    serializers.save_npz(file, chain)
    file.seek(0)
    serializers.load_npz(file, another)
    _assert_equal_chains(chain, another)


def test_chains_of_a_model_share_nothing():
    model = mlp()
    chain = load(model)
    content = model.SerializeToString()
    _trained(chain, optimizers.SGD())
    assert model.SerializeToString() == content
    _assert_equal_chains(_trained(load(model), optimizers.SGD()), chain)


def test_device(device):
    chain = load(mlp())
    with chainer_fast.using_config('train', False):
        expected = [y.array for y in chain(X)]
        F.sum(chain(X)[0]).backward()
        grads = {name: p.grad for name, p in chain.namedparams()}
        chain.cleargrads()
        device.send(chain)
        results = chain(device.send(X))
        for y, z in zip(results, expected, strict=True):
            assert isinstance(y.array, device.xp.ndarray)
            assert_allclose(y.array, z, rtol=1e-4, atol=1e-5)
        F.sum(results[0]).backward()
        for name, p in chain.namedparams():
            assert isinstance(p.grad, device.xp.ndarray)
            assert_allclose(p.grad, grads[name], rtol=1e-4, atol=1e-5)


def test_values_between_host_and_device(device):
    # A shape is used as data, and data are used as a shape.
    nodes = [
        helper.make_node('Shape', ['x'], ['shape']),
        helper.make_node('Cast', ['shape'], ['lengths'], to=1),
        helper.make_node('Mul', ['x', 'lengths'], ['z']),
        helper.make_node('Reshape', ['z', 'new'], ['y']),
        helper.make_node('Gather', ['table', 'shape'], ['rows']),
        helper.make_node('Identity', ['shape'], ['s']),
        helper.make_node('Identity', ['one'], ['t']),
    ]
    table = weights(5, 2)
    chain = load(models.model(
        nodes, {'x': X[:2, :2], 'new': np.array([4])}, ['y', 'rows', 's', 't'],
        {'table': table, 'one': np.array([1])}))
    device.send(chain)
    x = X[:2, :2]
    new = chainer_fast.Variable(device.send(np.array([4])))
    results = chain(device.send(x), new)
    assert all([isinstance(y.array, device.xp.ndarray) for y in results])
    y, rows, shape, one = [y.array for y in results]
    assert_array_equal(y, (2 * x).ravel())
    assert_array_equal(rows, table[[2, 2]])
    assert_array_equal(shape, [2, 2])
    assert_array_equal(one, [1])


def test_values_are_dropped_when_they_have_been_used():
    chain = load(models.model(
        [helper.make_node('Exp', ['x'], ['a']), helper.make_node('Sin', ['a'], ['b']),
         helper.make_node('Exp', ['b'], ['c']), helper.make_node('Sin', ['c'], ['y'])],
        {'x': X}, ['y']))
    alive, seen = [], []

    class Watch(chainer_fast.FunctionHook):
        def forward_postprocess(self, function, in_data):
            gc.collect()
            seen.append(weakref.ref(in_data[0]))
            alive.append(sum([ref() is not None for ref in seen]))

    with Watch(), chainer_fast.no_backprop_mode():
        chain(X.copy())
    # The input of this function, and that of the graph, which belongs to the caller.
    assert alive == [1, 2, 2, 2]


@pytest.mark.parametrize('kind', ['path', 'str', 'file', 'bytes', 'model'])
def test_sources(kind, tmp_path):
    model, path = mlp(), tmp_path / 'model.onnx'
    onnx.save(model, path)
    with open(path, 'rb') as file:
        source = {'path': path, 'str': str(path), 'file': file, 'model': model,
                  'bytes': io.BytesIO(path.read_bytes())}[kind]
        _assert_equal_chains(load(source), load(model))


def test_data_in_another_file(tmp_path):
    model, path = mlp(), tmp_path / 'model.onnx'
    onnx.save(
        copy.deepcopy(model), path, save_as_external_data=True, location='weights',
        size_threshold=0)
    _assert_equal_chains(load(path), load(model))
