import json
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import chainer_fast
from chainer_fast import DictSummary, Reporter, Summary, Variable, reporter


class TestReporter:

    def test_stack(self):
        outer, inner = Reporter(), Reporter()
        with outer:
            assert chainer_fast.get_current_reporter() is outer
            with inner:
                assert chainer_fast.get_current_reporter() is inner
                chainer_fast.report({'a': 1})
            assert chainer_fast.get_current_reporter() is outer
        with pytest.raises(IndexError):
            chainer_fast.get_current_reporter()
        assert inner.observation == {'a': 1}
        assert outer.observation == {}

    def test_threads_have_stacks_of_their_own(self):
        seen = []
        with Reporter():
            thread = threading.Thread(
                target=lambda: seen.append(list(reporter._get_reporters())))
            thread.start()
            thread.join()
        assert seen == [[]]

    def test_scope(self):
        collector, observation = Reporter(), {}
        usual = collector.observation
        with pytest.raises(KeyError), collector.scope(observation):
            chainer_fast.report({'a': 1})
            raise KeyError
        assert observation == {'a': 1}
        assert collector.observation is usual
        assert not reporter._get_reporters()

    def test_report_scope(self):
        observation = {}
        with Reporter() as _, pytest.raises(KeyError):
            collector = chainer_fast.get_current_reporter()
            usual = collector.observation
            with chainer_fast.report_scope(observation):
                chainer_fast.report({'a': 1})
                raise KeyError
        assert observation == {'a': 1}
        assert collector.observation is usual
        with pytest.raises(IndexError), chainer_fast.report_scope({}):
            pass

    def test_observers(self):
        collector = Reporter()
        model = chainer_fast.Chain(a=chainer_fast.Link())
        collector.add_observer('main', model)
        collector.add_observers('links', model.namedlinks(skipself=True))
        collector.report({'x': 1}, model)
        collector.report({'x': 2}, model.a)
        collector.report({'x': 3})
        assert collector.observation == {'main/x': 1, 'links/a/x': 2, 'x': 3}
        with pytest.raises(KeyError, match='register'):
            collector.report({'x': 1}, object())

    def test_without_reporter(self):
        chainer_fast.report({'a': 1})

    def test_values_are_taken_out_of_the_graph(self):
        y = Variable(np.ones(2, 'f')) * 2
        y.name = 'y'
        collector = Reporter()
        collector.report({'y': y})
        seen = collector.observation['y']
        assert seen is not y
        assert seen.array is y.array
        assert seen.creator is None
        assert seen.name == 'y'
        assert y.creator is not None
        with chainer_fast.using_config('keep_graph_on_report', True):
            collector.report({'y': y})
        assert collector.observation['y'] is y

    def test_values_are_not_held_by_the_callers_dictionary(self):
        collector, values = Reporter(), {'a': 1}
        collector.report(values)
        values['a'] = 2
        assert collector.observation == {'a': 1}


numbers = st.floats(-100, 100, width=16)
weights = st.floats(0.25, 4, width=16)
kinds = st.sampled_from([
    float, np.float16, np.float32, np.float64,
    lambda x: np.array(x, 'e'), lambda x: np.array(x, 'f')])


class TestSummary:

    @given(st.lists(st.tuples(numbers, kinds), min_size=1, max_size=10))
    def test_statistics(self, values):
        summary, exact = Summary(), [x for x, _ in values]
        for x, kind in values:
            summary.add(kind(x))
        assert np.asarray(summary.compute_mean()).dtype == np.float64
        np.testing.assert_allclose(
            summary.compute_mean(), np.mean(exact), rtol=1e-12, atol=1e-12)
        mean, std = summary.make_statistics()
        assert mean == summary.compute_mean()
        np.testing.assert_allclose(std ** 2, np.var(exact), rtol=1e-9, atol=1e-9)

    @given(st.lists(st.tuples(numbers, weights), min_size=1, max_size=10), kinds)
    def test_weights(self, values, kind):
        summary = Summary()
        for x, weight in values:
            summary.add(x, kind(weight))
        np.testing.assert_allclose(
            summary.compute_mean(),
            np.average([x for x, _ in values], weights=[w for _, w in values]),
            rtol=1e-12, atol=1e-12)

    def test_single_precision_is_summed_in_double_precision(self):
        # As Chainer's sums are: the square is taken in double precision.
        summary = Summary()
        summary.add(np.float32(0.1))
        assert (summary._x, summary._x2, summary._n) == (
            0.10000000149011612, 0.010000000298023226, 1)
        summary.add(np.array(0.1, 'f'), np.float32(0.3))
        assert (summary._x, summary._x2, summary._n) == (
            0.13000000268220901, 0.013000000556930902, 1.300000011920929)

    def test_arrays(self):
        summary = Summary()
        value = np.array([1, 2], 'f')
        summary.add(value)
        summary.add(np.array([3, 4], 'f'), np.float64(3))
        np.testing.assert_array_equal(value, [1, 2])
        assert summary._x.dtype == np.float32
        np.testing.assert_array_equal(summary.compute_mean(), [2.5, 3.5])

    def test_variables(self):
        summary = Summary()
        summary.add(2., Variable(np.array(3.)))
        summary.add(4., Variable(np.array(1.)))
        assert summary.compute_mean().array == 2.5

    def test_empty(self):
        with pytest.raises(ZeroDivisionError):
            Summary().compute_mean()

    def test_integers(self):
        summary = Summary()
        for x in (1, np.int32(2), np.array(6)):
            summary.add(x)
        assert summary.compute_mean() == 3
        assert summary._n == 3


