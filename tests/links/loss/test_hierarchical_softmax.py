import copy
import heapq
import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import chainer_fast
from chainer_fast import gradient_check, links
from chainer_fast.links.loss import hierarchical_softmax
from chainer_fast.utils.type_check import InvalidType
from tests import compare
from tests.devices import to_cpu

TREE = ((0, 1), ((2, 3), 4))
huffman = links.BinaryHierarchicalSoftmax.create_huffman_tree


def loss(W, tree, x, t):
    """Walk down the tree; return the loss, or None where there is no way."""
    number = itertools.count()

    def walk(node):
        if not isinstance(node, tuple):
            return 0 if node == t else None
        score = W[next(number)] @ x
        left, right = [walk(child) for child in node]
        if left is not None:
            return left + np.log1p(np.exp(-score))
        return None if right is None else right + np.log1p(np.exp(score))

    return walk(tree)


def link_of(tree, dtype='f', n=3):
    with chainer_fast.using_config('dtype', np.dtype(dtype)):
        return links.BinaryHierarchicalSoftmax(n, tree)


@pytest.mark.parametrize('dtype', ['e', 'f', 'd'])
@pytest.mark.parametrize('wrap', [np.asarray, chainer_fast.Variable])
def test_loss(device, dtype, wrap):
    link = device.send(link_of(TREE, dtype))
    x = np.random.uniform(-1, 1, (6, 3)).astype(dtype)
    t = np.array([4, 0, 1, 3, 2, 0], 'i')
    y = link(*device.send((wrap(x), wrap(t))))
    assert y.shape == () and y.dtype == np.dtype(dtype)
    expected = sum(
        loss(to_cpu(link.W.array), TREE, *each) for each in zip(x, t, strict=True))
    compare.assert_allclose(y.array, expected, rtol=5e-3 if dtype == 'e' else 1e-5)


trees = st.integers(2, 12).flatmap(lambda n: st.lists(
    st.integers(1, 9), min_size=n, max_size=n).map(
        lambda counts: huffman(dict(enumerate(counts)))))


@given(trees, st.integers(0, 99))
def test_probabilities_sum_up_to_one(device, tree, seed):
    np.random.seed(seed)
    link = device.send(link_of(tree, 'd'))
    link.W.array[...] *= 5
    x = np.random.uniform(-1, 1, (1, 3))
    n = len(link._func.begins) - 1
    total = sum(
        np.exp(-link(device.send(x), device.send(np.array([t], 'i'))).array)
        for t in range(n))
    compare.assert_allclose(total, 1, rtol=1e-9)


@pytest.mark.parametrize('t', [[4, 0, 1, 3], [2, 2, 2, 2]])
def test_gradients(device, t):
    link = device.send(link_of(TREE, 'd'))
    x, t = np.random.uniform(-1, 1, (4, 3)), np.array(t, 'i')
    gradient_check.check_backward(
        lambda x: link(x, device.send(t)), device.send(x), device.send(np.array(2.)),
        (link.W,), atol=1e-7)


def test_large_scores(device):
    link = device.send(link_of((0, 1)))
    link.W.array[...] = 1
    x = chainer_fast.Variable(
        device.send(np.array([[500, 500, 0], [-500, -500, 0]], 'f')))
    y = link(x, device.send(np.array([1, 1], 'i')))
    y.backward()
    assert y.array == 1000
    compare.assert_array_equal(x.grad, [[1] * 3, [0] * 3])


def test_calls_do_not_meet(device):
    link = device.send(link_of(TREE))
    xs = [
        chainer_fast.Variable(device.send(np.random.rand(1, 3).astype('f')))
        for _ in range(2)]
    ys = [
        link(x, device.send(np.array([t], 'i')))
        for x, t in zip(xs, (0, 3), strict=True)]
    for x, y in zip(xs, ys, strict=True):
        assert y.creator is not link._func
        y.backward()
        again = chainer_fast.Variable(x.array)
        link(again, device.send(np.array([0 if x is xs[0] else 3], 'i'))).backward()
        compare.assert_array_equal(x.grad, again.grad)


def test_no_samples_and_no_way(device):
    link = device.send(link_of(TREE))
    y = link(device.send(np.zeros((0, 3), 'f')), device.send(np.zeros(0, 'i')))
    assert y.array == 0 and y.dtype == np.float32
    x = device.send(np.ones((2, 3), 'f'))
    assert device.send(link_of(0))(x, device.send(np.array([0, 0], 'i'))).array == 0
    if device.xp is np:     # A GPU does not look whether there is such a leaf.
        # The way to the leaf -1 is empty.
        assert link(x, np.array([-1, -1], 'i')).array == 0
        compare.assert_allclose(
            link(x, np.array([2, -1], 'i')).array,
            link(x[:1], np.array([2], 'i')).array)
        with pytest.raises(IndexError):
            link(x, np.array([0, 5], 'i'))


