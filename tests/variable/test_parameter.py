import copy
import pickle

import numpy as np
import pytest

import chainer_fast
from chainer_fast import initializers, variable
from chainer_fast.variable import Parameter, Variable


class TestInit:

    def test_scalar_and_shape(self):
        p = Parameter(3, (2, 4), name='w')
        assert isinstance(p, Variable)
        assert p.array.tolist() == [[3] * 4] * 2
        assert p.dtype == np.float32
        assert np.isnan(p.grad).all()
        assert p.grad.shape == (2, 4)
        assert p.name == 'w'
        assert p.is_initialized
        assert p.requires_grad
        assert isinstance(p.initializer, initializers.Constant)
        assert p.update_rule is None

    @pytest.mark.parametrize(
        ('shape', 'expected'), [(2, (2,)), ((), ()), ([2, 1], (2, 1))])
    def test_shapes(self, shape, expected):
        assert Parameter(1, shape).shape == expected

    def test_initializer_and_shape(self):
        p = Parameter(initializers.Constant(2, dtype='d'), (2,))
        assert p.dtype == np.float64
        assert p.array.tolist() == [2, 2]

    def test_function_as_an_initializer(self):
        def fill(array):
            array[...] = np.arange(3)

        p = Parameter(fill, 3)
        assert p.array.tolist() == [0, 1, 2]

    def test_array(self):
        array = np.array([1., 2.], 'e')
        p = Parameter(array)
        assert p.array is array
        assert p.grad is None
        assert p.initializer is array

    def test_array_and_shape(self):
        array = np.array([1., 2.])
        p = Parameter(array, (3, 2))
        assert p.array.tolist() == [[1, 2]] * 3
        assert p.array is not array
        # A given array fills; the dtype is that of the configuration.
        assert p.dtype == np.float32

    def test_nothing(self):
        p = Parameter()
        assert p.array is None
        assert not p.is_initialized
        assert isinstance(p.initializer, initializers.NaN)
        assert p.xp is np

    def test_dtype_of_the_configuration(self):
        with chainer_fast.using_config('dtype', np.dtype('e')):
            assert Parameter(1, 2).dtype == np.float16
            p = Parameter(1)
        p.initialize(2)
        assert p.dtype == np.float32

    def test_unknown_keyword(self):
        with pytest.raises(TypeError):
            Parameter(1, 2, 'w', typo=3)


class TestUninitialized:

    def test_gradient(self):
        p = Parameter(1)
        with pytest.raises(RuntimeError, match='uninitialized parameter'):
            p.grad  # noqa: B018
        assert p.grad_var is None
        p.cleargrad()
        assert p.grad is None
        assert p.grad_var is None

    @pytest.mark.parametrize(('initializer', 'dtype'), [
        (None, 'd'), (1, 'd'), (initializers.Normal(), 'd'),
        (initializers.One(dtype='e'), 'e'), (np.ones(2, 'f'), 'f')])
    def test_dtype(self, initializer, dtype):
        assert Parameter(initializer).dtype == dtype

    def test_dtype_that_is_not_known(self):
        with pytest.raises(RuntimeError, match='dtype'):
            Parameter(lambda array: None).dtype  # noqa: B018

    def test_initialize(self):
        p = Parameter(4)
        p.initialize((2, 3))
        assert p.array.tolist() == [[4] * 3] * 2
        assert np.isnan(p.grad).all()
        assert p.grad.shape == (2, 3)
        p = Parameter(4)
        node = p.node
        p.initialize(2)
        assert node.shape == (2,)

    def test_initialize_after_cleargrad(self):
        p = Parameter(4)
        p.cleargrad()
        p.initialize(2)
        assert p.grad is None

    def test_gradient_of_none_can_be_read_after_zerograd(self):
        p = Parameter()
        with pytest.raises(RuntimeError):
            p.grad  # noqa: B018
        with pytest.raises(RuntimeError):
            Parameter(1, (2,)).addgrad(p)
        with pytest.warns(DeprecationWarning):
            p.zerograd()
        assert p.grad is None
        Parameter(1, (2,)).addgrad(p)

    def test_initialize_after_zerograd(self):
        p = Parameter(initializers.Constant(4, dtype='e'))
        with pytest.warns(DeprecationWarning):
            p.zerograd()
        p.initialize(2)
        assert p.grad.tolist() == [0, 0]
        assert p.grad.dtype == np.float16

    def test_initialize_once_more(self):
        p = Parameter(4, 2)
        p.initialize(3)
        assert p.shape == (3,)

    def test_text(self):
        assert repr(Parameter()) == 'variable(None)'
        assert str(Parameter(name='w')) == 'variable w(None)'

    def test_add_gradient(self):
        p, q = Parameter(1), Parameter(2, 2)
        q.grad = np.ones(2, 'f')
        p.cleargrad()
        p.addgrad(q)
        assert p.array.tolist() == [1, 1]
        assert p.grad.tolist() == [1, 1]

    def test_copy_data(self):
        p, q = Parameter(1), Parameter(2, 2)
        p.copydata(q)
        assert p.array.tolist() == [2, 2]
        assert p.array is not q.array
        p, q = Parameter(1), Parameter(2, 2)
        q.copydata(p)
        assert p.array.tolist() == q.array.tolist() == [1, 1]
        p = Parameter(1)
        p.copydata(Parameter(2))
        assert p.array is None

    def test_move(self):
        p = Parameter(1)
        p.to_device('@numpy')
        p.initialize(2)
        assert p.device == chainer_fast.get_device('@numpy')


