import copy
import pickle
import weakref

import numpy as np
import pytest

import chainer_fast
from chainer_fast import functions as F
from chainer_fast import variable
from chainer_fast.variable import Variable, VariableNode


def leaf(*values, dtype='f', **kwargs):
    return Variable(np.array(values or (1., 2.), dtype), **kwargs)


class TestInit:

    def test_attributes(self):
        array = np.ones((2, 3), 'f')
        x = Variable(array)
        assert x.array is array
        assert x.data is array
        assert x.raw_array is array
        assert (x.shape, x.ndim, x.size, len(x)) == ((2, 3), 2, 6, 2)
        assert x.dtype == np.float32
        assert x.xp is np
        assert x.grad is None
        assert x.grad_var is None
        assert x.name is None
        assert x.creator is None
        assert x.creator_node is None
        assert x.rank == 0
        assert x.requires_grad is True
        assert x.layout is None
        assert x.device == chainer_fast.get_device('@numpy')

    def test_keywords(self):
        grad = np.ones(2, 'f')
        x = leaf(name='x', grad=grad, requires_grad=False)
        assert x.name == 'x'
        assert x.grad is grad
        assert x.requires_grad is False

    def test_gradient_is_not_checked(self):
        # The array may be replaced by one that fits.
        x = leaf(grad=np.ones(3, 'f'))
        assert x.grad.shape == (3,)

    @pytest.mark.parametrize('data', [1, 1., 'x', [1., 2.], np.float32(1), object])
    def test_anything_but_an_array(self, data):
        with pytest.raises(TypeError, match=type(data).__name__):
            Variable(data)

    def test_retired_and_unknown_keywords(self):
        with pytest.raises(ValueError, match='volatile argument is not supported'):
            leaf(volatile=True)
        with pytest.raises(TypeError, match='unexpected keyword.*typo'):
            leaf(typo=True)
        with pytest.raises(TypeError):
            Variable(np.ones(2), 'name')

    @pytest.mark.parametrize('dtype', [
        '?', 'b', 'B', 'i', 'l', 'e', 'f', 'd', 'D', 'S3', object])
    def test_any_dtype(self, dtype):
        assert Variable(np.zeros(2, dtype)).dtype == dtype

    def test_subclasses_of_arrays(self):
        array = np.ones((2, 2), 'f').view(type('Sub', (np.ndarray,), {}))
        x = Variable(array)
        assert x.array is array
        y = x + x
        y.grad = np.ones((2, 2), 'f')
        y.backward()
        assert x.grad.tolist() == [[2, 2], [2, 2]]

    def test_without_an_array(self):
        x = Variable()
        assert x.array is None
        assert x.xp is np
        for name in 'shape', 'ndim', 'size', 'dtype':
            with pytest.raises(AttributeError):
                getattr(x, name)

    def test_once_more(self):
        x = leaf()
        y = x * 2
        x.__init__(np.ones(3, 'f'), name='again')
        assert x.name == 'again'
        assert x.node is not y.creator.inputs[0]
        y.grad = np.ones(2, 'f')
        y.backward()
        assert x.shape == (3,)

    def test_init_unchecked(self):
        array, grad = np.ones(2, 'f'), np.zeros(2, 'f')
        x = Variable._init_unchecked(array, name='x', grad=grad, requires_grad=False)
        assert x.array is array
        assert x.grad is grad
        assert x.name == 'x'
        assert not x.requires_grad


