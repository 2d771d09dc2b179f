"""Loaded networks as chains: parameters, inputs, values and modes."""
import numpy as np
import pytest

import chainer_fast
import chainer_fast.functions as F
from chainer_fast.onnx import ONNXChain, load
from tests.onnx.load import models
from tests.onnx.load.models import X, helper, mlp, weights


def add_model():
    return models.model(
        [helper.make_node('Sub', ['a', 'b.0'], ['y'])], {'a': X, 'b.0': X}, ['y'])


def test_purposes_of_initializers():
    chain = load(mlp())
    assert isinstance(chain, ONNXChain) and isinstance(chain, chainer_fast.Chain)
    assert {name for name, _ in chain.namedparams()} == {
        '/l1_W', '/l1_b', '/gamma', '/beta', '/_2nd'}
    assert chain._persistent == {'mean', 'var', 'offsets'}
    assert chain.initializer_names == {
        'l1_W': 'l1.W', 'l1_b': 'l1.b', 'gamma': 'gamma', 'beta': 'beta',
        '_2nd': '2nd', 'mean': 'mean', 'var': 'var', 'offsets': 'offsets'}
    assert (chain.input_names, chain.output_names) == (('x',), ('y', 'total'))
    assert chain.opset_version == 13


@pytest.mark.parametrize('names, attributes', [
    (['a.b', 'a/b', 'a_b'], ['a_b', 'a_b_2', 'a_b_3']),
    (['children', 'forward', 'xp'], ['children_2', 'forward_2', 'xp_2']),
    (['lambda', '0', 'onnx::MatMul_7'], ['_lambda', '_0', 'onnx__MatMul_7']),
    (['\u03b1.\u03b2', '...', '_params'], ['\u03b1_\u03b2', '___', '_params_2']),
    (['_program', 'input_names'], ['_program_2', 'input_names_2']),
])
def test_attribute_names(names, attributes):
    arrays = {name: np.full((1, 4), k, 'f') for k, name in enumerate(names)}
    nodes = [helper.make_node('Sum', ['x', *names], ['y'])]
    chain = load(models.model(nodes, {'x': X}, ['y'], arrays))
    assert list(chain.initializer_names.items()) == list(
        zip(attributes, names, strict=True))
    for k, attribute in enumerate(attributes):
        assert (getattr(chain, attribute).array == k).all()


@pytest.mark.parametrize('producer, names', [
    ('Chainer', {'/l_W': 'param_l_W'}),
    ('another', {'/param_l_W': 'param_l_W', '/v6': 'v6'}),
])
def test_parameters_of_files_of_chainer(producer, names):
    # In its files, initializers of other names are arrays that are no parameters.
    chain = load(models.model(
        [helper.make_node('Gemm', ['x', 'param_l_W', 'v6'], ['y'], transB=1)],
        {'x': X}, ['y'], {'param_l_W': weights(2, 4), 'v6': weights(2)},
        producer_name=producer))
    assert {name: chain.initializer_names[name[1:]]
            for name, _ in chain.namedparams()} == names
    F.sum(chain(X)).backward()


def test_numbers_are_no_parameters():
    chain = load(models.model(
        [helper.make_node('Pow', ['x', 'two'], ['a']),
         helper.make_node('Add', ['a', 'eps'], ['b']),
         helper.make_node('Mul', ['b', 'scale'], ['y'])],
        {'x': X}, ['y'], {'two': np.array(2, 'f'), 'eps': np.array(0.1, 'f'),
                          'scale': np.full(4, 3, 'f')}))
    assert [name for name, _ in chain.namedparams()] == ['/scale']
    assert not chain._persistent
    np.testing.assert_allclose(chain(X).array, (X ** 2 + 0.1) * 3, rtol=1e-5)


