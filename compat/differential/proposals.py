"""Chooses changes of valid cases by a seed: the ways in which programs vary a call."""

from compat.differential import arrays, language, values

DTYPES = ('f2', 'f4', 'f8', 'i1', 'u1', 'i2', 'i4', 'i8', 'u8', '?', 'c8')
NUMBERS = (
    'int8',
    'uint8',
    'int32',
    'int64',
    'float32',
    'float16',
    'float',
    'bool',
    'bool_',
    'array',
    'array of one',
    'str',
)
CONFIG = (
    ('train', False),
    ('enable_backprop', False),
    ('debug', True),
    ('type_check', False),
    ('keep_graph_on_report', True),
    ('lazy_grad_sum', True),
    ('dtype', language.dtype('f2')),
    ('dtype', language.dtype('f8')),
    ('dtype', 'mixed16'),
    ('cudnn_deterministic', True),
    ('use_cudnn', 'never'),
    ('warn_nondeterministic', True),
    ('in_recomputing', True),
    ('autotune', True),
)
OTHER_VALUES = (
    None,
    0,
    1,
    -1,
    2,
    True,
    False,
    0.5,
    -0.5,
    '',
    'no',
    language.special('nan'),
    language.special('inf'),
    language.special('-inf'),
    2**40,
    1e-300,
    language.tuple_(),
    [],
    language.tuple_(1),
    language.dict_(),
)


def _numbers(case):
    return values.arguments(case, lambda path, node: type(node) in (int, float, bool))


def _values(case):
    """Return the paths of whole arguments."""
    found = [
        (key, index) for key in ('args', 'then') for index in range(len(case[key]))
    ]
    found += [(key, name) for key in ('kwargs', 'then_kwargs') for name in case[key]]
    return [path for path in found if not values.is_name(case, path)]


def _dtype(case, random):
    paths = values.arrays(case)
    if not paths:
        return None
    path = random.choice([*paths, *paths, ()] if len(paths) > 1 else paths)
    return ['dtype', list(path), random.choice(DTYPES)]


def _byte_order(case, random):
    paths = values.arrays(case)
    return paths and ['byte order', list(random.choice(paths)), '>']


def _layout(case, random):
    paths = values.arrays(case)
    return paths and [
        'layout',
        list(random.choice([*paths, ()])),
        random.choice(arrays.LAYOUTS[1:]),
    ]


def _special(case, random):
    paths = values.arrays(case)
    return paths and [
        'values',
        list(random.choice(paths)),
        random.choice(arrays.SPECIALS),
    ]


def _shape(case, random):
    paths = values.arrays(case)
    if not paths:
        return None
    path = random.choice(paths)
    shape = list(language.at(case, path)['shape'])
    way = random.choice(('size', 'size', 'empty', 'more', 'less', 'none', 'one'))
    if shape and way in ('size', 'empty', 'one'):
        axis = random.randrange(len(shape))
        shape[axis] = {
            'size': shape[axis] + random.choice((1, 2)),
            'empty': 0,
            'one': 1,
        }[way]
    elif shape and way == 'less':
        del shape[random.randrange(len(shape))]
    elif way == 'none':
        shape = []
    else:
        shape.insert(random.randint(0, len(shape)), random.choice((1, 2)))
    return ['shape', list(path), shape]


def _batch(case, random):
    """Change the first dimension of all arrays that have the same one."""
    paths = [path for path in values.arrays(case) if language.at(case, path)['shape']]
    if not paths:
        return None
    size = language.at(case, random.choice(paths))['shape'][0]
    return ['batch', [], [size, random.choice((0, 0, 1, size + 1, 3 * size))]]


def _kind(case, random):
    paths = values.arrays(case)
    return paths and [
        'kind',
        list(random.choice(paths)),
        random.choice(('variable', 'array', 'parameter', 'constant', 'list')),
    ]


def _same(case, random):
    paths = values.arrays(case)
    if len(paths) < 2:
        return None
    path = random.choice(paths[1:])
    shape = language.at(case, path)['shape']
    equal = [
        i
        for i, other in enumerate(paths)
        if other != path and language.at(case, other)['shape'] == shape
    ]
    return ['same', list(path), random.choice(equal)] if equal else None


def _number(case, random):
    paths = _numbers(case)
    return paths and ['number', list(random.choice(paths)), random.choice(NUMBERS)]


def _other(case, random):
    """Replace a number, a string or None by another plain value."""
    paths = [
        path
        for path in values.arguments(
            case,
            lambda path, node: node is None or type(node) in (int, float, bool, str),
        )
        if not values.is_name(case, path)
    ]
    return paths and ['value', list(random.choice(paths)), random.choice(OTHER_VALUES)]


def _none(case, random):
    paths = _values(case)
    return paths and ['value', list(random.choice(paths)), None]


def _sequence(case, random):
    paths = values.arguments(
        case,
        lambda path, node: (
            isinstance(node, list)
            or isinstance(node, dict)
            and node.get('$') == 'tuple'
        ),
    )
    paths = [path for path in paths if len(path) > 1]
    return paths and [
        'sequence',
        list(random.choice(paths)),
        random.choice(('list', 'tuple', 'ndarray', 'first', 'more', 'empty')),
    ]


def _config(case, random):
    key, value = random.choice(CONFIG)
    return ['config', ['config', key], value]


def _dropped(case, random):
    paths = [
        path
        for path in _values(case)
        if path[0] in ('kwargs', 'then_kwargs')
        or path[1] == len(case[path[0]]) - 1
        and case['scene'] != 'distribution'
    ]
    return paths and ['dropped', list(random.choice(paths)), None]


def _extra(case, random):
    key = random.choice(('args', 'kwargs'))
    return ['extra', [key], random.choice((0, None, 'no'))]


def _order(case, random):
    return ['order', ['order'], 2]


_WAYS = {
    _dtype: 6,
    _byte_order: 1,
    _layout: 4,
    _special: 5,
    _shape: 5,
    _batch: 2,
    _kind: 2,
    _same: 2,
    _number: 5,
    _other: 5,
    _none: 1,
    _sequence: 3,
    _config: 4,
    _dropped: 1,
    _extra: 1,
    _order: 4,
}


def propose(case, random):
    """Return a mutation of a case by a generator of random numbers, or None."""
    way = random.choices(list(_WAYS), list(_WAYS.values()))[0]
    return way(case, random) or None