class TestCopies:

    def test_copy_shares_the_array(self):
        p = Parameter(1, 2, name='w')
        p.update_rule = rule = object()
        q = copy.copy(p)
        assert type(q) is Parameter
        assert q.array is p.array
        assert q.initializer is p.initializer
        assert q.update_rule is rule

    def test_copy_that_is_not_initialized(self):
        # The copies are one parameter as far as the array goes.
        p = Parameter(3)
        q = copy.copy(p)
        q.initialize(2)
        assert p.array is q.array
        with pytest.raises(RuntimeError):
            p.grad  # noqa: B018
        assert np.isnan(q.grad).all()

    @pytest.mark.gpu
    def test_copies_on_two_devices(self):
        for shape in (None, 2):
            p = Parameter(3, shape)
            q, other = copy.copy(p), copy.copy(p)
            q.to_device('@cupy:0')
            q.initialize(2)
            assert q.device.name == '@cupy:0'
            assert p.device.name == '@numpy'
            assert p.array is other.array
            other.array = np.zeros(5, 'f')
            assert p.array is other.array
            assert q.shape == (2,)

    @pytest.mark.parametrize('again', [
        copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
    def test_deep_copy_and_pickle(self, again):
        p = Parameter(5, 2, name='w')
        p.grad = np.array([1, 2], 'f')
        q = again(p)
        assert type(q) is Parameter
        assert q.array is not p.array
        assert q.array.tolist() == [5, 5]
        assert q.grad.tolist() == [1, 2]
        assert q.name == 'w'
        assert q.initializer.fill_value == 5

    @pytest.mark.parametrize('again', [
        copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
    def test_uninitialized(self, again):
        q = again(Parameter(5))
        with pytest.raises(RuntimeError):
            q.grad  # noqa: B018
        q.initialize(2)
        assert q.array.tolist() == [5, 5]
        p = Parameter(5)
        p.cleargrad()
        assert again(p).grad is None

    def test_deep_copy_of_a_structure(self):
        p = Parameter(1, 2)
        first, second = copy.deepcopy([p, p])
        assert first is second
        assert first is not p

    def test_names_for_pickles(self):
        assert Parameter.__module__ == 'chainer_fast.variable'
        assert variable._recover_parameter.__module__ == 'chainer_fast.variable'


def test_update_rule():
    class Rule:
        def update(self, parameter):
            updated.append(parameter)

    updated = []
    p = Parameter(1, 2)
    p.update()
    p.update_rule = Rule()
    p.update()
    assert [q is p for q in updated] == [True]


def test_in_the_graph():
    p = Parameter(3, 2)
    p.cleargrad()
    y = p * p
    y.grad = np.ones(2, 'f')
    y.backward()
    assert p.grad.tolist() == [6, 6]
    assert type(y) is Variable


def test_gradient_that_was_not_cleared():
    p = Parameter(3, 2)
    y = p * p
    y.grad = np.ones(2, 'f')
    y.backward()
    assert np.isnan(p.grad).all()


def test_subclass():
    class Mine(Parameter):
        pass

    p = Mine(1, 2)
    assert type(copy.deepcopy(p)) is Parameter
    assert (p * 2).array.tolist() == [2, 2]
