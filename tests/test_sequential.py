import copy
import functools
import inspect
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import chainer_fast
from chainer_fast import ChainList, Link, Parameter, Sequential, initializers


class Layer(Link):

    def __init__(self, factor=2):
        super().__init__()
        self.factor = factor
        with self.init_scope():
            self.w = Parameter(initializers.Normal(), (2,))

    def forward(self, x):
        return x * self.factor


def increment(x):
    return x + 1


def check(sequential, layers):
    """Check that it holds layers, and that its children are the links among them."""
    assert list(sequential) == layers
    assert len(sequential) == len(layers)
    links = [x for x in layers if isinstance(x, Link)]
    children = list(sequential.children())
    assert sorted(children, key=id) == sorted(links, key=id)
    assert [x.name for x in children] == [str(i) for i in range(len(links))]
    assert [path for path, _ in sequential.namedparams()] == [
        '/%d/w' % i for i in range(len(links))]


def names(sequential):
    return ''.join(getattr(x, 'name', '-') for x in sequential)


class TestCall:

    def test_applies_layers_in_order(self):
        assert Sequential(increment, Layer(3), increment)(1) == 7

    def test_tuples_are_separate_arguments(self):
        model = Sequential(
            lambda a, b: (a, b, a + b), lambda a, b, c: [a, b, c], increment_all)
        assert model(1, 2) == [2, 3, 4]

    def test_empty(self):
        with pytest.raises(RuntimeError, match='without layers'):
            Sequential()(1)

    @pytest.mark.parametrize('layer', [0, None, [abs]])
    def test_layers_have_to_be_callable(self, layer):
        model = Sequential(abs)
        for add in (Sequential, model.append, lambda x: model.insert(0, x),
                    lambda x: model.__setitem__(0, x)):
            with pytest.raises(ValueError, match='callable'):
                add(layer)
        check(model, [abs])


def increment_all(values):
    return [x + 1 for x in values]


class TestList:

    @given(st.data())
    def test_changes_as_a_list(self, data):
        model, layers = Sequential(), []
        for _ in range(data.draw(st.integers(0, 12))):
            n = len(layers)
            layer = data.draw(st.sampled_from([increment, abs])) if data.draw(
                st.booleans()) else Layer()
            what = data.draw(st.sampled_from(
                ['append', 'insert', 'extend', 'set', 'delete', 'pop', 'remove',
                 'reverse'] if n else ['append', 'insert', 'extend']))
            i = data.draw(st.integers(-n, n if what == 'insert' else max(n - 1, 0)))
            for target in (model, layers):
                if what == 'append':
                    target.append(layer)
                elif what == 'insert':
                    target.insert(i, layer)
                elif what == 'extend':
                    target.extend([layer, increment])
                elif what == 'set':
                    target[i] = layer
                elif what == 'delete':
                    del target[i]
                elif what == 'pop':
                    target.pop(i)
                elif what == 'remove':
                    target.remove(target[i])
                elif what == 'reverse':
                    target.reverse()
            check(model, layers)
        assert list(reversed(model)) == layers[::-1]
        assert model[1:3] == layers[1:3]
        assert all(x in model for x in layers)
        assert all(model.count(x) == layers.count(x) for x in layers)
        assert all(model.index(x) == layers.index(x) for x in layers)
        model.clear()
        check(model, [])

    def test_names_are_those_of_chainer(self):
        # Its snapshots have them: the first link is followed by the latest one.
        def new(text):
            return Sequential(*[abs if x == '-' else Layer() for x in text])

        assert names(new('LL-L')) == '02-1'
        assert names(new('LL-LL-L')) == '04-32-1'
        assert names(new('-L-LL-')) == '-0-12-'
        assert names(Layer().repeat(4)) == '0321'
        model = new('LL-LL')
        for copied in (model.copy(), copy.deepcopy(model), model + Sequential(),
                       Sequential(model).flatten(), pickle.loads(pickle.dumps(model))):
            assert names(copied) == '03-21'
        model.insert(3, Layer())
        assert names(model) == '04-132'
        model.insert(0, Layer())
        assert names(model) == '015-243'
        model[3] = Layer()
        assert names(model) == '0261354'
        del model[1]
        assert names(model) == '051243'
        model.insert(-2, abs)
        assert names(model) == '0512-43'

    def test_negative_index_replaces_that_layer(self):
        layers = [Layer(), Layer(), Layer(), abs]
        model = Sequential(*layers)
        for i in (-1, -3, -4):
            model[i] = layers[i] = Layer()
            check(model, layers)

    def test_layers_correspond_whatever_their_names(self):
        model = Sequential(Layer(), abs, Layer(), Layer())
        other = Sequential(Layer(), abs, Layer())
        other.insert(2, Layer())
        assert (names(model), names(other)) == ('0-21', '0-12')
        model.copyparams(other)
        for layer in other.children():
            layer.w.grad = layer.w.array.copy()
        model.cleargrads()
        model.addgrads(other)
        for i in (0, 2, 3):
            np.testing.assert_array_equal(model[i].w.array, other[i].w.array)
            np.testing.assert_array_equal(model[i].w.grad, other[i].w.array)

    def test_link_that_is_there_twice(self):
        a, b = Layer(), Layer()
        model = Sequential(a, abs, b, a)
        assert list(model.children()) == [a, a, b]
        model.pop()
        assert list(model.children()) == [a, b]
        check(model, [a, abs, b])

    def test_positions(self):
        model = Sequential(abs)
        for i in (2, -2):
            with pytest.raises(IndexError, match=str(i)):
                model.insert(i, abs)
        with pytest.raises(ValueError, match='out of range'):
            model[1] = abs
        for use in (model.__getitem__, model.pop, model.__delitem__):
            with pytest.raises(IndexError):
                use(1)

    def test_add_link(self):
        link, model = Layer(), Sequential(abs)
        model.add_link(link)
        check(model, [abs, link])

    def test_addition(self):
        a, b = Layer(), Layer()
        model = Sequential(a, abs)
        total = model + Sequential(b)
        check(total, [a, abs, b])
        model += Sequential(b)
        check(model, [a, abs, b])
        for other in (0, [abs], ChainList(a)):
            with pytest.raises(ValueError, match=type(other).__name__):
                model + other
            with pytest.raises(ValueError, match=type(other).__name__):
                model += other

    def test_extend_by_itself(self):
        model = Sequential(abs, increment)
        model.extend(model)
        check(model, [abs, increment, abs, increment])

    def test_search(self):
        model = Sequential(abs, increment, abs)
        assert model.index(abs, 1) == 1  # counted from there
        with pytest.raises(ValueError):
            model.index(abs, 1, 2)
        with pytest.raises(ValueError, match='remove'):
            model.remove(len)

    def test_types_of_layers(self):
        link = Layer()
        partial = functools.partial(increment)
        model = Sequential(link, abs, increment, partial, Layer(), increment)
        assert model.count_by_layer_type('Layer') == 2
        assert model.count_by_layer_type('increment') == 2
        assert model.count_by_layer_type('partial') == 1
        assert model.count_by_layer_type('Link') == 0
        model.remove_by_layer_type('increment')
        model.remove_by_layer_type('nothing')
        check(model, [link, abs, partial, model[3]])

    def test_flatten(self):
        a, b, c = Layer(), Layer(), Layer()
        model = Sequential(Sequential(a, Sequential(abs, b)), c)
        check(model.flatten(), [a, abs, b, c])


