"""Tables made of arrays, lists and functions."""
import pickle

import numpy
import pytest

from chainer_fast import iterators
from chainer_fast.dataset import tabular

from_data = tabular.from_data


@pytest.mark.parametrize('column', [[2, 7, 1], numpy.array([2, 7, 1])])
def test_one_column(column):
    named = from_data(('x', column))
    assert (len(named), named.keys, named.mode) == (3, ('x',), None)
    assert named.fetch() is column
    assert named[1] == 7
    for indices, expected in (([2, 0], [1, 2]), (slice(1, None), [7, 1]), ([], [])):
        fetched, = named.get_examples(indices, None)
        assert isinstance(fetched, type(column))
        assert list(fetched) == expected
    assert named.get_examples(None, ()) == ()
    keys = from_data(column).keys + from_data(column).keys
    assert len(set(keys)) == 2 and all(isinstance(key, str) for key in keys)


def test_tuple_and_dict():
    dataset = from_data((('x', [2, 7, 1]), numpy.arange(3)))
    assert dataset.keys[0] == 'x' and dataset.mode is tuple
    assert dataset[1] == (7, 1)
    assert from_data(([2, 7],)).mode is tuple
    dataset = from_data({'y': [2, 7, 1], 'x': numpy.arange(3)})
    assert dataset.keys == ('y', 'x') and dataset.mode is dict
    assert dataset[1] == {'y': 7, 'x': 1}


def test_functions():
    dataset = from_data(('x', lambda i: i * i), size=4)
    assert (len(dataset), dataset.mode, dataset.fetch()) == (4, None, [0, 1, 4, 9])
    assert dataset.slice[3:1:-1].fetch() == [9, 4]
    dataset = from_data((('x', 'y'), lambda i: {'y': -i, 'x': i}), size=3)
    assert dataset.mode is dict and dataset[2] == {'x': 2, 'y': -2}
    # The size is taken from the column that has one, wherever that is.
    dataset = from_data({('x', 'y'): lambda i: (i, -i), 'z': [5, 6]})
    assert dataset.keys == ('x', 'y', 'z')
    assert list(dataset) == [{'x': 0, 'y': 0, 'z': 5}, {'x': 1, 'y': -1, 'z': 6}]


@pytest.mark.parametrize('data, size, error, message', [
    (abs, 3, ValueError, 'needs a key'),
    (([1], abs), None, ValueError, 'needs a key'),
    (('x', abs), None, ValueError, 'argument size'),
    ((('x', abs), ('y', abs)), None, ValueError, 'argument size'),
    ({'x': abs, 'y': [1]}, 2, ValueError, 'the same length'),
    (([1], [1, 2]), None, ValueError, 'the same length'),
    ((('x', [1]), ('x', [2])), None, ValueError, 'different keys'),
    ((), None, IndexError, 'empty'),
    ({}, None, IndexError, 'empty'),
    (3, None, TypeError, 'a column must be an array, a list or a function'),
    (('x', 'y'), None, TypeError, 'a column must be'),
])
def test_errors(data, size, error, message):
    with pytest.raises(error, match=message):
        from_data(data, size=size)


def test_pickle():
    view = from_data({'x': [1, 2, 3], 'y': numpy.arange(3)}).slice[1:].astuple()
    copy = pickle.loads(pickle.dumps(view))
    assert copy.keys == ('x', 'y') and list(copy) == [(2, 1), (3, 2)]


def test_iterator():
    dataset = from_data({'x': [1, 2, 3], 'y': numpy.arange(3)})
    it = iterators.SerialIterator(dataset, 2, repeat=False, shuffle=False)
    assert list(it) == [[{'x': 1, 'y': 0}, {'x': 2, 'y': 1}], [{'x': 3, 'y': 2}]]
