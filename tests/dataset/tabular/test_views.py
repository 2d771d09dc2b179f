"""Views of tables: what they hold, and that they fetch only what is asked for."""
import operator

import hypothesis
import numpy
import pytest
from hypothesis import strategies as st

from chainer_fast import dataset as D
from chainer_fast.dataset import tabular


class Table(D.TabularDataset):
    """Columns a, b, c ... of distinct numbers; keeps a record of what is fetched."""

    def __init__(self, length=6, keys=('a', 'b', 'c'), mode=tuple, first=0):
        self.keys_, self.mode_ = keys, mode
        self.data = first + numpy.arange(len(keys) * length).reshape(len(keys), length)
        self.calls = []

    keys = property(operator.attrgetter('keys_'))
    mode = property(operator.attrgetter('mode_'))

    def __len__(self):
        return self.data.shape[1]

    def get_examples(self, indices, key_indices):
        self.calls.append((indices, key_indices))
        data = self.data if key_indices is None else self.data[list(key_indices)]
        return tuple(data if indices is None else data[:, indices])

    def convert(self, data):
        return 'converted', data


def rows(columns):
    return [list(column) for column in columns]


def test_abstract():
    empty = D.TabularDataset()
    for use in (len, iter, operator.attrgetter('keys'), operator.attrgetter('mode'),
                operator.methodcaller('get_examples', None, None)):
        with pytest.raises(NotImplementedError, match='has to define'):
            use(empty)


def test_modes():
    assert Table()[2] == (2, 8, 14)
    assert Table(mode=dict)[2] == {'a': 2, 'b': 8, 'c': 14}
    assert Table(keys=('a',), mode=None)[2] == 2
    assert list(Table(2, mode=dict)) == [{'a': 0, 'b': 2, 'c': 4},
                                         {'a': 1, 'b': 3, 'c': 5}]
    numpy.testing.assert_equal(Table(2, mode=dict).astuple().fetch(),
                               ([0, 1], [2, 3], [4, 5]))
    numpy.testing.assert_equal(Table(2, ('a',), mode=None).asdict().fetch(),
                               {'a': [0, 1]})
    with pytest.raises(ValueError, match='tuple, dict or None'):
        Table(mode=list).fetch()


def test_delegate():
    inner = Table(mode=dict)
    outer = tabular.DelegateDataset(inner)
    assert outer.dataset is inner
    assert (len(outer), outer.keys, outer.mode) == (6, inner.keys, dict)
    assert outer[1] == inner[1]
    # Views convert as the data set below does, a delegate does not.
    assert outer.convert([1]).dtype == int
    for view in (inner.asdict(), inner.slice[1:], inner.concat(inner),
                 inner.join(Table(keys=('d',))), inner.transform('x', max)):
        assert view.convert([1]) == ('converted', [1])


def test_convert():
    convert = tabular.DelegateDataset(Table()).convert
    x = numpy.zeros(2, 'f')
    a, b = convert((x, [x, x]))
    assert a is x and b.shape == (2, 2) and b.dtype == 'f'
    numpy.testing.assert_equal(convert({'k': [1, 2.5]}), {'k': [1, 2.5]})
    with pytest.raises(IndexError):
        convert([])


def test_with_converter():
    def converter(*args, **kwargs):
        return args, kwargs

    view = Table().with_converter(converter)
    assert view.convert(([1], [2])) == (([1], [2]), {})
    assert view.convert({'a': [1]}) == ((), {'a': [1]})
    assert view.convert([1]) == (([1],), {})


index = st.integers(-9, 9) | st.none()
slices = st.builds(slice, index, index, st.integers(-4, 4).filter(bool) | st.none())


def selections(length):
    some = st.nothing() if length == 0 else st.lists(
        st.integers(-length, length - 1), max_size=5)
    return slices | some | st.lists(
        st.booleans(), min_size=length, max_size=length) if length else slices


@hypothesis.given(st.data())
def test_slice_of_slice(data):
    table = Table()
    expected = list(range(6))
    view = table
    for _ in range(2):
        selection = data.draw(selections(len(expected)))
        view = view.slice[selection]
        if not isinstance(selection, slice) and any(
                isinstance(i, bool) for i in selection):
            selection = numpy.flatnonzero(selection).tolist()
        expected = (expected[selection] if isinstance(selection, slice)
                    else [expected[i] for i in selection])
    assert len(view) == len(expected)
    assert rows(view.get_examples(None, (0,))) == [expected]
    assert [view[i][0] for i in range(-len(expected), len(expected))] == expected * 2
    with pytest.raises(IndexError):
        view[len(expected)]


def test_slice_stays_slice():
    table = Table()
    table.slice[[-1, True]].fetch()
    table.slice[1:5].get_examples(slice(None, None, -1), None)
    table.slice[4::-2].get_examples([1, -1], (2, 0))
    table.slice[4::-2].get_examples(slice(2, None), None)
    assert table.calls == [
        ([5, 1], None), (slice(4, 0, -1), None), ([2, 0], (2, 0)),
        (slice(0, None, -2), None)]


