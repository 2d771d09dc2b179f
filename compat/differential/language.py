"""The language of cases: values that JSON can represent, and their meaning.

A value that JSON has represents itself. All others are dictionaries with a kind under
``$``. Functions of this module create them; `builder` turns them into objects, with
either library. A case is a call of a public name:

    {'name': 'functions.relu', 'args': [...], 'kwargs': {...}, 'scene': 'result',
     'then': [...], 'then_kwargs': {...}, 'config': {...}, 'order': 1, 'seed': 0}

``scene`` names the operation on the result of the call (`scenes`), ``then`` has the
arguments of the scene.
"""

import copy
import json


def array(*shape, fill='normal', dtype='f4', seed=0, **more):
    """Return an array that becomes a variable.

    ``fill`` is ``'normal'``, ``'positive'``, ``'unit'`` (between 0 and 1), ``'bool'``,
    ``'definite'`` (matrices that are symmetric and definite), ``'simplex'`` (rows whose
    sums are 1), ``'ids:N'`` (integers below N) or ``'orders'`` (a permutation).
    """
    return {
        '$': 'array',
        'shape': list(shape),
        'fill': fill,
        'dtype': dtype,
        'seed': seed,
        'as': 'variable',
        **more,
    }


def plain(*shape, **more):
    """Return an array that stays one."""
    return array(*shape, **{'as': 'array', **more})


def ids(below, *shape, **more):
    """Return an array of integers, such as labels."""
    return plain(*shape, **{'fill': 'ids:%d' % below, 'dtype': 'i4', **more})


def given(values, dtype='f4', **more):
    """Return an array of the values of a list, which stays one."""
    return {
        '$': 'array',
        'values': values,
        'dtype': dtype,
        'as': 'array',
        'shape': list(_shape(values)),
        'fill': 'given',
        'seed': 0,
        **more,
    }


def _shape(values):
    shape = ()
    while isinstance(values, list):
        shape += (len(values),)
        if not values:
            break
        values = values[0]
    return shape


def tuple_(*items):
    return {'$': 'tuple', 'of': list(items)}


def dict_(**items):
    return {'$': 'dict', 'of': [[key, value] for key, value in items.items()]}


def number(value, form):
    """Return a number in the form of a type of NumPy, or as text of a float."""
    return {'$': 'number', 'form': form, 'value': value}


def special(text):
    """Return a float that JSON has no word for: inf, -inf or nan."""
    return {'$': 'float', 'value': text}


def slice_(*of):
    return {'$': 'slice', 'of': list(of)}


ELLIPSIS = {'$': 'ellipsis'}


def dtype(name):
    return {'$': 'dtype', 'value': name}


def get(name):
    """Return a public object of the library itself."""
    return {'$': 'get', 'name': name}


def thing(name, *args):
    """Return an object of `things`, which represents a user's code."""
    return {'$': 'thing', 'name': name, 'args': list(args)}


def make(name, /, *args, **kwargs):
    """Return the result of a call of a public name."""
    return {'$': 'make', 'name': name, 'args': list(args), 'kwargs': kwargs}


def same(index):
    """Return the array that was made as the one of this number."""
    return {'$': 'same', 'index': index}


def case(
    name,
    /,
    *args,
    scene='result',
    then=(),
    then_kwargs=None,
    config=None,
    order=1,
    **kwargs,
):
    found = {
        'name': name,
        'args': list(args),
        'kwargs': kwargs,
        'scene': scene,
        'then': list(then),
        'then_kwargs': then_kwargs or {},
        'config': config or {},
        'order': order,
        'seed': 0,
    }
    # A description that stands twice becomes two, which change by themselves.
    return json.loads(json.dumps(found))


def of_python(value, names=()):
    """Return the value of the language for one of Python, such as a tuple.

    ``names`` has the names of the objects that functions represent.
    """
    import numpy as np

    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if abs(value) < float('inf') else special(repr(value))
    if isinstance(value, tuple):
        return tuple_(*[of_python(each, names) for each in value])
    if isinstance(value, list):
        return [of_python(each, names) for each in value]
    if isinstance(value, dict):
        return dict_(**{key: of_python(each, names) for key, each in value.items()})
    if isinstance(value, np.ndarray):
        return given(value.tolist(), value.dtype.str[1:])
    if callable(value) and value.__name__ in names:
        return thing(names[value.__name__])
    raise TypeError('no value of the language for %r' % (value,))


def walk(node, path=()):
    """Yield every node with its path of keys; containers come before what they hold."""
    yield path, node
    if isinstance(node, dict):
        items = node.items()
    elif isinstance(node, list):
        items = enumerate(node)
    else:
        return
    for key, each in items:
        yield from walk(each, (*path, key))


def at(node, path):
    """Return what lies at a path."""
    for key in path:
        node = node[key]
    return node


def put(node, path, value):
    """Replace the value at a path, in place."""
    at(node, path[:-1])[path[-1]] = copy.deepcopy(value)


def is_array(node):
    return isinstance(node, dict) and node.get('$') == 'array'
