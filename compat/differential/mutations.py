"""Changes of valid cases, each by a seed: the ways in which programs vary a call.

A mutation is a list of a kind, a path in the case and a value. `propose` chooses one,
`apply` makes it, `label` names it in the table of causes.
"""
import copy

from compat.differential import arrays, language

DTYPES = ('f2', 'f4', 'f8', 'i1', 'u1', 'i2', 'i4', 'i8', 'u8', '?', 'c8')
NUMBERS = ('int8', 'uint8', 'int32', 'int64', 'float32', 'float16', 'float', 'bool',
           'bool_', 'array', 'array of one', 'str')
CONFIG = (
    ('train', False), ('enable_backprop', False), ('debug', True), ('type_check', False),
    ('keep_graph_on_report', True), ('lazy_grad_sum', True),
    ('dtype', language.dtype('f2')), ('dtype', language.dtype('f8')),
    ('dtype', 'mixed16'), ('cudnn_deterministic', True), ('use_cudnn', 'never'),
    ('warn_nondeterministic', True), ('in_recomputing', True), ('autotune', True))
OTHER_VALUES = (None, 0, 1, -1, 2, True, False, .5, -.5, '', 'no', language.special('nan'),
                language.special('inf'), language.special('-inf'), 2 ** 31, 1e-300,
                language.tuple_(), [], language.tuple_(1), language.dict_())
# Sizes of this would ask for all the memory that there is.
_LARGE = 1 << 20


def _arguments(case, accept):
    """Return the paths of those nodes of arguments that a function accepts."""
    found = []
    for key in 'args', 'kwargs', 'then', 'then_kwargs':
        for path, node in language.walk(case[key], (key,)):
            if accept(path, node) and not _is_inside(case, path):
                found.append(path)
    return found


# What of a value of the language holds values.
_HOLDERS = {'tuple': ('of',), 'slice': ('of',), 'dict': ('of',), 'ndarray': ('of',),
            'make': ('args', 'kwargs'), 'thing': ('args',)}


def _is_inside(case, path):
    """Return whether a path leads into words of the language, not to a value."""
    if len(path) < 2:
        return True
    for depth in range(1, len(path)):
        node = language.at(case, path[:depth])
        if isinstance(node, dict) and '$' in node:
            rest = path[depth:]
            if rest[0] not in _HOLDERS.get(node['$'], ()) or len(rest) == 1:
                return True
            if node['$'] == 'dict' and rest[2:3] != (1,):
                return True
    return False


def _is_name(case, path):
    """Return whether a string chooses what a scene does."""
    return path[:2] == ('then', 0) and case['scene'] in (
        'method', 'attributes', 'distribution', 'written', 'assigned', 'items_of')


def _arrays(case):
    return _arguments(case, lambda path, node: language.is_array(node))


def _numbers(case):
    return _arguments(case, lambda path, node: type(node) in (int, float, bool))


def _values(case):
    """Return the paths of whole arguments."""
    found = [(key, index) for key in ('args', 'then') for index in range(len(case[key]))]
    found += [(key, name) for key in ('kwargs', 'then_kwargs') for name in case[key]]
    return [path for path in found if not _is_name(case, path)]


def _dtype(case, random):
    paths = _arrays(case)
    if not paths:
        return None
    path = random.choice([*paths, *paths, ()] if len(paths) > 1 else paths)
    return ['dtype', list(path), random.choice(DTYPES)]


def _byte_order(case, random):
    paths = _arrays(case)
    return paths and ['byte order', list(random.choice(paths)), '>']


def _layout(case, random):
    paths = _arrays(case)
    return paths and ['layout', list(random.choice([*paths, ()])), random.choice(
        arrays.LAYOUTS[1:])]


def _special(case, random):
    paths = _arrays(case)
    return paths and ['values', list(random.choice(paths)),
                      random.choice(arrays.SPECIALS)]


def _shape(case, random):
    paths = _arrays(case)
    if not paths:
        return None
    path = random.choice(paths)
    shape = list(language.at(case, path)['shape'])
    way = random.choice(('size', 'size', 'empty', 'more', 'less', 'none', 'one'))
    if shape and way in ('size', 'empty', 'one'):
        axis = random.randrange(len(shape))
        shape[axis] = {'size': shape[axis] + random.choice((1, 2)), 'empty': 0,
                       'one': 1}[way]
    elif shape and way == 'less':
        del shape[random.randrange(len(shape))]
    elif way == 'none':
        shape = []
    else:
        shape.insert(random.randint(0, len(shape)), random.choice((1, 2)))
    return ['shape', list(path), shape]


def _batch(case, random):
    """Change the first dimension of all arrays that have the same one."""
    paths = [path for path in _arrays(case) if language.at(case, path)['shape']]
    if not paths:
        return None
    size = language.at(case, random.choice(paths))['shape'][0]
    return ['batch', [], [size, random.choice((0, 0, 1, size + 1, 3 * size))]]


def _kind(case, random):
    paths = _arrays(case)
    return paths and ['kind', list(random.choice(paths)), random.choice(
        ('variable', 'array', 'parameter', 'constant', 'list'))]