class TestArray:

    @pytest.mark.parametrize('name', ['array', 'data'])
    def test_replace(self, name):
        x = leaf()
        node = x.node
        x.grad = np.ones(2, 'f')
        setattr(x, name, np.ones((2, 3), 'd'))
        assert x.shape == (2, 3)
        assert (node.shape, node.dtype) == ((2, 3), np.float64)
        # The gradient stays, fit or not.
        assert x.grad.shape == (2,)
        setattr(x, name, None)
        assert x.array is None
        assert node.shape is None
        assert node.dtype is None

    def test_replace_what_a_function_has_retained(self):
        x = leaf()
        y = x * x
        x.array = np.full(2, 10, 'f')
        assert y.creator.inputs[0].data is x.array

    @pytest.mark.parametrize('wrong', [3, [1., 2.], 'x'])
    def test_replace_by_something_else(self, wrong):
        x = leaf()
        with pytest.raises(AttributeError):
            x.array = wrong
        assert x.array.tolist() == [1, 2]

    @pytest.mark.parametrize('shape', [(), (0,), (1, 2, 3, 4, 5, 6), (2 ** 40, 0)])
    def test_shapes_of_nodes(self, shape):
        x = Variable(np.zeros(shape, 'f'))
        assert x.node.shape == shape
        assert type(x.node.shape) is tuple
        y = x + 0
        assert y.node.shape == shape

    def test_list_of_the_array(self):
        x = leaf()
        array, = x._data
        assert array is x.array

    def test_list_of_the_array_that_is_changed(self):
        x, parameter = leaf(), variable.Parameter(0)
        zeros = np.zeros(3, 'f')
        x._data[0] = parameter._data[0] = zeros
        assert x.array is parameter.array is zeros
        assert parameter.is_initialized
        x._data = [np.ones(3, 'f')]
        assert x.array.tolist() == [1, 1, 1]
        x._data[:] = [None]
        assert x.array is None

    def test_iteration(self):
        x = Variable(np.arange(6, dtype='f').reshape(2, 3))
        rows = list(x)
        assert [row.array.tolist() for row in rows] == [[0, 1, 2], [3, 4, 5]]
        rows[1].grad = np.ones(3, 'f')
        rows[1].backward()
        assert x.grad.tolist() == [[0, 0, 0], [1, 1, 1]]
        a, b = leaf()
        assert (a.array, b.array) == (1, 2)
        assert not hasattr(x, '__iter__')

    def test_length_of_a_scalar(self):
        with pytest.raises(TypeError):
            len(Variable(np.array(1.)))

    def test_item(self):
        assert leaf(1.5).item() == 1.5
        with pytest.raises(ValueError, match='size 1'):
            leaf().item()


class TestGradient:

    def test_array_and_variable(self):
        x, grad = leaf(), np.ones(2, 'f')
        x.grad = grad
        assert x.grad is grad
        g = x.grad_var
        assert g.array is grad
        assert g.requires_grad
        assert x.grad_var is g
        other = leaf(5., 6.)
        x.grad_var = other
        assert x.grad_var is other
        assert x.grad is other.array
        x.grad = grad
        assert x.grad_var is not other
        x.grad_var = None
        assert x.grad is None

    def test_clear(self):
        x = leaf(grad=np.ones(2, 'f'))
        x.cleargrad()
        assert x.grad is None
        assert x.grad_var is None

    @pytest.mark.parametrize(('grad', 'error', 'message'), [
        (np.ones(3, 'f'), ValueError, r'\(3,\) != data: \(2,\)'),
        (np.ones((2, 1), 'f'), ValueError, r'\(2, 1\)'),
        (np.ones(2, 'd'), TypeError, 'float64 != data: float32'),
        ([1., 2.], TypeError, 'list'), (3, TypeError, 'int')])
    def test_mismatch(self, grad, error, message):
        x = leaf(grad=np.zeros(2, 'f'))
        with pytest.raises(error, match=message):
            x.grad = grad
        if isinstance(grad, np.ndarray):
            with pytest.raises(error, match=message):
                x.grad_var = Variable(grad)
        else:
            with pytest.raises(AttributeError):
                x.grad_var = grad
        assert x.grad.tolist() == [0, 0]

    def test_anything_fits_a_variable_without_an_array(self):
        x = Variable()
        x.grad = np.ones(2, 'f')
        assert x.grad.shape == (2,)

    def test_zero(self):
        x = leaf()
        with pytest.warns(DeprecationWarning, match='cleargrad'):
            x.zerograd()
        assert x.grad.tolist() == [0, 0]
        x.grad = own = np.ones(2, 'f')
        x.grad_var.creator_node = chainer_fast.FunctionNode()
        with pytest.warns(DeprecationWarning):
            x.zerograd()
        assert x.grad is own
        assert own.tolist() == [0, 0]
        assert x.grad_var.creator is None

    def test_add(self):
        x, y = leaf(), leaf()
        x.addgrad(y)
        assert x.grad is None
        y.grad = np.ones(2, 'f')
        x.addgrad(y)
        assert x.grad is y.grad
        x.addgrad(y)
        assert x.grad.tolist() == [2, 2]
        assert y.grad.tolist() == [1, 1]

    def test_copy_data(self):
        x, y = leaf(), leaf(3, 4)
        array = x.array
        x.copydata(y)
        assert x.array is array
        assert array.tolist() == [3, 4]
        with pytest.raises(ValueError, match='broadcast'):
            x.copydata(leaf(1, 2, 3))
        Variable().copydata(Variable())


