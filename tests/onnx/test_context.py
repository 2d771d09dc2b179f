import numpy
import onnx
import pytest

import chainer_fast
from chainer_fast import links as L
from chainer_fast.onnx import onnx_helper
from chainer_fast.onnx.context import Context


@pytest.fixture
def model():
    model = chainer_fast.Chain()
    with model.init_scope():
        model.a = chainer_fast.Parameter(numpy.ones(2, numpy.float32))
        model.seq = chainer_fast.Sequential(L.Linear(None, 3))
    onnx_helper.set_func_name('Foo_0')
    return model


def test_names(model):
    names = Context(model)
    assert names.get_name(model.a) == 'param_a'
    assert names.get_name(model.a.array) == 'param_a'
    assert names.get_name(model.seq[0].W) == 'param_seq_0_W'
    x = chainer_fast.Variable(numpy.ones(3))
    given = names.get_name(x)
    assert given.startswith('v') and names.get_name(x) == given
    assert names.get_name(x.node) == given
    names.set_name(x, 'x')
    assert not names.is_pinned(x)
    names.set_name(x, 'y', pinned=True)
    assert names.get_name(x) == names.get_name(x.array) == 'y'
    assert names.is_pinned(x) and names.is_pinned(x.array)
    with pytest.raises(AssertionError, match='the name y must not change'):
        names.set_name(x, 'z')


def test_names_are_not_inherited_by_memory(model):
    names = Context(model)
    given = set()
    for _ in range(50):
        given.add(names.get_name(chainer_fast.Variable(numpy.ones(3))))
    assert len(given) == 50


def test_links(model):
    names = Context(model)
    assert names.get_link(model.a) is None
    assert names.get_link(model.seq[0].b) == ('param_seq_0', model.seq[0])
    assert names.get_link(chainer_fast.Variable(numpy.ones(1))) is None


def test_parameters_and_constants(model):
    names = Context(model)
    array = numpy.float32([1, 2])
    assert names.add_param(array, 'bias') == 'Foo_0_param_bias'
    assert names.add_param(array + 1, 'seq_x', use_original_name=True) == 'seq_x'
    assert [names.get_name(each) for each in names.parameters] == [
        'Foo_0_param_bias', 'seq_x']
    assert names.add_const(numpy.array([3]), 'axes') == 'Foo_0_const_axes'
    node, = names.constants
    assert (node.op_type, node.name, *node.output) == (
        'Constant', 'Foo_0', 'Foo_0_const_axes')
    numpy.testing.assert_array_equal(
        onnx.numpy_helper.to_array(node.attribute[0].t), [3])
