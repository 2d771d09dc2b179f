"""The valid calls that the tests of arguments have, in the language of cases."""

import numpy as np

from compat.differential.language import array, case, ids, of_python
from tests.arguments import cases as arguments
from tests.arguments import described

_MODULES = {
    'F': 'functions',
    'L': 'links',
    'D': 'datasets',
    'It': 'iterators',
    'u': 'utils',
    'conv': 'utils.conv',
    'conv_nd': 'utils.conv_nd',
    'T': 'training.triggers',
    'Variable': 'Variable',
}
_SCENES = {'[]': 'rows', 'next': 'iterate', 'fires': 'fires'}
# Sizes that small integers have no room for make arrays that take long.
_LARGEST = 3000


def _value(value):
    if isinstance(value, described.Array):
        if value.below:
            return ids(value.below, *value.shape)
        return array(
            *value.shape,
            fill='positive' if value.positive else 'normal',
            dtype=np.dtype(value.dtype).str[1:],
        )
    if isinstance(value, list):
        return [_value(each) for each in value]
    if isinstance(value, tuple):
        return {'$': 'tuple', 'of': [_value(each) for each in value]}
    if isinstance(value, dict):
        return {'$': 'dict', 'of': [[key, _value(each)] for key, each in value.items()]}
    return of_python(value, {'sampler': 'sampler'})


def _is_large(node):
    if isinstance(node, dict):
        if node.get('$') == 'array':
            return int(np.prod(node['shape'])) > _LARGEST
        return any(map(_is_large, node.values()))
    if isinstance(node, list):
        return any(map(_is_large, node))
    return type(node) is int and node >= 90


def _of(given):
    first, _, rest = given.name.rpartition('.')
    if ' ' in given.name or first not in _MODULES:
        return None  # the other modules have these
    kwargs = {
        key: _value(each) for key, each in {**given.fixed, **given.varied}.items()
    }
    args = [_value(each) for each in given.args]
    then, keywords = [], {}
    for each in given.then:
        if isinstance(each, str):
            key, _, number = each.partition('=')
            keywords[key] = int(number)
        else:
            then.append(_value(each))
    scene = _SCENES.get(given.get, 'call' if given.then else 'result')
    if first == 'Variable':
        (value,) = kwargs.values() if given.get else (None,)
        if given.get == '*':
            args += value['of']
        elif given.get:
            args.append(value)
        kwargs = {} if given.get else kwargs
    if given.get in ('sample', 'to_dense'):
        scene, then = 'method', [given.get]
        if given.get == 'sample':
            then.append(kwargs.pop('shape'))
    return case(
        '%s.%s' % (_MODULES[first], rest),
        *args,
        scene=scene,
        then=then,
        then_kwargs=keywords,
        **kwargs,
    )


def cases():
    """Return all valid calls that name one public callable, except for large ones."""
    found = [_of(each) for each in arguments.CASES]
    return [each for each in found if each is not None and not _is_large(each)]


def distributions():
    """Return the arguments of each distribution, by its name."""
    return {
        name: {key: _value(value) for key, value in kwargs.items()}
        for name, kwargs in described.DISTRIBUTIONS.items()
    }