class TestText:

    def test_layers(self):
        model = Sequential(
            Sequential(Layer()),
            lambda x: x + 1,
            abs,
        )
        assert str(model) == (
            'Sequential(\n'
            '  (0): Sequential(\n'
            '    (0): Layer(),\n'
            '  ),\n'
            '  (1): lambda x: x + 1,\n'
            '  (2): <built-in function abs>,\n'
            ')')
        assert str(Sequential()) == 'Sequential()'

    def test_lambda_without_source(self):
        assert '<lambda>' in str(Sequential(eval('lambda x: x')))

    def test_source_of_another_string(self, monkeypatch):
        monkeypatch.setattr(inspect, 'getsource', lambda x: 'import sys')
        assert '<lambda>' in str(Sequential(eval('lambda x: x')))


class TestCopy:

    def setup_method(self):
        self.model = Sequential(Layer(), increment)

    @pytest.mark.parametrize('mode', ['share', 'copy', 'init'])
    def test_modes(self, mode):
        clone = self.model.copy(mode)
        check(clone, [clone[0], increment])
        mine, theirs = self.model[0].w, clone[0].w
        assert mine is not theirs
        assert (mine.array is theirs.array) == (mode == 'share')
        assert np.array_equal(mine.array, theirs.array) == (mode != 'init')

    def test_repeat(self):
        repeated = self.model.repeat(2)
        assert [type(x) for x in repeated] == [Sequential, Sequential]
        assert (repeated[0][0].w.array != repeated[1][0].w.array).all()

    def test_copyparams(self):
        other = self.model.copy('init')
        self.model.copyparams(other)
        np.testing.assert_array_equal(self.model[0].w.array, other[0].w.array)
        # Positions count among the links.
        Sequential(increment, Layer()).copyparams(Sequential(abs, Layer()))
        with pytest.raises(ValueError, match='ChainList'):
            self.model.copyparams(ChainList(Layer()))

    def test_pickle(self):
        clone = pickle.loads(pickle.dumps(self.model))
        check(clone, [clone[0], increment])
        assert clone[0] is not self.model[0]
        np.testing.assert_array_equal(clone[0].w.array, self.model[0].w.array)

    def test_lambdas_cannot_be_pickled(self):
        model = Sequential(lambda x: x)
        for use in (pickle.dumps, copy.deepcopy):
            with pytest.raises(ValueError, match='lambda'):
                use(model)
        assert len(model.copy('copy')) == 1


def test_is_exported():
    assert chainer_fast.Sequential is chainer_fast.sequential.Sequential
