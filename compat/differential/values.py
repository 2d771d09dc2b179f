"""Finds what of a case are values, and not words of the language."""

from compat.differential import language


def arguments(case, accept):
    """Return the paths of those nodes of arguments that a function accepts."""
    found = []
    for key in 'args', 'kwargs', 'then', 'then_kwargs':
        for path, node in language.walk(case[key], (key,)):
            if accept(path, node) and not _is_inside(case, path):
                found.append(path)
    return found


# What of a value of the language holds values.
_HOLDERS = {
    'tuple': ('of',),
    'slice': ('of',),
    'dict': ('of',),
    'ndarray': ('of',),
    'make': ('args', 'kwargs'),
    'thing': ('args',),
}


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


def is_name(case, path):
    """Return whether a string chooses what a scene does."""
    return path[:2] == ('then', 0) and case['scene'] in (
        'method',
        'attributes',
        'distribution',
        'written',
        'assigned',
        'items_of',
        'in_scope',
    )


def arrays(case):
    return arguments(case, lambda path, node: language.is_array(node))