class TestGraph:

    def test_rank(self):
        x = leaf()
        y = x * 2
        z = y + x
        assert [v.rank for v in (x, y, z)] == [0, 1, 2]
        assert z.creator.rank == 1

    def test_creator(self):
        y = leaf() * 2
        other = leaf()
        for put in (
                lambda f: setattr(other, 'creator', f), other.set_creator,
                lambda f: setattr(other, 'creator_node', f), other.set_creator_node,
                lambda f: setattr(other.node, 'creator', f), other.node.set_creator,
                other.node.set_creator_node):
            put(y.creator)
            assert other.creator is y.creator
            assert other.creator_node is y.creator
            assert other.node._creator_node is y.creator
            assert other.rank == 1
            put(None)
            assert other.creator is None
        # The function knows of its own output only.
        assert y.creator.outputs[0]() is y.node

    def test_creator_of_another_type(self):
        with pytest.raises((TypeError, AttributeError)):
            leaf().set_creator(3)

    def test_old_style_creator(self):
        class OldStyle(chainer_fast.Function):
            def forward(self, inputs):
                return inputs[0] * 2,

        function = OldStyle()
        y = function(leaf())
        assert y.creator is function
        assert y.creator_node is function.node
        other = leaf()
        other.set_creator(function)
        assert other.creator_node is function.node

    def test_unchain(self):
        x = leaf()
        y = x * 2
        function = y.creator
        y.unchain()
        assert y.creator is None
        assert function.inputs == (x.node,)
        assert function.outputs[0]() is y.node
        x.unchain()

    def test_unchain_backward(self):
        x = leaf()
        h = x * 2
        side = h + 1
        y = h * h
        y.unchain_backward()
        assert [v.creator for v in (y, h, x)] == [None] * 3
        assert side.creator is not None
        y.unchain_backward()

    def test_retain_data(self):
        x = leaf()
        assert x.node.data is None
        x.retain_data()
        assert x.node.data is x.array
        x = leaf()
        x.node.retain_data()
        assert x.node.data is x.array

    def test_name(self):
        x = leaf(name='first')
        assert x.node.name == 'first'
        x.name = 'second'
        assert x.node.name == 'second'

    def test_label(self):
        assert leaf().label == '(2), float32'
        assert Variable(np.zeros((2, 3))).label == '(2, 3), float64'
        assert Variable(np.array(1.)).label == 'float64'
        assert leaf().node.label == '(2), float32'


class TestNode:

    def test_attributes(self):
        x = leaf(name='x', requires_grad=False)
        node = x.node
        assert x.node is node
        assert x._node is node
        assert node.get_variable() is x
        assert node.get_variable_or_none() is x
        assert node._variable() is x
        del x
        assert node._variable() is None
        x = node.get_variable()
        assert node._variable() is x
        assert (node.name, node.shape, node.dtype) == ('x', (2,), np.float32)
        assert (node.rank, node.requires_grad, node.creator) == (0, False, None)
        assert node.grad is None
        x.grad = np.ones(2, 'f')
        assert node.grad is x.grad
        assert node.grad_var is x.grad_var

    def test_data(self):
        node = leaf().node
        node.data = array = np.zeros((3, 4), 'd')
        assert node.data is array
        assert (node.shape, node.dtype) == ((3, 4), np.float64)

    def test_init(self):
        x = leaf()
        node = VariableNode(x, 'name')
        assert (node.name, node.shape) == ('name', (2,))
        assert node.get_variable() is x
        with pytest.raises(ValueError, match='grad'):
            VariableNode(x, 'name', grad=None)

    def test_one_node_for_two_variables(self):
        x, y = leaf(), leaf(3, 4)
        node = x.node
        y._node = node
        assert x.node is y.node is node
        del y
        assert x.node is node
        assert node.get_variable().node is node

    def test_set_gradient(self):
        x, g = leaf(), leaf()
        node = x.node
        node._set_grad_var_if_available(g)
        assert x.grad_var is g
        node._set_grad_var_if_available(None)
        assert x.grad is None
        del x
        node._set_grad_var_if_available(g)

    def test_hash_and_equality_are_identity(self):
        x, y = leaf(), leaf()
        assert len({x.node, y.node, x.node}) == 2
        assert x.node == x.node
        assert x.node != y.node

    def test_cannot_be_pickled(self):
        with pytest.raises(TypeError, match='pickle'):
            pickle.dumps(leaf().node)


