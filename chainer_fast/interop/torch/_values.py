"""Values inside of tuples, lists and dictionaries."""


def convert(value, kind, function):
    """Convert all values of a type inside of a nested structure in one call.

    Parameters
    ----------
    value : object
        A value, or tuples, lists and dictionaries of values.
    kind : type or tuple of type
        Type of the values to convert.
    function : callable
        Function of the values that returns a tuple with one result for each, or the
        only result.

    Returns
    -------
    object
        The structure with the converted values.
    """
    found = []
    _walk(value, kind, found.append)
    if not found:
        return value
    results = function(*found)
    results = iter(results if isinstance(results, tuple) else (results,))
    return _walk(value, kind, lambda _: next(results))


def _walk(value, kind, function):
    if isinstance(value, kind):
        return function(value)
    if isinstance(value, dict):
        return {key: _walk(item, kind, function) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        items = [_walk(item, kind, function) for item in value]
        if hasattr(value, '_fields'):       # a named tuple
            return type(value)(*items)
        return tuple(items) if isinstance(value, tuple) else items
    return value