def _same(case, random):
    paths = _arrays(case)
    if len(paths) < 2:
        return None
    path = random.choice(paths[1:])
    shape = language.at(case, path)['shape']
    equal = [i for i, other in enumerate(paths)
             if other != path and language.at(case, other)['shape'] == shape]
    return ['same', list(path), random.choice(equal)] if equal else None


def _number(case, random):
    paths = _numbers(case)
    return paths and ['number', list(random.choice(paths)), random.choice(NUMBERS)]


def _other(case, random):
    """Put another plain value in the place of a number, a string or None."""
    paths = [path for path in _arguments(case, lambda path, node: node is None or type(
        node) in (int, float, bool, str)) if not _is_name(case, path)]
    return paths and ['value', list(random.choice(paths)), random.choice(OTHER_VALUES)]


def _none(case, random):
    paths = _values(case)
    return paths and ['value', list(random.choice(paths)), None]


def _sequence(case, random):
    paths = _arguments(case, lambda path, node: isinstance(node, list) or isinstance(
        node, dict) and node.get('$') == 'tuple')
    paths = [path for path in paths if len(path) > 1]
    return paths and ['sequence', list(random.choice(paths)), random.choice(
        ('list', 'tuple', 'ndarray', 'first', 'more', 'empty'))]


def _config(case, random):
    key, value = random.choice(CONFIG)
    return ['config', ['config', key], value]


def _dropped(case, random):
    paths = [path for path in _values(case)
             if path[0] in ('kwargs', 'then_kwargs') or path[1] == len(
                 case[path[0]]) - 1 and case['scene'] != 'distribution']
    return paths and ['dropped', list(random.choice(paths)), None]


def _extra(case, random):
    key = random.choice(('args', 'kwargs'))
    return ['extra', [key], random.choice((0, None, 'no'))]


def _order(case, random):
    return ['order', ['order'], 2]


_WAYS = {
    _dtype: 6, _byte_order: 1, _layout: 4, _special: 5, _shape: 5, _batch: 2, _kind: 2,
    _same: 2, _number: 5, _other: 5, _none: 1, _sequence: 3, _config: 4, _dropped: 1,
    _extra: 1, _order: 4}


def propose(case, random):
    """Return a mutation of a case by a generator of random numbers, or None."""
    way = random.choices(list(_WAYS), list(_WAYS.values()))[0]
    return way(case, random) or None


def apply(case, mutations):
    """Return the case with mutations; one that has lost its place does nothing."""
    case = copy.deepcopy(case)
    for kind, path, value in mutations:
        try:
            _APPLY[kind](case, path, value)
        except (KeyError, IndexError, TypeError):
            continue
    return case


def _each_array(case, path):
    if path:
        node = language.at(case, path)
        return [node] if language.is_array(node) else []
    return [language.at(case, each) for each in _arrays(case)]


def _to_dtype(case, path, value):
    for each in _each_array(case, path):
        # Without a path those of floats alone change, as in a program's other dtype.
        if path or each['dtype'][0] == 'f':
            each['dtype'] = value


def _to_order(case, path, value):
    for each in _each_array(case, path):
        each['dtype'] = value + each['dtype'].lstrip('<>|')


def _set(key):
    def change(case, path, value):
        for each in _each_array(case, path):
            each[key] = value
    return change


def _to_batch(case, path, value):
    for each in _each_array(case, path):
        if each['shape'] and each['shape'][0] == value[0]:
            each['shape'][0] = value[1]


def _to_number(case, path, value):
    old = language.at(case, path)
    if type(old) in (int, float, bool):
        language.put(case, path, language.number(old, value))


def _to_value(case, path, value):
    language.put(case, path, value)


def _to_sequence(case, path, value):
    node = language.at(case, path)
    items = node['of'] if isinstance(node, dict) else node
    if value == 'first':
        new = items[0]
    elif value == 'ndarray':
        new = {'$': 'ndarray', 'of': items}
    else:
        items = {'more': [*items, items[-1]], 'empty': []}.get(value, items)
        is_list = value == 'list' or isinstance(node, list) and value != 'tuple'
        new = list(items) if is_list else language.tuple_(*items)
    language.put(case, path, new)


def _drop(case, path, value):
    del language.at(case, path[:-1])[path[-1]]


def _add(case, path, value):
    if path == ['args']:
        case['args'].append(value)
    else:
        case['kwargs']['unheard_of'] = value


_APPLY = {
    'dtype': _to_dtype, 'byte order': _to_order, 'layout': _set('layout'),
    'values': _set('special'), 'shape': _set('shape'), 'batch': _to_batch,
    'kind': _set('as'), 'same': lambda case, path, value: language.put(
        case, path, language.same(value)),
    'number': _to_number, 'value': _to_value, 'sequence': _to_sequence,
    'config': _to_value, 'dropped': _drop, 'extra': _add, 'order': _to_value}


def label(mutation):
    """Return the words for a mutation in a table: what was changed, where, to what."""
    kind, path, value = mutation
    place = '.'.join(map(str, path)) if path else 'all'
    if kind == 'shape':
        value = 'empty' if 0 in value else '%d axes' % len(value)
    elif kind == 'batch':
        value = 'empty' if value[1] == 0 else 'other'
    elif kind in ('config', 'order'):
        place = str(path[-1])
    if isinstance(value, dict):
        value = value.get('value', value.get('$'))
    return '%s %s=%s' % (kind, place, value)
