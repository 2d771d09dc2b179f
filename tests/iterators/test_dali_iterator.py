import pytest

from chainer_fast import iterators, serializers
from tests.iterators.states import state_of


class Pipeline:
    batch_size = 2

    def __init__(self, size):
        self.size, self.calls = size, []

    def build(self):
        self.calls.append('build')

    def epoch_size(self):
        return {'reader': self.size, 'labels': 99}

    def run(self):
        self.calls.append('run')
        return 'images', 'labels'


def make(size=5, **kwargs):
    with pytest.warns(FutureWarning, match='DaliIterator is experimental'):
        return iterators.DaliIterator(Pipeline(size), **kwargs)


def test_position():
    it = make()
    assert it.repeat
    assert it.batch_size == 2
    assert state_of(it) == (0, False, 0, 0., None)
    assert it.pipeline.calls == []
    assert it.next() == ('images', 'labels')
    assert state_of(it) == (0, False, 2, .4, 0.)
    it.next(), next(it)
    assert state_of(it) == (1, True, 1, 1.2, .8)
    assert it.pipeline.calls == ['build'] + ['run'] * 3
    it.reset()
    assert state_of(it) == (0, False, 0, 0., None)


def test_without_repeat():
    it = make(repeat=False)
    assert len(list(it)) == 3
    assert state_of(it) == (1, True, 0, 1., .8)
    it.reset()
    assert len(list(it)) == 3


def test_goes_on_from_a_snapshot():
    it, other, target = make(), make(), {}
    for _ in range(4):
        it.next()
    it.serialize(serializers.DictionarySerializer(target))
    other.next()
    other.serialize(serializers.NpzDeserializer(target))
    assert state_of(other) == state_of(it)
    del target['previous_epoch_detail']
    other.serialize(serializers.NpzDeserializer(target))
    assert state_of(other) == pytest.approx(state_of(it))
