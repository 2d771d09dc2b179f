"""Writes a case as a program, which runs with either library."""

from compat.differential import language


def _array(spec):
    shape = tuple(spec['shape'])
    details = ''.join(
        ', %s=%r' % (key, spec[key])
        for key in ('special', 'layout', 'values')
        if spec.get(key) not in (None, 'C')
    )
    text = 'array(%r, %r, %r%s)' % (shape, spec['fill'], spec['dtype'], details)
    kind = spec['as']
    if kind == 'variable':
        return 'chainer.Variable(%s)' % text
    if kind == 'parameter':
        return 'chainer.Parameter(%s)' % text
    if kind == 'constant':
        return 'chainer.Variable(%s, requires_grad=False)' % text
    return text + ('.tolist()' if kind == 'list' else '')


def value(node):
    """Return the expression of a value of the language."""
    if isinstance(node, list):
        return '[%s]' % ', '.join(map(value, node))
    if not isinstance(node, dict):
        return repr(node)
    kind = node['$']
    if kind == 'array':
        return _array(node)
    if kind == 'tuple':
        items = ', '.join(map(value, node['of']))
        return '(%s%s)' % (items, ',' if len(node['of']) == 1 else '')
    if kind == 'slice':
        return 'slice(%s)' % ', '.join(map(value, node['of']))
    if kind == 'dict':
        return '{%s}' % ', '.join(
            '%r: %s' % (key, value(each)) for key, each in node['of']
        )
    if kind == 'number':
        form = node['form']
        if form == 'array':
            return 'np.array(%r)' % node['value']
        if form == 'array of one':
            return 'np.array([%r])' % node['value']
        return '%s%s(%r)' % (
            '' if form in ('float', 'bool', 'str', 'int') else 'np.',
            form,
            node['value'],
        )
    if kind == 'float':
        return 'float(%r)' % node['value']
    if kind == 'dtype':
        return 'np.dtype(%r)' % node['value']
    if kind == 'ndarray':
        return 'np.array(%s)' % value(node['of'])
    if kind == 'get':
        return 'chainer.' + node['name']
    if kind == 'thing':
        return 'things.%s(%s)' % (
            node['name'],
            ', '.join(['chainer', *map(value, node['args'])]),
        )
    if kind == 'make':
        return call(node)
    return {'ellipsis': '...'}.get(kind) or 'same(%d)' % node['index']


def _arguments(args, kwargs):
    return ', '.join(
        [
            *map(value, args),
            *['%s=%s' % (key, value(each)) for key, each in kwargs.items()],
        ]
    )


def call(case):
    """Return the expression of the call that a case makes."""
    return 'chainer.%s(%s)' % (case['name'], _arguments(case['args'], case['kwargs']))


def program(case):
    """Return the lines of a program that makes a case."""
    lines = []
    for key, each in case['config'].items():
        lines.append(
            'chainer.config.%s = %s'
            % (key, 'chainer.mixed16' if each == 'mixed16' else value(each))
        )
    lines.append('made = ' + call(case))
    if case['scene'] != 'result' or case['then']:
        rest = _arguments(case['then'], case['then_kwargs'])
        lines.append(
            'found = scenes.%s(%s)'
            % (case['scene'], ', '.join(filter(None, ['chainer', 'made', rest])))
        )
    if case['order'] != 1:
        lines.append('# and the gradients of its gradients')
    if any(language.is_array(node) for _, node in language.walk(case)):
        lines.insert(
            0,
            'array = lambda shape, fill, dtype, **more: arrays.make(dict('
            'shape=shape, fill=fill, dtype=dtype, seed=0, **more))',
        )
    return lines
