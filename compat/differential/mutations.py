"""Makes changes of valid cases.

A mutation is a list of a kind, a path in the case and a value. `proposals` chooses one,
`apply` makes it, `label` names it in the table of causes.
"""

import copy

from compat.differential import language, values


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
    return [language.at(case, each) for each in values.arrays(case)]


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
    'dtype': _to_dtype,
    'byte order': _to_order,
    'layout': _set('layout'),
    'values': _set('special'),
    'shape': _set('shape'),
    'batch': _to_batch,
    'kind': _set('as'),
    'same': lambda case, path, value: language.put(case, path, language.same(value)),
    'number': _to_number,
    'value': _to_value,
    'sequence': _to_sequence,
    'config': _to_value,
    'dropped': _drop,
    'extra': _add,
    'order': _to_value,
}


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