class TestComparison:

    @pytest.mark.parametrize('compare', [
        '__lt__', '__le__', '__eq__', '__ne__', '__gt__', '__ge__'])
    def test_refused(self, compare):
        x = leaf()
        for other in x, leaf(), 1, None, x.array:
            with pytest.raises(TypeError):
                getattr(x, compare)(other)

    def test_with_arrays_on_the_left(self):
        with pytest.raises(TypeError):
            np.ones(2) < leaf()  # noqa: B015

    def test_truth(self):
        with pytest.raises(TypeError, match='bool'):
            bool(leaf())
        with pytest.raises(TypeError):
            leaf().__nonzero__()

    def test_unhashable(self):
        with pytest.raises(TypeError, match='^unhashable type: '):
            hash(leaf())


class TestCopies:

    def test_copy_shares_the_array(self):
        x = leaf(name='x', grad=np.ones(2, 'f'), requires_grad=False)
        x.remark = ['kept']
        y = copy.copy(x)
        assert y.array is x.array
        assert y.grad is x.grad
        assert (y.name, y.requires_grad) == ('x', False)
        assert y.remark is x.remark
        assert y.node is not x.node
        y.cleargrad()
        assert x.grad is not None

    def test_copies_follow_a_replaced_array(self):
        x = leaf()
        y = copy.copy(x)
        z = copy.copy(y)
        del y
        x.array = np.zeros(3, 'f')
        assert z.array is x.array
        assert z.node.shape == (3,)
        z.array = np.zeros(4, 'f')
        assert x.array is z.array

    def test_copy_starts_anew_in_the_graph(self):
        y = leaf() * 2
        z = copy.copy(y)
        assert z.creator is None
        assert z.rank == 0

    def test_gradients_of_copies_are_their_own(self):
        x = leaf()
        y = copy.copy(x)
        z = x * y
        z.grad = np.ones(2, 'f')
        z.backward()
        assert x.grad.tolist() == y.grad.tolist() == [1, 2]

    @pytest.mark.parametrize('again', [
        copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
    def test_deep_copy_and_pickle(self, again):
        x = leaf(name='x', grad=np.array([3, 4], 'f'), requires_grad=False)
        y = again(x)
        assert type(y) is Variable
        assert y.array is not x.array
        assert y.array.tolist() == [1, 2]
        assert y.grad.tolist() == [3, 4]
        assert (y.name, y.requires_grad) == ('x', False)
        y = again(leaf() * 2)
        assert y.creator is None
        assert again(Variable()).array is None

    def test_deep_copy_of_a_structure(self):
        x = leaf()
        first, second = copy.deepcopy([x, x])
        assert first is second

    def test_weak_references(self):
        x = leaf()
        reference = weakref.ref(x)
        assert reference() is x
        del x
        assert reference() is None


class Named(Variable):
    """A subclass with state of its own."""

    def __init__(self, data=None, title='untitled', **kwargs):
        super().__init__(data, **kwargs)
        self.title = title


class TestSubclass:

    def test_in_the_graph(self):
        x = Named(np.ones(2, 'f'), 'mine')
        y = x * 2
        assert type(y) is Variable
        assert y.creator.inputs[0].get_variable() is x
        y.grad = np.ones(2, 'f')
        y.backward()
        assert x.grad.tolist() == [2, 2]
        assert x.title == 'mine'

    def test_copy(self):
        x = Named(np.ones(2, 'f'), 'mine')
        assert copy.copy(x).title == 'mine'

    def test_slots_and_properties(self):
        class Slotted(Variable):
            __slots__ = ('extra',)

            @property
            def double(self):
                return self * 2

        x = Slotted(np.ones(2, 'f'))
        x.extra = 3
        assert x.extra == 3
        assert x.double.array.tolist() == [2, 2]


class TestText:

    @pytest.mark.parametrize(('array', 'repr_text', 'str_text'), [
        (np.array([1., 2.]), 'variable([1., 2.])', 'variable([1. 2.])'),
        (np.array(1.), 'variable(1.)', 'variable(1.)'),
        (np.zeros((0, 2)), 'variable([], shape=(0, 2))', 'variable([])'),
        (np.eye(2), 'variable([[1., 0.],\n          [0., 1.]])',
         'variable([[1. 0.]\n          [0. 1.]])'),
        (None, 'variable(None)', 'variable(None)')])
    def test_text(self, array, repr_text, str_text):
        x = Variable(array)
        assert repr(x) == repr_text == variable.variable_repr(x)
        assert str(x) == str_text == variable.variable_str(x)

    def test_name(self):
        assert repr(leaf(name='w')) == 'variable w([1., 2.])'
        x = Variable(np.eye(2), name='w')
        assert str(x) == 'variable w([[1. 0.]\n            [0. 1.]])'

    def test_summary(self):
        assert leaf(name='w').summary() == '<variable w>'
        x = leaf()
        assert x.summary() == '<variable at 0x%x>' % id(x)

    def test_debug_print(self):
        x = leaf(name='w')
        expected = [
            '<variable w>', '- device: CPU', "- backend: <class 'numpy.ndarray'>",
            '- shape: (2,)', '- dtype: float32',
            '- statistics: mean=1.50000000, std=0.50000000', '- grad: None']
        assert x.debug_print().split('\n') == expected
        x.grad = np.zeros(2, 'f')
        assert x.debug_print().endswith('- grad: 0')
        x.grad = np.array([1, 2], 'f')
        assert x.debug_print().endswith('- grad: mean=1.50000000, std=0.50000000')
        assert '- shape: None' in Variable().debug_print()


class TestFunctionsAsMethods:

    def test_reshape(self):
        x = Variable(np.arange(6.))
        for shape in (2, 3), ((2, 3),), ([2, 3],), (2, -1):
            y = x.reshape(*shape)
            assert y.shape == (2, 3)
            assert y.creator is not None

    def test_transpose(self):
        x = Variable(np.zeros((2, 3, 4)))
        assert x.T.shape == x.transpose().shape == x.transpose(None).shape == (4, 3, 2)
        assert x.transpose(1, 0, 2).shape == x.transpose((1, 0, 2)).shape == (3, 2, 4)

    def test_mean(self):
        x = Variable(np.arange(6.).reshape(2, 3))
        assert x.mean().array == 2.5
        assert x.mean(axis=0).array.tolist() == [1.5, 2.5, 3.5]
        assert x.mean(keepdims=True).shape == (1, 1)
        weights = np.array([1., 0., 0.])
        assert x.mean(1, weights=weights).array.tolist() == [0, 3]


def test_operators_leave_arrays_on_the_left_to_variables():
    x = leaf()
    for y in np.ones(2, 'f') + x, np.float64(1) + x, np.float32(1) + x, 1 + x, 1. + x:
        assert type(y) is Variable
        assert y.array.tolist() == [2, 3]
        assert y.dtype == np.float32


@pytest.mark.parametrize('other', ['x', None, [1, 2], {}, object()])
def test_operators_refuse_other_operands(other):
    with pytest.raises(TypeError):
        leaf() + other
    with pytest.raises(TypeError):
        leaf() * other


def test_power_with_a_modulus():
    with pytest.raises(TypeError):
        pow(leaf(), 2, 3)


def test_sign():
    x = leaf()
    assert +x is x
    assert (-x).array.tolist() == [-1, -2]


def test_as_variable_and_as_array():
    x = leaf()
    assert variable.as_variable(x) is x
    assert variable.as_array(x) is x.array
    array = np.ones(2)
    y = chainer_fast.as_variable(array)
    assert y.array is array
    assert not y.requires_grad
    assert chainer_fast.as_array(array) is array


def test_devices():
    x = leaf(grad=np.ones(2, 'f'))
    array, grad = x.array, x.grad
    x.to_cpu()
    x.to_device('@numpy')
    assert x.array is array
    assert x.grad is grad
    x.from_chx()
    assert x.array is array
    with pytest.raises(ValueError, match='chx_array'):
        x.chx_array  # noqa: B018
    y = F.relu(x)
    assert y.device == x.device
