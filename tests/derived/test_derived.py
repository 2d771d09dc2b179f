"""Derived classes do here what they do with Chainer, whatever they leave out."""
import numpy
import pytest

from chainer_fast import initializers, iterators
from tests.derived import classes

RECORDED = classes.recorded()
CASES = classes.cases()
NAMES = sorted(RECORDED)
#: Attributes of Chainer's about its own workings, which are different here.
MISSING: dict[str, set[str]] = {
    'DebugMode': {'_using'},
    'Parameter': {'_device'},
    'Variable': {'_device'},
    'dataset.ConcatWithAsyncTransfer': {'_sync_get'},
    'dataset.convert.ConcatWithAsyncTransfer': {'_sync_get'},
    'dataset.convert.Conveyor': {'_array_set', '_ret_array'},
    'datasets.PickleDatasetWriter': {'_positions'},
    'distributions.Uniform': {'_use_loc_scale'},
    'function_hooks.TimerHook': {'_depth'},
    'initializers.Orthogonal': {'_checks'},
    'iterators.MultiprocessIterator': {'_comm', '_prefetch_loop'},
    'link_hooks.SpectralNormalization': {'_initialized'},
    'link_hooks.TimerHook': {'_depth'},
    'link_hooks.WeightStandardization': {'_initialized'},
}
#: Methods and properties that are not called here, as their classes are compiled or
#: read a list of their own.
NOT_CALLED: dict[str, set[str]] = {
    'Variable': {'layout', 'rank', 'shape'},
    'Parameter': {'layout', 'shape'},
    'Sequential': {'__iter__', '__len__'},
    'links.MLPConvolution2D': {'__getitem__', 'add_link'},
}
#: What compiled classes, and one that is deprecated, have is no attribute of theirs.
CONSTRUCTED = {'DebugMode', 'Parameter', 'Variable'}


@pytest.fixture(scope='module')
def ours():
    return classes.Observer('chainer_fast')


def test_classes_are_recorded(ours):
    assert len(NAMES) > 200
    assert [name for name in NAMES if ours.find(name) is None] == []


@pytest.mark.parametrize('name', NAMES)
def test_attributes_of_chainer_are_there(ours, name):
    cls, recorded = ours.find(name), set(RECORDED[name]['attributes'])
    found = set(dir(cls)).union(*[
        ours.attributes(case, cls) for case in CASES[name].values()])
    assert recorded - found == MISSING.get(name, set())


@pytest.mark.parametrize('name', NAMES)
def test_methods_that_are_overridden_are_called(ours, name):
    cls = ours.find(name)
    found = set().union(*[ours.called(case, cls) for case in CASES[name].values()])
    # Whether a link is within its scope is looked up as a plain attribute.
    recorded = set(RECORDED[name]['called']) - {'within_init_scope'}
    assert recorded - found == NOT_CALLED.get(name, set())


@pytest.mark.parametrize('name, way', [
    (name, way) for name in NAMES for way in classes.WAYS
    if not (way == 'without constructor' and name in CONSTRUCTED)])
def test_outcomes_are_the_same(ours, name, way):
    cls, names = ours.find(name), set(RECORDED[name]['attributes'])
    others = RECORDED[name]['errors'] + RECORDED[name]['changes'].get(way, [])
    found = {
        use: ours.differences(case, cls, way, names)
        for use, case in CASES[name].items() if use not in others}
    assert {use: each for use, each in found.items() if each} == {}


def test_attributes_that_came_later_may_be_left_out():
    class Orthogonal(initializers.Orthogonal):
        def __init__(self):
            self.scale, self.dtype, self.rng = 1., None, numpy.random.RandomState(0)

    class Threads(iterators.MultithreadIterator):
        def reset(self):
            super().reset()
            del self._previous_epoch_detail

    weight = numpy.zeros((2, 3), numpy.float32)
    Orthogonal()(weight)
    numpy.testing.assert_allclose(weight @ weight.T, numpy.eye(2), atol=1e-6)
    with Threads([1, 2, 3], 2, shuffle=False) as iterator:
        assert iterator.previous_epoch_detail is None
        assert next(iterator) == [1, 2]
        assert iterator.previous_epoch_detail == 0


@pytest.mark.parametrize('cls', [
    iterators.SerialIterator, iterators.MultithreadIterator,
    iterators.MultiprocessIterator])
@pytest.mark.parametrize('name, detail', [('epoch', 7.), ('current_position', .7)])
def test_details_of_epochs_follow_what_is_overridden(cls, name, detail):
    derived = type('Derived', (cls,), {name: property(lambda self: 7)})
    with derived(list(range(10)), 2, shuffle=False) as iterator:
        assert iterator.epoch_detail == detail