def test_weights():
    # What Chainer 7.8.1 draws.
    np.random.seed(0)
    link = links.BinaryHierarchicalSoftmax(2, ((0, 1), 2))
    compare.assert_allclose(link.W.array[0], [.097627, .43037874], rtol=1e-5)
    assert link.W.shape == (2, 2)
    link = links.BinaryHierarchicalSoftmax(2, TREE, dtype='d')
    assert (link.W.dtype, link._func.codes.dtype) == (np.float32, np.float64)


def test_function():
    function = hierarchical_softmax.BinaryHierarchicalSoftmaxFunction(TREE, np.float32)
    assert function.parser_size == 4
    assert function.begins.tolist() == [0, 2, 4, 7, 10, 12]
    assert function.paths.tolist() == [0, 1, 0, 1, 0, 2, 3, 0, 2, 3, 0, 2]
    assert function.codes.tolist() == [1, 1, 1, -1, -1, 1, 1, -1, 1, -1, -1, -1]
    for name, dtype in (('begins', 'i'), ('paths', 'i'), ('codes', 'f')):
        assert getattr(function, name).dtype == np.dtype(dtype)
    copied = copy.deepcopy(links.BinaryHierarchicalSoftmax(3, TREE))._func
    compare.assert_array_equal(copied.paths, function.paths)


def test_arrays_move_with_the_link():
    link = links.BinaryHierarchicalSoftmax(3, TREE)

    class Visitor(chainer_fast.device_resident.DeviceResidentsVisitor):
        def visit_device_resident(self, resident):
            pass

        def visit_variable(self, param):
            pass

        def visit_array(self, array):
            return array + 1

    link.device_resident_accept(Visitor())
    assert link._func.begins[0] == 1 and link._func.codes[0] == 2
    assert link._func.paths[0] == 1


def test_types(device):
    link = device.send(link_of(TREE))
    x, t = np.ones((2, 3), 'f'), np.array([0, 1], 'i')
    for wrong in (
            (x, t.astype('l')), (x.astype('d'), t), (x[:1], t), (x[:, :2], t),
            (x[0], t), (x, t[:, None])):
        with pytest.raises(InvalidType):
            link(*device.send(wrong))


def test_parser():
    parser = hierarchical_softmax.TreeParser(np.float64)
    parser.parse((('a', 'b'), 'c'))
    assert parser.size() == 2
    assert {k: v.tolist() for k, v in parser.get_paths().items()} == {
        'a': [0, 1], 'b': [0, 1], 'c': [0]}
    assert {k: v.tolist() for k, v in parser.get_codes().items()} == {
        'a': [1, 1], 'b': [1, -1], 'c': [-1]}
    parser.parse('x')
    assert parser.size() == 0 and list(parser.get_paths()) == ['x']
    for wrong in ((), (0,), (0, (1, 2, 3))):
        with pytest.raises(ValueError, match='two children, but one has %d' % (
                3 if len(wrong) == 2 else len(wrong))):
            parser.parse(wrong)


def test_deep_tree():
    tree = 0
    for leaf in range(1, 2000):
        tree = leaf, tree
    parser = hierarchical_softmax.TreeParser(np.float32)
    parser.parse(tree)
    assert parser.size() == 1999 and len(parser.get_paths()[0]) == 1999


@given(st.lists(st.integers(1, 20), min_size=1, max_size=30))
def test_huffman_tree_is_optimal(counts):
    # Each node adds its count for all leaves below: the sum of all joint counts.
    heap, cost = sorted(counts), 0
    while len(heap) > 1:
        joint = heapq.heappop(heap) + heapq.heappop(heap)
        heapq.heappush(heap, joint)
        cost += joint
    parser = hierarchical_softmax.TreeParser(np.float32)
    parser.parse(huffman(dict(enumerate(counts))))
    assert sorted(parser.get_paths()) == list(range(len(counts)))
    assert cost == sum(
        counts[leaf] * len(path) for leaf, path in parser.get_paths().items())


@pytest.mark.parametrize('counts, tree', [
    # What Chainer 7.8.1 makes of equal counts.
    ({'x': 8, 'y': 6, 'z': 5, 'w': 4, 'v': 3}, (('z', 'y'), (('v', 'w'), 'x'))),
    ({'b': 1, 'a': 1, 'c': 1}, ('c', ('b', 'a'))),
    ({0: 1.5, 1: .5, 2: 2.}, ((1, 0), 2)),
    (dict.fromkeys(range(7), 1), ((6, (0, 1)), ((2, 3), (4, 5)))),
    ({0: 5, 1: 1, 2: 3, 3: 4, 4: 2, 5: 1, 6: 1}, ((2, 3), (0, (4, (6, (1, 5)))))),
    ({i: i for i in range(9)}, ((7, 8), ((4, 5), ((((0, 1), 2), 3), 6)))),
    ({'x': 1}, 'x')])
def test_huffman_tree(counts, tree):
    assert huffman(counts) == tree


def test_no_words():
    with pytest.raises(ValueError, match='at least one leaf'):
        huffman({})
