"""Lists as indices of arrays, which were tuples if they held arrays or slices."""
import numpy as np
import pytest

# What NumPy 1.16 made of each index: a tuple, or an array of what is in the list.
TUPLES = ['[i, j]', '[i, [1, 3]]', '[[0, 2], j]', '[slice(0, 2), 1]',
          '[slice(None), j]', '[None, 1]', '[Ellipsis, 1]', '[0, None]', '[i]',
          '[a > 3]', '[slice(None)] * 2', '[slice(1)] + [j]', '[np.array(0), 1]',
          '[np.s_[0:2], None, 1]', '[np.array([[0], [1]]), j]']
NESTED = ['[[0, 2], [1, 3]]', '[0, [1, 2]]', '[(0, 2), (1, 3)]']
NESTED_OF_TODAY = ['[[0, 1]]', '[[0, 1], [1, 2]]', '[range(2), range(2)]',
                   '[[[0, 1]], [[1, 2]]]']
LISTS = ['[0, 2]', '[True, False, True]', '[]', '[np.int64(0), np.int64(1)]']
PROGRAM = '''
import numpy as np
a = np.arange(12).reshape(3, 4)
i, j = np.array([0, 2]), np.array([1, 3])
b, c, d = a.copy(), a.copy(), a.copy()
k = {index}
class Holder: key = k
found = [a[{index}], a[k], a[Holder.key], a[list(k)], a[[k][0]]]
b[k] = 100
c[{index}] += 100
d[Holder.key] *= 3
'''


def check(module, index):
    """Compare with what an index, a tuple if it was one, gives today."""
    a = module.a
    for found in module.found:
        np.testing.assert_array_equal(found, a[index])
    for name, expected in (('b', a.copy()), ('c', a.copy()), ('d', a.copy())):
        if name == 'b':
            expected[index] = 100
        elif name == 'c':
            expected[index] += 100
        else:
            expected[index] *= 3
        np.testing.assert_array_equal(getattr(module, name), expected)


@pytest.mark.parametrize('parts', [(), ('numpy',), ('v1', 'numpy')])
@pytest.mark.parametrize('index', TUPLES + NESTED)
def test_lists_that_were_tuples(enable, load, used, parts, index):
    enable(*parts)
    module = load(PROGRAM.replace('{index}', index))
    check(module, tuple(module.k))
    assert used() == {'list of arrays, lists or slices as an index': 10}


@pytest.mark.parametrize('index', NESTED_OF_TODAY)
def test_lists_of_lists_that_mean_something_today(enable, load, index):
    enable('numpy')
    module = load(PROGRAM.replace('{index}', index))
    check(module, tuple(module.k))


@pytest.mark.parametrize('index', NESTED_OF_TODAY)
def test_their_meaning_of_today(enable, load, used, index):
    enable()
    module = load(PROGRAM.replace('{index}', index))
    check(module, np.array(module.k))
    assert not used()


@pytest.mark.parametrize('index', LISTS)
def test_lists_that_stay_lists(enable, load, used, index):
    enable('numpy')
    module = load(PROGRAM.replace('{index}', index))
    check(module, list(module.k))
    assert not used()


def test_other_owners(enable, load, used):
    enable('numpy')
    module = load('''
class Own:
    def __getitem__(self, key):
        return key
key = [None, 1]
found = Own()[key], Own()[[slice(1)]]
def of_list():
    return [1, 2][key]
def of_dict():
    return {}[key]
''')
    assert module.found == ([None, 1], [slice(1)])
    for function in module.of_list, module.of_dict:
        with pytest.raises(TypeError, match='list'):
            function()
    assert not used()


def test_errors_are_those_of_today(enable, load):
    enable('numpy')
    module = load('''
import numpy as np
a = np.zeros((2, 2))
def get(key):
    return a[key]
def put(key):
    a[key] = 1
''')
    for function in module.get, module.put:
        for key in [5], [np.array([0, 5]), np.array([0, 0])], [slice(1)] * 3, ['x']:
            with pytest.raises(IndexError):
                function(key)


def test_a_list_is_evaluated_once(enable, load):
    enable()
    module = load('''
import numpy as np
calls = []
def owner():
    calls.append('owner')
    return np.arange(4).reshape(2, 2)
def index():
    calls.append('index')
    return [np.array([0]), np.array([1])]
found = owner()[index()]
list = None
key = index()
again = owner()[key]
''')
    assert module.found == module.again == [1]
    assert module.calls == ['owner', 'index', 'index', 'owner']