def test_slice_keys():
    table = Table(mode=dict)
    for key in ('b', 1, -2, numpy.int64(1)):
        view = table.slice[:, key]
        assert (view.keys, view.mode, view[0]) == (('b',), None, 6)
    view = table.slice[[5], ('c', 0)]
    assert (view.keys, view.mode, view[0]) == (('c', 'a'), dict, {'c': 17, 'a': 5})
    assert table.calls[-1] == ([5], (2, 0))
    view.get_examples(None, (1,))
    assert table.calls[-1] == ([5], (0,))
    assert Table(keys=('a',), mode=None).slice[:, ('a',)].mode is tuple
    assert table.slice[:, ()].fetch() == {}


@pytest.mark.parametrize('selection, error, message', [
    ([6], IndexError, 'no example 6'),
    ([-7], IndexError, 'no example -7'),
    ([True] * 5, ValueError, '5 booleans and 6 examples'),
    (3, TypeError, 'a slice or a list, but got 3'),
    ((slice(None), 'd'), KeyError, "no key 'd'; the keys are 'a', 'b', 'c'"),
    ((slice(None), ['a']), KeyError, 'no key'),
    ((slice(None), 3), IndexError, 'no key 3'),
    ((slice(None), 0, 0), ValueError, 'unpack'),
])
def test_slice_errors(selection, error, message):
    with pytest.raises(error, match=message):
        Table().slice[selection]


@hypothesis.given(
    st.lists(st.integers(0, 4), min_size=1, max_size=4), st.data())
def test_concat(lengths, data):
    tables = [Table(n, ('a', 'b'), first=100 * i) for i, n in enumerate(lengths)]
    view = tables[0].concat(*tables[1:])
    expected = numpy.hstack([table.data for table in tables])
    total = expected.shape[1]
    assert len(view) == total
    whole = slice(None) if data.draw(st.booleans()) or not total else None
    selection = whole or data.draw(slices | st.lists(
        st.integers(0, total - 1), max_size=6))
    fetched = view.get_examples(selection, (1, 0))
    assert rows(fetched) == expected[::-1][:, selection].tolist()
    assert rows(view.get_examples(None, None)) == expected.tolist()


def test_concat_asks_only_where_needed():
    a, b = Table(4), Table(3, mode=dict, first=50)
    view = a.concat(b)
    assert (view.keys, view.mode) == (a.keys, tuple)
    assert isinstance(view.get_examples([6, 4], None)[0], numpy.ndarray)
    assert a.calls == [] and b.calls == [([2, 0], None)]
    assert view.get_examples([1, 5, 0], (0,)) == ([1, 51, 0],)
    assert view.get_examples([], None) == ([], [], [])
    assert view.get_examples(slice(5, None, -2), (0,)) == ([51, 3, 1],)
    with pytest.raises(IndexError):
        view[7]
    with pytest.raises(ValueError, match='same keys'):
        a.concat(Table(4, ('a', 'c', 'b')))


def test_join():
    a = Table(4, ('a', 'b'), mode=None)
    b = Table(4, ('c', 'd'), mode=dict, first=50)
    view = a.join(b)
    assert (len(view), view.keys, view.mode) == (4, ('a', 'b', 'c', 'd'), dict)
    assert view[1] == {'a': 1, 'b': 5, 'c': 51, 'd': 55}
    a.calls.clear()
    assert rows(view.get_examples([1, 0], (3, 2, 3))) == [[55, 54], [51, 50], [55, 54]]
    assert a.calls == [] and b.calls[-1] == ([1, 0], (1, 0))
    assert Table(keys=('a',), mode=None).join().mode is tuple
    with pytest.raises(KeyError):
        view.get_examples(None, (4,))
    with pytest.raises(ValueError, match='4 examples, another 6'):
        a.join(Table(6, ('e',)))
    with pytest.raises(ValueError, match="more than one has 'b'"):
        a.join(Table(4, ('e',)), Table(4, ('b',)))


def first(*columns):
    return columns[0]


@pytest.mark.parametrize('make, state', [
    (lambda x, y: x.slice[1:, 'c'],
     lambda x, y: {'_unary': True, '_dataset': x, '_indices': slice(1, None),
                   '_key_indices': (2,)}),
    (lambda x, y: x.astuple(), lambda x, y: {'_dataset': x}),
    (lambda x, y: x.join(y), lambda x, y: {'_datasets': (x, y)}),
    (lambda x, y: x.concat(x), lambda x, y: {'_datasets': (x, x)}),
    (lambda x, y: x.transform('d', first),
     lambda x, y: {'_dataset': x, '_keys': ('d',), '_transform': first}),
    (lambda x, y: x.transform_batch('d', first),
     lambda x, y: {'_dataset': x, '_keys': ('d',), '_transform_batch': first}),
    (lambda x, y: x.with_converter(first),
     lambda x, y: {'_dataset': x, '_converter': first}),
])
def test_states_in_pickles_of_chainer(make, state):
    tables = Table(), Table(keys=('d', 'e'), first=50)
    view = make(*tables)
    loaded = object.__new__(type(view))
    loaded.__setstate__(state(*tables))
    assert (len(loaded), loaded.keys, loaded.mode) == (len(view), view.keys, view.mode)
    assert str(loaded[:]) == str(view[:])
    assert str(loaded.convert(loaded.fetch())) == str(view.convert(view.fetch()))