def test_choice_of_parameters():
    asked = []

    def trainable(name, array):
        asked.append((name, array.shape))
        return name.startswith('l1')

    model = mlp()
    chain, every = load(model, trainable), load(model)
    # Neither moments nor ratios.
    assert sorted(asked) == [
        ('2nd', (3, 2)), ('beta', (6,)), ('gamma', (6,)), ('l1.W', (6, 4)),
        ('l1.b', (6,))]
    assert {name for name, _ in chain.namedparams()} == {'/l1_W', '/l1_b'}
    assert chain._persistent == {'gamma', 'beta', '_2nd', 'mean', 'var', 'offsets'}
    with chainer_fast.using_config('train', False):
        for y, z in zip(chain(X), every(X), strict=True):
            np.testing.assert_array_equal(y.array, z.array)
    F.sum(chain(X)[1]).backward()
    assert all([p.grad is not None for p in chain.params()])


def test_inputs_by_position_and_name():
    chain = load(add_model())
    a, b = X, chainer_fast.Variable(X + 1)
    expected = np.full_like(X, -1)
    for y in (chain(a, b), chain(a, **{'b.0': b}), chain(**{'b.0': b, 'a': a}),
              chain.compute({'b.0': b, 'a': a})['y']):
        np.testing.assert_allclose(y.array, expected, rtol=1e-5)
    F.sum(chain(a, b)).backward()
    assert (b.grad == -1).all()


@pytest.mark.parametrize('args, kwargs, message', [
    ([], {}, 'a is missing; b.0 is missing'),
    ([X], {}, 'b.0 is missing'),
    ([X, X, X], {}, '2 inputs, .* but 3 were passed'),
    ([X, X], {'a': X}, r"\['a'\] were passed both by position and by name"),
    ([X, X], {'c': X}, 'c does not exist'),
    ([X, [1., 2.]], {}, "'b.0' must be a Variable or an array, not list"),
    ([X, X.astype('d')], {}, "'b.0' must be of dtype float32, not float64"),
    ([X, X[0]], {}, r"'b.0' must have 2 axes, but has the shape \(4,\)"),
])
def test_wrong_inputs(args, kwargs, message):
    with pytest.raises(TypeError, match=message):
        load(add_model())(*args, **kwargs)


def test_values_by_name():
    chain = load(mlp())
    names = ['h1', 'total', 'x', 'l1.W', 'shape', 'offsets']
    with chainer_fast.using_config('train', False):
        y, total = chain(X)
        found = chain.compute({'x': X}, names)
    assert list(found) == names
    np.testing.assert_array_equal(
        found['h1'].array, F.linear(X, chain.l1_W, chain.l1_b).array)
    np.testing.assert_array_equal(found['total'].array, total.array)
    assert found['l1.W'] is chain.l1_W
    assert found['shape'].array.tolist() == [3, 6]
    assert isinstance(found['offsets'], chainer_fast.Variable)
    with pytest.raises(KeyError, match="no value 'h9'.*'y', 'total'"):
        chain.compute({'x': X}, ['h9'])
    assert list(chain.compute({'x': X}, 'h2')) == ['h2']


def test_only_what_is_wanted_is_computed():
    chain = load(mlp())
    before = chain.mean.copy()
    chain.compute({'x': X}, ['h1'])
    np.testing.assert_array_equal(chain.mean, before)
    chain.compute({'x': X}, ['h2'])
    assert (chain.mean != before).all()


def test_training_mode():
    chain = load(mlp())
    gamma, beta, mean, var = chain.gamma, chain.beta, chain.mean, chain.var
    h1 = F.linear(X, chain.l1_W, chain.l1_b)
    fixed = F.fixed_batch_normalization(h1, gamma, beta, mean, var, 1e-3)
    with chainer_fast.using_config('train', False):
        found = chain.compute({'x': X}, ['h2', 'h3', 'h4'])
    np.testing.assert_array_equal(found['h2'].array, fixed.array)
    np.testing.assert_array_equal(found['h4'].array, found['h3'].array)
    running = mean.copy(), var.copy()
    expected = F.batch_normalization(
        h1, gamma, beta, eps=1e-3, running_mean=running[0], running_var=running[1],
        decay=0.8)
    np.random.seed(0)
    found = chain.compute({'x': X}, ['h2', 'h3', 'h4'])
    np.testing.assert_array_equal(found['h2'].array, expected.array)
    np.testing.assert_array_equal(chain.mean, running[0])
    np.testing.assert_array_equal(chain.var, running[1])
    np.random.seed(0)
    np.testing.assert_array_equal(
        found['h4'].array, F.dropout(found['h3'], 0.4).array)


