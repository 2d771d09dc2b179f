"""Links of version 1: names as lists, announced parameters, copies."""
import copy
import pickle

import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import functions as F
from chainer_fast import legacy
from chainer_fast import links as L
from chainer_fast.legacy import _report


@pytest.fixture(autouse=True)
def v1(enable):
    enable()


def names_of(link):
    return [name for name, _ in link.namedparams()]


# ---- names as lists

def test_lists_of_names():
    link = L.Linear(2, 3)
    names = link._params
    assert names == ['W', 'b']
    assert list(names) == ['W', 'b']
    assert names[0] == 'W' and names[-1:] == ['b']
    assert names.index('b') == 1
    assert names.count('W') == 1
    assert names + ['c'] == ['W', 'b', 'c']
    assert repr(names) == "['W', 'b']"
    names.sort()
    assert 'W' in names and 'c' not in names and len(names) == 2


@pytest.mark.parametrize('remove', [
    lambda names: names.remove('b'), lambda names: names.pop(1),
    lambda names: names.__delitem__(1), lambda names: names.discard('b'),
    lambda names: names.__delitem__(slice(1, None))])
def test_removing_takes_effect(remove):
    link = L.Linear(2, 3)
    remove(link._params)
    assert names_of(link) == ['/W']
    assert link.b is not None


def test_adding_takes_effect():
    link = L.Linear(2, 3)
    link._params.remove('b')
    link._params.append('b')
    assert names_of(link) == ['/W', '/b']
    link._params.remove('b')
    link._params += ['b']
    assert names_of(link) == ['/W', '/b']
    link._params = ['W']
    assert names_of(link) == ['/W']
    link._params.insert(0, 'b')
    link._persistent.extend(['W'])
    assert link._persistent == ['W']


@pytest.mark.parametrize('make', [lambda names: names.copy(), copy.copy, copy.deepcopy])
def test_copies_of_names_stand_for_themselves(make):
    chain = chainer.Chain(a=L.Linear(1, 1), b=L.Linear(1, 1))
    names = make(chain._children)
    for name in names:
        delattr(chain, name)
    assert names == ['a', 'b'] and names[1] == 'b'
    assert not chain._children


def test_names_have_the_methods_of_a_set():
    link = L.Linear(2, 3)
    assert link._params.union('c') == {'W', 'b', 'c'}
    assert link._params.issubset(['W', 'b', 'c'])
    link._params.update('c')
    assert 'c' in vars(link)['_params']
    link._params.difference_update(['c'])
    assert names_of(link) == ['/W', '/b']
    with pytest.raises(AttributeError, match='nothing'):
        getattr(link._params, 'nothing')  # noqa: B009
    with pytest.raises(AttributeError, match='_own'):
        getattr(link._params, '_own')  # noqa: B009


def test_children():
    chain = chainer.Chain(a=L.Linear(2, 2), b=L.Linear(2, 2))
    chain._children.remove('a')
    assert names_of(chain) == ['/b/W', '/b/b']
    assert chain._children[0] == 'b'


def test_links_work_as_before():
    chain = chainer.Chain(a=L.Linear(2, 2), b=L.BatchNormalization(2))
    for copied in (copy.deepcopy(chain), pickle.loads(pickle.dumps(chain)),
                   chain.copy()):
        assert names_of(copied) == names_of(chain)
        assert type(vars(copied.a)['_params']) is set
    del chain.a
    assert chain._children == ['b']
    with pytest.raises(AttributeError, match='_params'):
        list(chainer.Link.__new__(chainer.Link)._params)


def test_only_uses_as_lists_are_counted():
    _report.clear()
    link = L.Linear(2, 3)
    assert 'W' in link._params
    link._params.remove('b')
    sorted(link._params)
    assert not _report.uses()
    link._params.append('b')
    assert list(_report.uses()) == ['chainer.Link._params as a list']


# ---- announced parameters

class Scale(chainer.Link):

    def __init__(self):
        super().__init__()
        self.add_uninitialized_param('W')

    def forward(self, x):
        if self.has_uninitialized_params:
            self.add_param('W', x.shape[1], initializer=0.5)
        return x * F.broadcast_to(self.W, x.shape)


def test_an_announced_parameter_is_trained():
    link = Scale()
    assert link.has_uninitialized_params
    optimizer = chainer.optimizers.SGD(0.1).setup(link)
    for _ in range(2):
        optimizer.zero_grads()
        F.sum(link(np.ones((2, 3), np.float32))).backward()
        optimizer.update()
    assert not link.has_uninitialized_params
    np.testing.assert_allclose(link.W.array, np.full(3, 0.1), rtol=1e-5)


def test_an_announced_parameter_is_loaded(tmp_path):
    link, other = Scale(), Scale()
    link(np.ones((2, 3), np.float32))
    chainer.serializers.save_npz(tmp_path / 'link.npz', link)
    chainer.serializers.load_npz(tmp_path / 'link.npz', other)
    np.testing.assert_array_equal(other.W.array, link.W.array)


def test_names_of_announced_parameters_are_taken():
    link = Scale()
    with pytest.raises(AttributeError, match='cannot register .* parameter W'):
        link.add_uninitialized_param('W')
    link.add_param('W', 2, dtype=np.float64)
    assert link.W.dtype == np.float64
    assert np.isnan(link.W.array).all()
    with pytest.raises(AttributeError, match='cannot register a new parameter W'):
        link.add_param('W', 2)


def test_children_without_shapes_count():
    chain = chainer.Chain(a=Scale())
    assert chain.has_uninitialized_params
    chain.a.add_param('W', 2)
    assert not chain.has_uninitialized_params


def test_whether_a_link_is_on_the_processor():
    assert L.Linear(2, 2)._cpu


# ---- copyparams

class Counter(chainer.Link):

    def __init__(self, value):
        super().__init__(W=(1,))
        self.W.array[...] = value
        self.add_persistent('n', value)


@pytest.mark.parametrize('parts, copied', [
    ((), 5), (('v5',), 5), (('v4',), 3), (('v1',), 3)])
def test_copyparams(parts, copied):
    legacy.disable()
    legacy.enable(*parts)
    mine, theirs = chainer.Chain(c=Counter(3)), chainer.Chain(c=Counter(5))
    mine.copyparams(theirs)
    assert (mine.c.W.array[0], mine.c.n) == (5, copied)
    mine.copyparams(theirs, copy_persistent=True)
    assert mine.c.n == 5


# ---- pickles

def test_links_that_hold_functions_are_pickled():
    model = L.Classifier(L.Linear(2, 2))
    data = pickle.dumps(model)
    assert pickle.loads(data).lossfun is F.softmax_cross_entropy
    legacy.disable()
    assert pickle.loads(data).lossfun is F.softmax_cross_entropy
