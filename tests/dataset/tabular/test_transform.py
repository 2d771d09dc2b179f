"""Tables that pass through a function."""
import numpy
import pytest

from chainer_fast.dataset import tabular

results = {
    tuple: lambda a, b: (a + b, a - b),
    dict: lambda a, b: {'difference': a - b, 'unused': b, 'sum': a + b},
    None: lambda a, b: a + b,
}


def table(**kwargs):
    return tabular.from_data({'a': numpy.arange(4), 'b': numpy.full(4, 10)}, **kwargs)


@pytest.mark.parametrize('mode', results)
@pytest.mark.parametrize('method', ['transform', 'transform_batch'])
@pytest.mark.parametrize('inputs', ['astuple', 'asdict'])
def test_transform(inputs, method, mode):
    keys = 'sum' if mode is None else ('sum', 'difference')
    view = getattr(getattr(table(), inputs)(), method)(keys, results[mode])
    assert len(view) == 4
    assert view.keys == (('sum',) if mode is None else keys)
    assert view.mode is mode
    expected = [[10, 11, 12, 13], [-10, -9, -8, -7]][:len(view.keys)]
    batch = method == 'transform_batch'
    fetched = view.get_examples(None, None)
    assert all(isinstance(x, numpy.ndarray if batch else list) for x in fetched)
    numpy.testing.assert_equal(fetched, expected)
    numpy.testing.assert_equal(view.get_examples(slice(3, 0, -2), None),
                               [x[3:0:-2] for x in expected])
    numpy.testing.assert_equal(view.get_examples([1], (len(view.keys) - 1,)),
                               [expected[-1][1:2]])


def test_called_lazily():
    calls = []
    source = tabular.from_data(('a', [1, 2, 3]))
    view = source.transform('b', lambda a: calls.append(a) or -a)
    assert view.keys == ('b',) and calls == []
    assert view.mode is None and calls == [1]
    assert view[2] == -3 and view.mode is None and calls == [1, 3]


@pytest.mark.parametrize('method', ['transform', 'transform_batch'])
@pytest.mark.parametrize('first', results)
@pytest.mark.parametrize('second', results)
def test_mode_must_not_change(method, first, second):
    functions = iter([results[first], results[second]])
    view = getattr(table().astuple(), method)(
        ('sum', 'difference')[:1], lambda a, b: next(functions)(a, b))
    view.get_examples([0], None)
    if first is second:
        view.get_examples([0], None)
    else:
        with pytest.raises(ValueError, match='always return the same.*and now'):
            view.get_examples([0], None)
    assert view.mode is first


def test_length_must_not_change():
    for result in ([1], ([0] * 4, [0] * 3), {'x': [0] * 5}):
        view = table().astuple().transform_batch('x', lambda a, b, r=result: r)
        with pytest.raises(ValueError, match='for 4 it returned'):
            view.get_examples(None, None)
    view = table().astuple().transform_batch('x', lambda a, b: [0, 0])
    assert view.get_examples(slice(0, 4, 2), None) == ([0, 0],)
    assert view.get_examples([1, 1], None) == ([0, 0],)


def test_empty():
    view = tabular.from_data(('a', [])).transform(('x', 'y'), lambda a: (a, a))
    assert view.get_examples(None, None) == ([], [])
    with pytest.raises(IndexError):
        view.fetch()