@pytest.mark.parametrize('momentum, decay', [(0.6, 0.6), (0., 0.9), (None, 0.9)])
def test_momentum_of_files_in_test_mode(momentum, decay):
    # Zero is what Chainer writes for networks in test mode; it is no momentum.
    attributes = {} if momentum is None else {'momentum': momentum}
    chain = load(models.model(
        [helper.make_node('BatchNormalization', ['x', 'g', 'b', 'm', 'v'], ['y'],
                          **attributes)],
        {'x': X}, ['y'], {name: np.ones(4, 'f') for name in 'gbmv'}))
    chain(X)
    np.testing.assert_allclose(
        chain.m, decay + (1 - decay) * X.mean(axis=0), rtol=1e-5)


@pytest.mark.parametrize('index', [-5, 4])
@pytest.mark.parametrize('shape', [(4, 3), (4,), (4, 2, 3)])
def test_indexes_out_of_range(shape, index):
    chain = load(models.model(
        [helper.make_node('Gather', ['w', 'i'], ['y'])], {'i': np.array([0])}, ['y'],
        {'w': weights(*shape)}))
    np.testing.assert_array_equal(chain(np.array([-4])).array, chain.w.array[:1])
    with pytest.raises(IndexError):
        chain(np.array([index]))


def test_graphs_that_compute_nothing():
    chain = load(models.model([], {'x': X}, ['x', 'w'], {'w': X}))
    x, w = chain(X)
    assert x.array is X and w is chain.w


def test_errors_name_the_node():
    chain = load(models.model(
        [helper.make_node('MatMul', ['x', 'w'], ['y'], name='product')],
        {'x': X}, ['y'], {'w': weights(3, 2)}))
    with pytest.raises(chainer_fast.utils.type_check.InvalidType) as info:
        chain(X)
    assert 'product' in ''.join(getattr(info.value, '__notes__', ['product']))


def test_attributes_are_the_shortest_decimals():
    chain = load(models.model(
        [helper.make_node('LeakyRelu', ['x'], ['y'], alpha=0.1)],
        {'x': X.astype('d')}, ['y']))
    x = X.astype('d')
    np.testing.assert_array_equal(chain(x).array, F.leaky_relu(x, 0.1).array)


def test_random_numbers():
    chain = load(models.model(
        [helper.make_node('RandomNormalLike', ['x'], ['y'], mean=2., scale=0.5)],
        {'x': X}, ['y']))
    np.random.seed(0)
    y = chain(X)
    np.random.seed(0)
    noise = np.random.standard_normal(X.shape).astype('f')
    np.testing.assert_allclose(y.array, noise * 0.5 + 2, rtol=1e-6)


def test_functions_of_the_model_are_written_out():
    domain, opsets = 'my', [helper.make_opsetid('', 18), helper.make_opsetid('my', 1)]
    twice = helper.make_function(
        domain, 'Twice', ['a'], ['c'],
        [helper.make_node('Add', ['a', 'a'], ['c'])], opsets[:1])
    model = models.model(
        [helper.make_node('Twice', ['x'], ['y'], domain=domain)], {'x': X}, ['y'],
        opset=18, functions=[twice])
    model.opset_import.append(opsets[1])
    np.testing.assert_array_equal(load(model)(X).array, 2 * X)


def test_inputs_that_are_initializers_are_none():
    model = models.model(
        [helper.make_node('Add', ['x', 'w'], ['y'])], {'x': X, 'w': X}, ['y'], {'w': X},
        opset=7)
    assert load(model).input_names == ('x',)