class TestDictSummary:

    def test_statistics(self):
        summary = DictSummary()
        summary.add({'a': 1, 'b': np.array(2, 'f')})
        summary.add({'a': 3, 'c': Variable(np.array(5.))})
        assert summary.compute_mean() == {'a': 2, 'b': 2, 'c': 5}
        assert summary.make_statistics() == {
            'a': 2, 'a.std': 1, 'b': 2, 'b.std': 0, 'c': 5, 'c.std': 0}

    def test_only_scalars_are_summed(self):
        summary = DictSummary()
        summary.add({'a': np.ones(1), 'b': None, 'c': [1], 'd': Variable(np.ones(1)),
                     'e': (np.ones(2), 1)})
        assert summary.compute_mean() == {}

    def test_weights(self):
        summary = DictSummary()
        summary.add({'a': (1., 3)})
        summary.add({'a': (Variable(np.array(5.)), Variable(np.array(1.)))})
        assert summary.compute_mean() == {'a': 2}
        for weight in (np.ones(1), None, [1], Variable(np.ones(1))):
            with pytest.raises(ValueError, match='weight of a'):
                summary.add({'a': (1., weight)})


class Saver(chainer_fast.Serializer):

    def __init__(self, target, path=''):
        self.target, self.path = target, path

    def __getitem__(self, key):
        return Saver(self.target, self.path + key + '/')

    def __call__(self, key, value):
        self.target[self.path + key] = value
        return value


class Loader(chainer_fast.Deserializer):

    def __init__(self, source, path=''):
        self.source, self.path = source, path

    def __getitem__(self, key):
        return Loader(self.source, self.path + key + '/')

    def __call__(self, key, value):
        return self.source[self.path + key]


class TestSerialize:

    def test_layout(self):
        # Files of Chainer can be read, and the other way round.
        summary, saved = DictSummary(), {}
        summary.add({'a/b': 1, 'c': 2})
        summary.add({'a/b': 2})
        summary.serialize(Saver(saved))
        assert json.loads(saved.pop('_names')) == ['a/b', 'c']
        assert saved == {
            '_summaries/0/_x': 3, '_summaries/0/_x2': 5, '_summaries/0/_n': 2,
            '_summaries/1/_x': 2, '_summaries/1/_x2': 4, '_summaries/1/_n': 1}

    def test_round_trip_replaces_what_was_there(self):
        summary, saved = DictSummary(), {}
        summary.add({'/a': 1, 'b/': 2})
        summary.serialize(Saver(saved))
        other = DictSummary()
        other.add({'/a': 7, 'z': 7})
        other.serialize(Loader(saved))
        other.add({'/a': 3})
        assert other.compute_mean() == {'/a': 2, 'b/': 2}

    def test_files_without_statistics(self):
        summary = Summary()
        summary.add(2)
        with pytest.warns(UserWarning, match='statistics are not saved'):
            summary.serialize(Loader({}))
        assert summary.compute_mean() == 2
        summary = DictSummary()
        summary.add({'a': 2})
        with pytest.warns(UserWarning, match='names of statistics'):
            summary.serialize(Loader({}))
        assert summary.compute_mean() == {}

    def test_files_without_statistics_that_are_read_leniently(self):
        summary = DictSummary()
        with pytest.warns(UserWarning, match='names of statistics'):
            chainer_fast.serializers.NpzDeserializer({}, strict=False).load(summary)
        assert summary.compute_mean() == {}

    @pytest.mark.parametrize('weight, kind', [
        (2, 'i'), (np.int8(100), 'i'), (np.array(3), 'i'), (.5, 'f'),
        (np.float32(.25), 'f')])
    def test_weights_make_the_round_trip(self, weight, kind):
        summary, saved = Summary(), {}
        summary.add(np.float32(3), weight)
        summary.add(np.float32(5), weight)
        chainer_fast.serializers.DictionarySerializer(saved).save(summary)
        assert saved['_n'].dtype.kind == kind
        other = Summary()
        chainer_fast.serializers.NpzDeserializer(saved).load(other)
        other.add(4)
        assert other.compute_mean() == 4
        assert other._n == 2 * float(weight) + 1
