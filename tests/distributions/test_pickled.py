"""Distributions that Chainer has pickled; see data/make_pickles.py."""
import copy
import io
import os
import pickle

import numpy as np
import pytest

import chainer_fast
from chainer_fast import distributions
from tests.distributions.data import make_pickles


class Unpickler(pickle.Unpickler):
    """Finds here what was Chainer's."""

    def find_class(self, module, name):
        package, dot, rest = module.partition('.')
        if package == 'chainer':
            module = 'chainer_fast' + dot + rest
        return super().find_class(module, name)


def load(pickled):
    return Unpickler(io.BytesIO(pickled)).load()


with open(os.path.join(os.path.dirname(__file__), 'data', 'chainer-7.8.1.pickle'),
          'rb') as file:
    ENTRIES = load(file.read())

each = pytest.mark.parametrize('name', sorted(ENTRIES))
each_state = pytest.mark.parametrize('used', [False, True])


def restored(name, used):
    entry = ENTRIES[name]
    return load(entry[used]), *entry[2:]


@pytest.fixture(scope='module')
def made():
    return make_pickles.distributions(chainer_fast)


def test_all_families_are_there(made):
    assert set(made) == set(ENTRIES)
    families = {name for name in vars(distributions) if name[0].isupper()}
    assert {type(distribution).__name__ for distribution in made.values()} == families


@each
@each_state
def test_chainer_has_written_it(name, used, made):
    distribution, point, expected = restored(name, used)
    assert type(distribution) is type(made[name])
    for key, param in made[name].params.items():
        np.testing.assert_array_equal(distribution.params[key].array, param.array)
    np.testing.assert_allclose(distribution.log_prob(point).array, expected, rtol=1e-5)
    assert distribution.sample(3).shape == made[name].sample(3).shape


@each
@each_state
def test_nothing_else_has_come_along(name, used, made):
    distribution = restored(name, used)[0]
    # Chainer's name for the other of the two forms, and for a device.
    beyond = set(vars(distribution)) - set(vars(made[name]))
    assert beyond <= {'_use_loc_scale', '_device'}


@each_state
def test_what_was_computed_has_a_graph(used):
    distribution = restored('Normal of a parameter', used)[0]
    chainer_fast.functions.sum(distribution.variance * distribution.mean).backward()
    assert isinstance(distribution.loc, chainer_fast.Parameter)
    np.testing.assert_array_equal(distribution.loc.grad, [9, 16])
    assert distribution.entropy.creator is not None


class Derived(distributions.Normal):
    """A user's family, with attributes of its own."""

    __slots__ = ('_Derived__slot',)

    def __init__(self, loc, scale):
        super().__init__(loc, scale)
        self.__hidden = {0: loc}
        self.__slot = 3
        self.table = {}

    def contents(self):
        return self.__hidden, self.__slot, self.table


def test_attributes_of_derived_classes():
    loc, scale = np.zeros(2), np.ones(2)
    distribution = Derived(loc, scale)
    copies = [pickle.loads(pickle.dumps(distribution, protocol))
              for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)]
    chainers = object.__new__(Derived)
    chainers.__setstate__(({
        '_Normal__loc': loc, '_Normal__scale': scale, '_Normal__log_scale': None,
        '_Derived__hidden': {0: loc}, 'table': {}, 'loc': {True: None},
        '_of_old': {True: 1, False: 2}}, {'_Derived__slot': 3}))
    for other in [*copies, chainers]:
        np.testing.assert_array_equal(other.loc.array, loc)
        hidden, slot, table = other.contents()
        np.testing.assert_array_equal(hidden[0], loc)
        assert (list(hidden), slot, table) == ([0], 3, {})
        assert not hasattr(other, '_of_old')


def test_a_derived_class_of_the_same_name():
    class Normal(distributions.Normal):
        def __init__(self, loc, scale):
            super().__init__(loc, scale)
            self.__hidden = 3

        def contents(self):
            return self.__hidden

    distribution = Normal(np.zeros(2), np.ones(2))
    assert copy.deepcopy(distribution).contents() == 3
